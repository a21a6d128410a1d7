// How often all blocks of a grid read and write each element of its buffers: exact, whatever the size, from
// the blocks that stand for the others. And what else is counted of all blocks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/base/block_classes.h"
#include "kernels/recording/recording.h"
#include "viz/analysis/divergence.h"
#include "viz/analysis/grid_history.h"
#include "viz/analysis/grid_sectors.h"
#include "viz/analysis/reuse.h"

namespace warplens::analysis {

class GridCounts {
 public:
  enum class Access : std::uint8_t { read, write };

  using Cells = ElementCells;
  static constexpr std::uint32_t kMaxCells = Cells::kMax;

  GridCounts(Dim3 grid, const std::vector<Buffer>& buffers);

  /// Adds the blocks of a class by the events of the one that they behave as,
  /// recording.event_blocks[event_block]. `shifts`: by site, by how many bytes its addresses move from one
  /// block to the next. False where that cannot be done: the accesses are scattered over too many elements,
  /// or move by parts of one.
  [[nodiscard]] bool add(const Recording& recording, std::uint32_t event_block, const BlockClass& alike,
                         std::span<const Shift> shifts);
  /// Adds the recorded blocks by their events; false as above. Many small recordings can be added.
  [[nodiscard]] bool add(const Recording& recording);
  /// Makes the cells, after all has been added; false if it was cancelled.
  [[nodiscard]] bool finish(const std::atomic<bool>* cancelled = nullptr);

  /// How many have been added.
  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
  /// Returns the count of one element (row * pitch + column).
  [[nodiscard]] std::uint64_t count(std::uint32_t buffer, Access access, std::uint64_t element) const;
  [[nodiscard]] const Cells& cells(std::uint32_t buffer, Access access) const;
  /// Which sectors the blocks touch, after `finish`; null if some blocks have not been added, or that was too
  /// much to keep.
  [[nodiscard]] const std::shared_ptr<const GridSectors>& sectors() const { return all_sectors_; }

  /// The lanes of the same blocks; null: not counted.
  [[nodiscard]] const std::shared_ptr<const Divergence>& divergence() const { return divergence_; }
  /// Who of all blocks touches an element; null where that was too much to keep, or blocks were counted one
  /// by one.
  [[nodiscard]] const std::shared_ptr<const GridHistory>& history() const { return history_; }
  void keep(std::shared_ptr<const Divergence> divergence, std::shared_ptr<const GridHistory> history) {
    divergence_ = std::move(divergence);
    history_ = std::move(history);
  }

 private:
  /// Neighbours that are accessed as often.
  struct Run {
    std::uint64_t first = 0, end = 0, count = 0;
  };
  /// So many blocks access what lies so many elements further.
  struct Moved {
    std::int64_t by = 0;
    std::uint64_t blocks = 0;
  };
  struct Part {
    std::vector<Run> runs;      ///< Ascending
    std::vector<Moved> blocks;  ///< Ascending
  };
  struct Touched {
    std::vector<std::shared_ptr<const Part>>
        parts;  ///< Shared with copies, which are made while more is counted
    Cells cells;
  };
  struct Band;
  /// `shift` in elements.
  [[nodiscard]] static std::vector<Moved> moved_blocks(const BlockClass& alike, const Shift& shift);
  [[nodiscard]] static std::vector<Run> runs_of(const ElementTable& table);
  [[nodiscard]] bool add(const std::vector<ElementCounts>& counts, const BlockClass& alike,
                         const Shift& shift);
  [[nodiscard]] static bool make_cells(const Buffer& buffer, Touched& touched,
                                       const std::atomic<bool>* cancelled);
  static void raise_cells(const Buffer& buffer, const Run& run, Cells& cells);
  [[nodiscard]] Touched& of(std::uint32_t buffer, Access access) {
    return touched_[buffer * 2 + (access == Access::write ? 1 : 0)];
  }
  [[nodiscard]] const Touched& of(std::uint32_t buffer, Access access) const {
    return touched_[buffer * 2 + (access == Access::write ? 1 : 0)];
  }

  std::vector<Buffer> buffers_;
  std::vector<Touched> touched_;          ///< By buffer: reads, writes
  std::shared_ptr<GridSectors> sectors_;  ///< Shared with copies; null once it was too much
  std::shared_ptr<const GridSectors> all_sectors_;
  std::shared_ptr<const Divergence> divergence_;
  std::shared_ptr<const GridHistory> history_;
  std::size_t runs_ = 0;  ///< In all parts
  std::uint64_t blocks_ = 0;
};

}  // namespace warplens::analysis
