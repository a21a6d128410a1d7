// A file of kernels, CUDA C++ or PTX, read and compiled, with what one needs to know to launch them.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/launch_form/launch_form.h"
#include "kernels/base/result.h"
#include "kernels/compile/compile.h"
#include "kernels/ptx/module.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::app {

/// A launch of a kernel that the file's host code makes.
struct FileLaunch {
  std::uint32_t line = 0;   ///< In the source; 0: in a header
  std::string grid, block;  ///< "391,4"; "?": only running the program tells
  std::uint32_t count = 1;  ///< How often it is made, as far as the program was followed
};

/// A kernel that a file has.
struct FileEntry {
  std::string name;        ///< Mangled
  std::string plain_name;  ///< "mm<16>"
  std::vector<KernelParameter> parameters;
  std::string launch;                     ///< What its comment says; empty: it has none
  std::uint32_t line = 0;                 ///< Of its name in the source; 0: not known
  std::vector<FileLaunch> launches = {};  ///< In the order of the program
};
/// A template of which the file asks for no instance.
struct FileTemplate {
  std::string name;
  std::string arguments;  ///< "int T, bool B"
  /// An instance, as one may ask for it: "mm<16,true>".
  [[nodiscard]] std::string example() const;
};

/// A __constant__ or __device__ variable of a file.
struct FileVariable {
  std::string name;        ///< In the PTX: mangled
  std::string plain_name;  ///< "space::scale"
  std::string type;        ///< Of one number, as arguments name it; empty: it is an array or a structure
  std::uint64_t bytes = 0;
};

struct KernelFile {
  std::filesystem::path file;
  std::string text;  ///< As read, or as edited: of Python, all of its file
  std::string ptx;   ///< Empty: it does not compile, for which `messages` say why
  std::vector<compile::Message> messages;
  std::string compiler;       ///< "NVRTC 13.0"; empty: it is PTX
  std::string architecture;   ///< That CUDA C++ was compiled for
  compile::Options options;   ///< That it was compiled with
  std::string users_options;  ///< Those of them that FileWishes named
  std::vector<std::filesystem::path>
      readable;  ///< Folders that its includes may be read from, with all below
  double compile_seconds = 0;
  std::vector<FileEntry> kernels;
  std::vector<FileTemplate> templates;
  std::vector<FileVariable> variables;

  [[nodiscard]] bool is_cuda() const { return !compiler.empty(); }
  /// By its mangled name, or its plain one; null: there is none, or more than one.
  [[nodiscard]] const FileEntry* find(const std::string& name) const;
};

/// Whether a path names CUDA C++, by its extension.
[[nodiscard]] bool is_cuda_file(const std::filesystem::path& path);
/// Whether a path names what is compiled to PTX: CUDA C++ or Python.
[[nodiscard]] bool is_source_file(const std::filesystem::path& path);

/// Options for opening a file.
struct FileWishes {
  std::optional<std::string> text;  ///< Instead of the file's own: as it is being edited
  std::optional<std::string> ptx;  ///< What CUDA C++ compiles to, where that is at hand: no compiler is asked
  std::vector<std::string> instances;  ///< "mm<16>", of templates
  std::string entry;  ///< The kernel that is wanted, whose comment may name an architecture; empty: any. Of a
                      ///< Python file each has a source of its own
  std::string architecture;  ///< Empty: what the comment names, else that of `cc`
  std::string options;       ///< "-DTILE=32": of the compiler, besides those of the comment and of the build
  analysis::ComputeCapability cc;  ///< The device that the code is to be for
  std::vector<std::filesystem::path>
      source_folders;  ///< That `#include` may read, besides the file's own folder and its project
  std::chrono::seconds compile_time = compile::Limits{}.time;  ///< At most
  bool run_python = false;  ///< Python may be imported, which runs it; else PTX that was made before is taken
  std::vector<FormField> arguments = {};  ///< What is said of a kernel of Python besides its comment: what it
                                          ///< is compiled for depends on their types
  const std::atomic<bool>* cancelled = nullptr;
};
/// Reads and compiles a file. What does not compile is no error: see KernelFile::messages. Any thread;
/// compiling the same again takes no time. `parsed`: takes what was parsed of its PTX.
[[nodiscard]] Result<KernelFile> open_kernel_file(const std::filesystem::path& file,
                                                  const FileWishes& wishes = {},
                                                  ptx::Module* parsed = nullptr);

/// The folder that a file belongs to: the nearest one above it that is under version control, else the
/// nearest that is built by itself (CMakeLists.txt, Makefile, compile_commands.json), else the file's own.
/// Never the user's home.
[[nodiscard]] std::filesystem::path project_of(const std::filesystem::path& file);

/// Options of the compiler as they can be used for any file of the project, of those that were written for
/// one of them; nullopt: they are not such as the compiler is given.
[[nodiscard]] std::optional<std::string> options_for_project(const std::string& options,
                                                             const std::filesystem::path& file);

/// Where a file's includes may be read: its folder, its project, and those that the user names. All below
/// them may be read, too.
[[nodiscard]] std::vector<std::filesystem::path> readable_folders(
    const std::filesystem::path& file, const std::vector<std::filesystem::path>& named);

/// Returns the architecture to compile a text for: the one that is asked for, the one that the comment of the
/// wanted kernel or else of any kernel names, or that of the compute capability.
[[nodiscard]] std::string architecture_for(const std::string& text, const std::string& entry,
                                           const std::string& asked, analysis::ComputeCapability cc);

/// Returns the file name for messages about the file's PTX: with .ptx for a source, as they name lines of the
/// PTX.
[[nodiscard]] std::string name_of_ptx(const std::filesystem::path& file);
/// Reads and parses a PTX file, or what CUDA C++ compiles to.
[[nodiscard]] Result<ptx::Module> load_ptx(const std::filesystem::path& path);
/// Returns the parameter's name in the PTX without the entry's name, which nvcc writes before all of them.
[[nodiscard]] std::string name_of_parameter(const ptx::Function& entry, std::size_t index);

/// The first error of a file that does not compile.
[[nodiscard]] Error error_of(const KernelFile& file);

/// The kernel that a file opens with: the first that says how it is launched, or that `main` launches first,
/// or the first. Null: there is none.
[[nodiscard]] const FileEntry* first_entry(const KernelFile& file);

/// The kernel that `entry` names, the only one, the only one that says how it is launched, or the one that
/// `main` launches first. The error names those there are.
[[nodiscard]] Result<const FileEntry*> choose_entry(const KernelFile& file, const std::string& entry);

}  // namespace warplens::app
