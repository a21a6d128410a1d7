// What is launched, and how: the one description that the command line, the window and the worker make of it,
// and that a recording keeps.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/launch_form/arguments.h"
#include "app/launch_form/launch_form.h"
#include "kernels/base/dim3.h"
#include "kernels/base/result.h"
#include "kernels/catalog/catalog.h"
#include "kernels/compile/limits.h"
#include "kernels/gpu/record.h"
#include "kernels/gpu/run.h"
#include "kernels/ptx/module.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/replay.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::app {

/// Which blocks a launch covers, and which become events.
struct BlockChoice {
  bool all = true;
  std::vector<Dim3> blocks;  ///< If not all
  friend bool operator==(const BlockChoice&, const BlockChoice&) = default;
};
/// "all" or "X,Y[;X,Y]..." ("X" and "X,Y,Z" too).
[[nodiscard]] Result<BlockChoice> parse_blocks(const std::string& text);

/// The chosen blocks, each once; none for `all`. An error names a block that is outside the grid.
[[nodiscard]] Result<std::vector<Dim3>> chosen_blocks(Dim3 grid, const BlockChoice& choice);

/// What runs the kernel: the CPU replay, or this machine's GPU with the kernel instrumented. Both make the
/// same recording.
enum class Engine : std::uint8_t { cpu, gpu };

/// A kernel of the catalogue. How it is launched follows from LaunchRequest::values.
struct CatalogKernel {
  std::string id = "tiled";
  friend bool operator==(const CatalogKernel&, const CatalogKernel&) = default;
};

/// A kernel in a file of PTX or CUDA C++. How it is launched stands in LaunchRequest::form, or in ::shape and
/// ::arguments.
struct FileKernel {
  std::filesystem::path file;
  std::string entry;  ///< Mangled, or plain where that is unique; empty: the only one
  std::string text;   ///< The PTX, where it is at hand already; empty: what `file` holds, or is compiled to
  /// Texts of sources that are at hand already, by the names that the PTX has for them without folders.
  /// Others are read.
  std::vector<SourceFile> sources;
  /// Where sources may be read, they and all below them, beside the folder of `file`: their texts go into the
  /// recording.
  std::vector<std::filesystem::path> source_folders;
  std::chrono::seconds compile_time = compile::Limits{}.time;  ///< That compiling may take
  std::string cuda;         ///< CUDA C++ or Python as it is being edited; empty: what `file` holds
  bool run_python = false;  ///< Python may be imported, which runs it, to compile its kernel
  std::vector<std::string> parameters;  ///< Their names in the source, in order, and perhaps those of further
                                        ///< arguments; empty: not known
  friend bool operator==(const FileKernel&, const FileKernel&) = default;
};

struct LaunchShape {
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  Dim3 cluster{1, 1, 1};  ///< Blocks of a cluster; those that the kernel itself requires need not be given
  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

struct LaunchRequest {
  std::variant<CatalogKernel, FileKernel> origin;
  /// Of a kernel of the catalogue: its sizes (m, p, n) and parameters (T, ..). What is missing is as the
  /// kernel's descriptor says.
  std::vector<NamedValue> values;
  std::string value_type = "f32";  ///< Of a kernel of the catalogue
  LaunchShape shape;               ///< Of a file's kernel
  std::vector<NamedArgument>
      arguments;  ///< Of a file's kernel: by parameter, and buffers besides, of which others hold addresses
  std::vector<NamedArgument>
      variables;  ///< Of its module, __constant__ and __device__ ones: what they are set to. All have a name
  /// Of a file's kernel: what shape, arguments and product follow from, with what the file's comment says
  /// where the form says nothing.
  std::optional<LaunchForm> form;
  std::optional<ProductNames> product;  ///< Of a file's kernel: what its result is compared with, ..
  std::vector<std::string> expect;      ///< .. and what else it is to leave (LaunchForm::expect)
  Engine engine = Engine::cpu;
  BlockChoice replay_blocks;  ///< Blocks to replay
  std::optional<BlockChoice>
      event_blocks;  ///< Blocks to keep events of, among the replayed; `all`: all of those; nullopt: none
  analysis::ComputeCapability cc;  ///< Whose rules hold
  unsigned threads = 0;            ///< Of the CPU replay; 0: all cores
  std::uint64_t limit = 0;         ///< Of the CPU replay: warp instructions (replay::Options::limit); 0: none
  bool whole_result = false;       ///< Every block is run and the whole result verified, whatever could be
                                   ///< followed (kernels/replay/extrapolate.h)

