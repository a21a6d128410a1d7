// Follows the machine code of a kernel through a launch, warp by warp, to count what it executes and which
// addresses it accesses.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/dim3.h"
#include "kernels/base/result.h"
#include "kernels/base/tensor_map.h"
#include "kernels/recording/recording.h"
#include "kernels/sass/listing.h"

namespace warplens::sass {

/// Part of global memory. What the kernel stores changes it.
struct MemoryRegion {
  std::uint64_t base = 0;
  std::span<std::byte> bytes;
};

struct Launch {
  Dim3 grid, block;
  std::vector<std::byte> parameters;        ///< As they lie in constant memory from `parameters_offset` on
  std::optional<std::vector<Dim3>> blocks;  ///< Only these; nullopt: the whole grid
  unsigned threads = 0;                     ///< 0: all cores
  /// Once the warps have executed more, following ends with an error. Counted in portions of kStepsAtOnce a
  /// thread.
  std::uint64_t max_instructions = ~std::uint64_t{0};
  /// With it values are followed, too, one block after the other in their order, so that addresses and
  /// branches may depend on what is loaded.
  std::optional<std::vector<MemoryRegion>> memory = {};
  std::map<std::string, std::uint64_t> symbols =
      {};  ///< The module's variables in global memory: where they are
  std::map<std::string, std::vector<std::byte>> constants = {};  ///< Those in constant memory: what they hold
  bool calls_system_only = false;  ///< What is called by an absolute address is printf, malloc or their like,
                                   ///< and no code of the module
  bool one_of_each_kind = false;   ///< All blocks one by one would take more than that: where they do not
                                   ///< prove to behave alike, that is the error
  Dim3 cluster{1, 1, 1};           ///< In blocks
  std::map<std::uint64_t, TensorMap> tensor_maps =
      {};  ///< Those in global memory, by address; those among the parameters are read there
};

/// Returns where parameters begin in constant bank 0. Their alignment is that of their offsets in the bank.
[[nodiscard]] std::uint32_t parameters_offset(std::string_view architecture);

inline constexpr std::uint64_t kStepsAtOnce = std::uint64_t{1} << 16;

/// Accesses as machine code makes them, in the form that a recording has.
struct SymbolicExecution {
  std::vector<Site> sites;  ///< One for each memory instruction: `instruction` in the function, `file` in the
                            ///< listing, `text` as printed; no ptx_line
  std::vector<Shape> shapes;
  std::vector<SiteTotals> totals;       ///< By site
  std::vector<std::uint64_t> executed;  ///< By instruction of the function: how often a warp executed it
  bool stored_unknown = false;          ///< With Launch::memory: something that is not known was stored to it
  bool tries_again =
      false;  ///< Compare-and-swaps are tried until no other warp comes between: how often is not determined
};

/// Of a whole grid one block is followed for all that prove to behave as it does
/// (kernels/base/block_classes.h), where that is most of them.
///
/// Integer arithmetic, predicates, branches and reconvergence are computed; loaded values and floating-point
/// results only with Launch::memory. An error names the instruction whose address or direction depends on
/// what is not known, or that is not understood, or says that the limit was reached. `needs_values`: set if
/// it is an error that Launch::memory might mend; may be null.
[[nodiscard]] Result<SymbolicExecution> execute_symbolically(const Listing& listing, const Function& function,
                                                             const Launch& launch,
                                                             const std::atomic<bool>* cancelled = nullptr,
                                                             bool* needs_values = nullptr);

}  // namespace warplens::sass
