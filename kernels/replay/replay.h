// The CPU replay: runs a decoded program warp by warp in lockstep, and records what it did to memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kernels/base/dim3.h"
#include "kernels/base/placed_address.h"
#include "kernels/base/result.h"
#include "kernels/base/texture.h"
#include "kernels/base/variable_contents.h"
#include "kernels/base/zero_pages.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/program.h"

namespace warplens::replay {

/// A kernel argument: a scalar's bytes (little-endian, as wide as the parameter), with the addresses that are
/// to lie among them, or the index of a buffer in Memory, whose address is passed.
struct ScalarArgument {
  std::vector<std::byte> bytes;
  std::vector<PlacedAddress> addresses = {};
};
struct BufferArgument {
  std::uint32_t buffer = 0;
  std::uint64_t byte_offset = 0;
};
/// An object of the texture or surface whose texels are the buffer's contents.
struct TextureArgument {
  std::uint32_t buffer = 0;
  Texture texture;
};
using Argument = std::variant<ScalarArgument, BufferArgument, TextureArgument>;

struct Launch {
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<Argument> arguments;
  /// Those that the kernel does not name do nothing. Addresses among their bytes are written, and are told
  /// for who has buffers elsewhere.
  std::vector<VariableContents> variables = {};
  Dim3 cluster{1, 1, 1};  ///< Blocks of a cluster; those that the kernel itself requires need not be given
};

/// Global memory. Buffers lie at fixed, 256-byte-aligned virtual addresses in order of addition, with
/// unmapped guard space between, so that counts repeat.
class Memory {
 public:
  /// Returns the buffer's index. `description.base` and `.bytes` are filled in here.
  std::uint32_t add(Buffer description, std::vector<std::byte> contents);
  /// A buffer of `description.bytes` zeros, which take memory only where they are touched; copies of the
  /// memory share them. Throws std::bad_alloc.
  std::uint32_t reserve(Buffer description);
  /// Addresses that lie in a buffer that was added; those they lead to have been added, too. They are
  /// written, and known from then on as what a GPU, where buffers lie elsewhere, has others for.
  void place_addresses(std::uint32_t index, std::vector<PlacedAddress> addresses);
  [[nodiscard]] std::span<const PlacedAddress> addresses(std::uint32_t index) const {
    return addresses_[index];
  }
  [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }
  [[nodiscard]] std::vector<std::uint64_t> bases() const;
  [[nodiscard]] std::span<std::byte> bytes(std::uint32_t index);
  [[nodiscard]] std::span<const std::byte> bytes(std::uint32_t index) const;
  /// Returns the contents of a buffer that was added, not reserved.
  [[nodiscard]] std::vector<std::byte>& contents(std::uint32_t index) { return contents_[index]; }
  [[nodiscard]] const std::vector<std::byte>& contents(std::uint32_t index) const { return contents_[index]; }

 private:
  void place(Buffer description);

  std::vector<Buffer> buffers_;
  std::vector<std::vector<std::byte>> contents_;
  std::vector<std::vector<PlacedAddress>> addresses_;  ///< That lie in them
  std::vector<std::shared_ptr<ZeroPages>> reserved_;   ///< Null for those that were added
};

/// Returns the cost of one access pattern under the memory rules of the caller's choice: used where a site
/// has too many patterns to keep.
using PatternCost = AccessCost (*)(const Site& site, const Shape& shape, std::uint32_t mask,
                                   std::uint32_t alignment, const std::string& cc);

/// Seen by other threads while a replay runs; `cancel` may be set by them.
struct Progress {
  std::atomic<std::uint64_t> blocks_done{0}, blocks_total{0};
  std::atomic<std::uint64_t> gpu_waits{
      0};  ///< Of a recorder on the GPU: grows when a wait for it begins, and when it ends
  std::atomic<std::uint64_t> warp_instructions{0};  ///< A lower bound, updated from time to time
  std::atomic<std::uint32_t> line{
      0};  ///< Of the source, where a block that runs long was last; 0: none does, or not known
  std::atomic<bool> cancel{false};
  std::vector<Finding> found;  ///< Of a replay that was cancelled: what it had found; for the thread that
                               ///< called it, when it has ended
  std::vector<std::string> found_files;  ///< By Finding::file

  /// A launch may be several pieces of work: blocks followed, recorded, run with values. Each counts from 0.
  void begin(std::uint64_t blocks) {
    blocks_done = 0;
    blocks_total = blocks;
    warp_instructions = 0;
    line = 0;
  }
};

struct Options {
  /// Blocks to replay; nullopt: the whole grid. Out-of-grid blocks are an error.
  std::optional<std::vector<Dim3>> replay_blocks;
  /// Blocks whose every access becomes an event (must be among the replayed). Empty: none; totals only, in
  /// bounded memory.
  std::vector<Dim3> event_blocks;
  std::uint64_t max_events =
      std::uint64_t{1}
      << 25;  ///< More is an error that says to choose fewer blocks; nothing is dropped silently
  std::uint32_t max_patterns_per_site =
      1u << 14;  ///< Beyond it patterns are costed as they come (SiteTotals::unkept_cost)
  PatternCost pattern_cost = nullptr;  ///< May be null: then patterns are kept without limit
  std::string unkept_cc = "9.0";
  std::uint32_t shared_base =
      1024;  ///< Address of the first byte of a block's shared memory; a multiple of kPatternAlignment
  unsigned threads = 0;  ///< 0: all cores. The recording is the same whatever the number
  /// After so many instructions a warp that does not wait yields to the others of its block.
  std::uint64_t turn = std::uint64_t{1} << 20;
  std::uint64_t max_warp_instructions = 0;  ///< A block that runs longer stops with an error; 0: no limit
  /// The launch ends at the first backward jump, barrier or exit behind so many warp instructions, and the
  /// recording says where (Recording::ended); 0: no limit. Blocks then run one after the other, so that what
  /// was counted until there is the same each time.
  std::uint64_t limit = 0;
  Progress* progress = nullptr;
};

/// Phases are counted apart up to 2^20; what comes later counts as the last. A lane whose access is not made
/// (out of bounds, misaligned) is in no pattern. Where blocks store to one address without atomics, which
/// value stays may depend on the number of threads.
///
/// Runs the kernel, changes `memory` as the kernel does, and returns the record of it: everything but
/// Recording::kernel, engine, device, files' texts, ptx, m, p, n, parameters, value_type and verified, which
/// the caller knows. Shared arrays have rows = 1 unless the caller says more. Findings are no errors. Errors:
/// wrong arguments, an unsupported instruction reached (with its text and line), cancelled, too many events,
/// a stuck block.
[[nodiscard]] Result<Recording> run(const Program& program, const Launch& launch, Memory& memory,
                                    const Options& options);

/// "AVX-512", "AVX2" or "x86-64-v2": what the replay uses on this machine. The environment variable
/// WARPLENS_SIMD (v2, v3, v4) lowers it, for tests.
[[nodiscard]] const char* instruction_set();

}  // namespace warplens::replay
