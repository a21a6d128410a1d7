// Kernels launched for real: verified, and timed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/catalog/catalog.h"
#include "kernels/catalog/workload.h"
#include "kernels/gpu/timing.h"

namespace warplens::gpu {

inline constexpr const char* kCublasId = "cublas";
/// cuBLAS as if it were a kernel of the catalogue: it is launched like one, and cannot be replayed. It has no
/// source file.
[[nodiscard]] const KernelDescriptor& cublas_descriptor();

/// What a buffer is to hold after a launch.
struct BufferCheck {
  std::uint32_t buffer = 0;  ///< Of the workload
  std::function<bool(std::span<const std::byte>)> is_right;
};

/// A kernel of a file, and what it is launched with. Each launch finds in the buffers what the one before it
/// left there; the one that is verified, what they held at the start.
struct FileLaunch {
  std::string ptx;
  std::string entry;  ///< Mangled
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  bool waits_for_grid = false;  ///< Its blocks wait for each other (ptx::waits_for_grid)
  Dim3 cluster{1, 1, 1};        ///< Blocks of a cluster
  Workload workload;            ///< Its buffers are all uploaded
  std::vector<BufferCheck>
      checks;  ///< These buffers are downloaded and verified; where there are none, all are downloaded
  std::optional<Problem> product;  ///< Its extents and the type of its result; nullopt: it is none
};

struct RunRequest {
  std::string kernel = "tiled";  ///< Of the catalogue, or kCublasId; with `of_file`, what it is called
  std::shared_ptr<const FileLaunch>
      of_file;  ///< In place of a kernel of the catalogue: sizes, parameters and type mean nothing then
  /// The launch of a file's kernel as text, from which another process makes `of_file`. Not used here.
  std::string launch_text;
  std::optional<std::uint64_t> m, p,
      n;  ///< nullopt: as large as the kernel's descriptor says. Only those that the kernel has
  std::vector<NamedValue> parameters;
  std::string value_type;       ///< Empty: the kernel's first
  std::uint64_t launches = 20;  ///< At least so many timed ones, ..
  double seconds = 0.2;         ///< .. for at least so long; 0: exactly so many
  bool with_cublas = false;     ///< Beside it, launch by launch, for a ratio
  int device = 0;
};

struct RunResult {
  std::string kernel, device;
  std::uint64_t m = 0, p = 0, n = 0;   ///< 0: the kernel has no such size
  std::vector<NamedValue> parameters;  ///< Every one of the kernel's
  std::string value_type;
  Spread times;       ///< Of the launches alone
  double gflops = 0;  ///< 2 m p n operations over the median; 0 if the kernel is no product
  double gbps =
      0;  ///< Bytes of the operands and the result once each, unpadded, over the median; 10^9 a second
  /// The operands to the GPU, the result back, and both with one launch between: medians of a few, by events,
  /// from and to ordinary memory.
  double upload_ms = 0, download_ms = 0, total_ms = 0;
  bool has_reference = true;  ///< False for a kernel of a file where nothing says what its result must be
  bool verified = false;      ///< The result, poisoned before, was right in every element
  int registers = 0;          ///< A thread's; 0 for cuBLAS
  std::uint64_t shared_bytes = 0;  ///< A block's, static and dynamic
  std::uint64_t local_bytes = 0;   ///< A thread's: what was spilled
  bool warm = false;   ///< Whether operands and result fit in the second-level cache, so that each launch
                       ///< finds them there
  std::string caches;  ///< The same in words
  std::optional<int> sm_mhz;        ///< While the launches ran
  std::optional<double> create_ms;  ///< If the kernel is cuBLAS: how long its handle took to make

  struct Cublas {
    Spread times;
    double gflops = 0, gbps = 0, create_ms = 0;
    bool verified = false;
    double percent = 0;  ///< The kernel's rate of cuBLAS's
  };
  std::optional<Cublas> cublas;  ///< If asked for
  std::string cublas_missing;    ///< Why it is not there though asked for
};

/// A kernel of the catalogue, or cuBLAS.
[[nodiscard]] Result<const KernelDescriptor*> find_launchable(const std::string& id);

/// Checks all of a request that can be checked without a GPU. Refuses, too, the kernel whose barrier part of
/// a block never reaches: it may hang.
[[nodiscard]] Result<Problem> check_request(const RunRequest& request);

/// Uploads, warms up with three launches, verifies one, and times the rest. Blocking: the window calls it in
/// its worker.
[[nodiscard]] Result<RunResult> run(const RunRequest& request, Progress* progress = nullptr);

/// Whether the result is wrong though the kernel is not so on purpose.
[[nodiscard]] bool failed(const RunResult& result);
[[nodiscard]] Error wrong_result(const std::string& kernel);

struct Bench;

/// What was measured in a moment.
struct LiveSample {
  double median_ms = 0, gflops = 0, gbps = 0;
  std::uint64_t launches = 0;
  struct Cublas {
    double median_ms = 0, gflops = 0, gbps = 0, percent = 0;
  };
  std::optional<Cublas> cublas;
  std::optional<int> sm_mhz;
};

/// A kernel that is launched again and again, with all that it needs kept on the GPU. Verified once, at the
/// start.
class LiveRun {
 public:
  /// An error, too, if the result is wrong. Of the request, launches and seconds count for nothing.
  [[nodiscard]] static Result<std::unique_ptr<LiveRun>> start(const RunRequest& request,
                                                              Progress* progress = nullptr);
  ~LiveRun();
  /// Launches for about so long, once at least, and cuBLAS in turn if it was asked for.
  [[nodiscard]] Result<LiveSample> sample(double seconds, Progress* progress = nullptr);
  [[nodiscard]] const std::string& cublas_missing()
      const;  ///< Why cuBLAS is not there though asked for; else empty

 private:
  explicit LiveRun(std::unique_ptr<Bench> bench);
  std::unique_ptr<Bench> bench_;
};

}  // namespace warplens::gpu
