// The kernels of all files in a folder, as their texts say: nothing is compiled or run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/compile/signatures.h"

namespace warplens::app {

enum class KernelLanguage : unsigned char { cuda, ptx, triton, numba, cupy };

/// What is known of how a kernel is launched.
enum class LaunchKnown : unsigned char {
  comment,   ///< A `warplens:` comment says it
  in_file,   ///< The same file launches it
  instance,  ///< It is a template of which an instance has to be named
  guessed,   ///< Nothing is known of it
  device,    ///< Other kernels call it
  generated  ///< Its source is made when the program runs
};

struct ListedKernel {
  std::filesystem::path file;  ///< Relative to the folder
  std::uint32_t line = 0;      ///< From 1
  std::string name;
  std::string template_arguments = {};  ///< "int T, bool B"
  std::string instance = {};            ///< Of a template, that the file launches: "mm<16>"; empty: not known
  std::vector<compile::SourceParameter> parameters = {};
  KernelLanguage language = KernelLanguage::cuda;
  LaunchKnown launch = LaunchKnown::guessed;
};

/// A file or folder that was not read, and why.
struct UnreadFile {
  std::filesystem::path file;  ///< Relative to the folder
  std::string reason;
};

/// The kernels of some of the files.
struct KernelListPart {
  std::vector<ListedKernel> kernels;
  std::vector<UnreadFile> unread;
  std::size_t files = 0;  ///< That were read
};

/// "CUDA C++", "PTX", "Triton".
[[nodiscard]] const char* name_of(KernelLanguage language);
/// "cuda", "ptx", "triton": for programs.
[[nodiscard]] const char* id_of(KernelLanguage language);
/// Returns the name shown on screen: "launch comment", "template".
[[nodiscard]] const char* name_of(LaunchKnown launch);
/// For programs: "comment", "template".
[[nodiscard]] const char* id_of(LaunchKnown launch);
/// "const float* A, int n"
[[nodiscard]] std::string parameters_in_words(const ListedKernel& kernel);
/// "mm<int T>"
[[nodiscard]] std::string name_in_words(const ListedKernel& kernel);

/// Whether a path names a file that can hold kernels, by its extension: .cu, .cuh, .ptx or .py.
[[nodiscard]] bool may_have_kernels(const std::filesystem::path& path);

/// Reads one file, or all files in a folder and below it, in the order of their names. Left out are hidden
/// folders, and what builds and package managers leave: `build`, `__pycache__`, `node_modules`, and any
/// folder with a CMakeCache.txt, a build.ninja or a pyvenv.cfg. Symbolic links are not followed: those that
/// lead out of the folder are among the unread.
///
/// `report` is called now and then, and at the end; it returns false where nothing more is wanted.
///
/// The error: the folder itself cannot be read.
[[nodiscard]] Result<Done> list_kernels(const std::filesystem::path& folder,
                                        const std::function<bool(KernelListPart)>& report);

/// The kernels, by index, that fit what is typed, best first: those whose names begin with it, then hold it,
/// then those whose names and files hold each of its words, then those whose names have its letters in that
/// order. All, in their order, where nothing is typed.
[[nodiscard]] std::vector<std::size_t> kernels_that_fit(const std::vector<ListedKernel>& kernels,
                                                        std::string_view typed);

}  // namespace warplens::app