  [[nodiscard]] const CatalogKernel* catalog_kernel() const { return std::get_if<CatalogKernel>(&origin); }
  [[nodiscard]] const FileKernel* file_kernel() const { return std::get_if<FileKernel>(&origin); }
  /// A value by its name; nullopt: it has none.
  [[nodiscard]] std::optional<std::int64_t> value(std::string_view name) const;
  void set(std::string_view name, std::int64_t value);
  friend bool operator==(const LaunchRequest&, const LaunchRequest&) = default;
};
[[nodiscard]] LaunchRequest launch_of_kernel(std::string id, std::vector<NamedValue> values = {});
/// What menus and messages call what is launched: "tiled", "scan of scan.ptx".
[[nodiscard]] std::string name_of(const LaunchRequest& request);

/// The launch that a recording is of, its events' blocks among it, so that it can be launched again.
///
/// Recordings older than version 1.2 of their format do not say with which arguments a file's kernel was
/// launched: to launch such a one is an error.
[[nodiscard]] LaunchRequest launch_of(const Recording& recording);

/// The kernel of the ladder with that id; the error names those there are.
[[nodiscard]] Result<const KernelDescriptor*> find_kernel(const std::string& id);

/// The grid that a request launches; an error where its kernel or values are none.
[[nodiscard]] Result<Dim3> grid_of(const LaunchRequest& request);
/// Checks all of a request that can be checked without running it: kernel, values, arguments, blocks.
[[nodiscard]] Result<Done> check(const LaunchRequest& request);

/// A source that accesses of a kernel lie in and that is not in the recording.
struct UnreadSource {
  std::string named;  ///< As the PTX does
  std::string reason;
};

struct LaunchResult {
  Recording recording;
  replay::Memory memory;  ///< After the run
  std::vector<std::optional<std::uint32_t>>
      buffers;  ///< By parameter: the buffer that its elements are in; nullopt for scalars
  std::vector<UnreadSource> unread_sources;  ///< Of a file's kernel
};

/// Finds out whether the result of a launch is right.
using Verification = std::function<Result<bool>()>;
/// Is given the recording of a large launch, which lacks nothing else, and returns what the verification
/// says: it may take as long as what was recorded. It may take the recording away; of what is returned
/// `verified` is filled in then.
using Verifier = std::function<Result<bool>(Recording& recording, const Verification& verification)>;

/// Launches, and records. Blocking: the window calls it on a worker.
///
/// A catalogue kernel's buffers, their contents and the check of the result are make_workload's. The buffers
/// of the recording have the padded extents (rows x pitch, columns = pitch); Recording::m, p and n are the
/// caller's. Recording::verified says that every element of the result that the blocks that were run own,
/// padding included, is right, bit for bit; nullopt for a file's kernel. `times`: what the GPU took, if that
/// is the engine.
[[nodiscard]] Result<LaunchResult> launch(const LaunchRequest& request, replay::Progress* progress = nullptr,
                                          gpu::RecordTimes* times = nullptr, const Verifier& verifier = {});
/// Its recording alone.
[[nodiscard]] Result<Recording> record(const LaunchRequest& request, replay::Progress* progress = nullptr,
                                       gpu::RecordTimes* times = nullptr, const Verifier& verifier = {});

/// The launch made ready for the GPU, to be timed. The error says what does not fit, as that of `launch`.
[[nodiscard]] Result<gpu::RunRequest> run_request_of(const LaunchRequest& request);

/// Whether the launch was ended before its end, or the result is wrong though the kernel is not so on
/// purpose.
[[nodiscard]] bool failed(const Recording& recording);
/// What a kernel's result is called: "C" for a product, else "the result".
[[nodiscard]] const char* name_of_result(const Recording& recording);

}  // namespace warplens::app
