// What all runners of a launch share.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/texture.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/block/heap.h"
#include "kernels/replay/core/machine.h"
#include "kernels/replay/decode/code.h"
#include "kernels/replay/replay.h"

namespace warplens::replay {

class BlockWatch;

/// Names elements of a buffer or variable: "C[3][5]", "table[7]".
struct ElementNames {
  std::string name;
  std::uint32_t element_bytes = 1;
  std::uint64_t pitch = 0;  ///< Elements of a row; 0: it has one row
  [[nodiscard]] std::string at(std::uint64_t byte_offset) const;
};

/// A texture of the launch, and where its texels are.
struct BoundTexture {
  Texture texture;
  std::uint64_t base = 0;
  std::byte* data = nullptr;
};

/// The n-th texel that each lane of an access reads.
struct TexelTurn {
  std::uint32_t mask = 0;
  std::array<std::uint64_t, kWarpSize> address{};
};

/// State that all runners of a launch share: the launch, memory, and limits.
struct Job {
  const Program::Code& code;
  const Launch& launch;
  const Options& options;
  std::vector<Site> sites = {};           ///< The code's, as this launch's textures make them
  std::vector<Region> regions;            ///< By address
  std::vector<std::string> region_names;  ///< By Region::id: "buffer C", "variable table"
  std::vector<ElementNames> elements;     ///< By Region::id
  std::vector<std::byte> parameters, constants;
  std::uint32_t shared_begin = 0, shared_end = 0;  ///< Addresses of a block's shared memory
  std::uint32_t warps = 0;
  Dim3 cluster{1, 1, 1};  ///< Blocks of a cluster
  [[nodiscard]] std::uint32_t shared_bytes() const { return shared_end - shared_begin; }
  std::vector<std::uint64_t> event_blocks;  ///< Linear indices, ascending
  std::atomic<std::uint64_t> events{0};
  std::vector<BoundTexture> textures;     ///< By parameter, as many as there are
  std::vector<std::byte> grid_workspace;  ///< Empty where the blocks do not wait for the whole grid
  BlockWatch* block_watch =
      nullptr;  ///< Observes accesses that are exposed to other blocks; null where races are not looked for
  std::unique_ptr<Heap>
      heap;  ///< Device heap of kernels that allocate (single-threaded); null before the first allocation
  // For launches with an instruction limit (single-threaded)
  std::uint64_t instructions_left = 0;
  std::uint64_t blocks_begun = 0, last_begun = 0;
  std::optional<EarlyEnd> ended;
  std::optional<std::uint32_t> altered_shuffle;  ///< Index of a shuffle that reads altered values from absent
                                                 ///< lanes, to find out whether they matter
  [[nodiscard]] bool at_limit() const { return options.limit != 0 && instructions_left == 0; }
};

/// Further phases are counted as the last one.
inline constexpr std::uint32_t kMaxPhases = 1u << 20;
/// The maximum number of distinct shapes among the events of a recording.
inline constexpr std::size_t kMaxEventShapes = std::size_t{1} << 20;

}  // namespace warplens::replay
