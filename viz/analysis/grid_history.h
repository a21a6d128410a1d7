// Who of all blocks of a grid touches an element, from the accesses of the blocks that stand for the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stop_token>
#include <vector>

#include "kernels/base/block_classes.h"
#include "kernels/recording/recording.h"
#include "viz/analysis/history.h"

namespace warplens::analysis {

class GridHistory {
 public:
  explicit GridHistory(Dim3 grid) : grid_(grid) {}

  /// Adds the blocks of a class by the events of the one that they behave as,
  /// recording.event_blocks[event_block]. `shifts`: by site, by how many bytes its addresses move from one
  /// block to the next. Each recording has the same sites. False where that would be too much to keep.
  [[nodiscard]] bool add(const Recording& recording, std::uint32_t event_block, const BlockClass& alike,
                         std::span<const Shift> shifts);
  /// Adds the recorded blocks of a recording, each as it is, with the sites of another recording of the
  /// launch. False as above.
  [[nodiscard]] bool add(const Recording& recording, const Recording& launch);

  /// How many have been added.
  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
  /// Returns the history of one element (row * pitch + column) of a buffer, as element_history gives it for a
  /// recording with the events of all blocks.
  [[nodiscard]] WordHistory of(std::uint32_t buffer, std::uint64_t element, std::size_t limit = kMaxTouches,
                               const std::stop_token& stop = {}) const;

 private:
  static constexpr std::size_t kMaxBytes = std::size_t{128} << 20;

  /// A request of the block that stands for its class.
  struct Request {
    std::uint64_t base = 0;
    std::uint32_t warp = 0, phase = 0, step = 0, site = 0, mask = 0, shape = 0;
  };
  /// Requests whose addresses move alike.
  struct Moving {
    Shift shift;
    std::vector<std::int64_t> moves;  ///< Ascending: by how many bytes they lie further in some block
    std::vector<Request> requests;    ///< By warp, in turn
  };
  struct Class {
    BlockClass alike;
    std::vector<Moving> moving;
  };
  struct SiteKind {
    std::uint8_t bytes = 0;
    bool reads = false, writes = false;
  };
  struct KnownShape {
    Shape offsets{};
    std::int64_t low = 0, high = 0;
  };
  class Search;

  /// `sites`: by site of the recording, those that touches name.
  [[nodiscard]] bool add_class(const Recording& recording, std::uint32_t event_block, const BlockClass& alike,
                               std::span<const Shift> shifts, std::span<const std::uint32_t> sites);
  void begin(const Recording& launch);
  [[nodiscard]] std::uint32_t index_of(const Shape& shape);
  [[nodiscard]] static std::vector<std::int64_t> moves_of(const BlockClass& alike, const Shift& shift);

  Dim3 grid_;
  std::vector<Buffer> buffers_;
  std::vector<Class> classes_;
  std::vector<SiteKind> sites_;
  std::vector<KnownShape> shapes_;
  std::map<Shape, std::uint32_t> shape_index_;
  std::size_t bytes_ = 0;
  std::uint64_t blocks_ = 0;
};

}  // namespace warplens::analysis
