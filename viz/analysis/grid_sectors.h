// Which sectors of global memory the blocks of a grid touch, however often: what memory below L1 has to
// deliver and to take at the least. Exact, whatever the size, from the blocks that stand for the others.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "kernels/base/block_classes.h"
#include "kernels/recording/recording.h"
#include "viz/analysis/reuse.h"

namespace warplens::analysis {

class GridSectors {
 public:
  /// An atomic reads and writes.
  struct Sectors {
    std::uint64_t read = 0, written = 0;
    std::uint64_t only_read = 0;  ///< Read, and written by none of the same blocks
    friend bool operator==(const Sectors&, const Sectors&) = default;
  };

  GridSectors(Dim3 grid, const std::vector<Buffer>& buffers);

  /// Adds what the sites of one shift access in the blocks of a class: `counts` are those of the block that
  /// they behave as, `shift` says by how many bytes they move from one block to the next. False where that
  /// cannot be done: the accesses are scattered over too many elements.
  [[nodiscard]] bool add(const std::vector<ElementCounts>& counts, const BlockClass& alike,
                         const Shift& shift);
  /// Adds the blocks that the recording has the events of; false as above. `elements`: told what each of them
  /// touches; may be null.
  [[nodiscard]] bool add(const Recording& recording, ElementSums* elements = nullptr);

  /// Returns the number of blocks of the grid.
  [[nodiscard]] std::uint64_t blocks() const { return grid_.count(); }
  /// Whether every block of the grid has been added.
  [[nodiscard]] bool complete() const { return blocks_added_ == grid_.count(); }
  /// The sectors that each `blocks` consecutive blocks touch, every one counted once, added up: 1: as if a
  /// block kept what it has fetched and found nothing that others have; all of them: every sector once. Call
  /// when complete; from any thread. nullopt: that takes too long to count.
  [[nodiscard]] std::optional<Sectors> once_each(std::uint64_t blocks) const;

 private:
  enum class Kind : std::uint8_t { read, written };
  /// Bytes of a buffer, from its beginning.
  struct Run {
    std::int64_t first = 0, end = 0;
  };
  /// What the blocks of a class touch of a buffer by accesses that move alike.
  struct Piece {
    std::uint32_t buffer = 0;
    Kind kind = Kind::read;
    Shift shift;            ///< In bytes
    std::vector<Run> runs;  ///< Of the block that the class is like; ascending, apart
  };
  struct Class {
    Dim3 like;
    std::vector<Piece> pieces;
  };
  /// Blocks [first, end) of a row of the grid, all of one class.
  struct RowPart {
    std::uint64_t row = 0;
    std::uint32_t first = 0, end = 0, of_class = 0;
  };
  class SectorSet;
  class Counter;

  [[nodiscard]] Class& class_of(const BlockClass& alike);

  Dim3 grid_;
  std::vector<Buffer> buffers_;
  std::vector<Class> classes_;
  std::vector<RowPart> parts_;
  std::uint64_t blocks_added_ = 0;
  std::size_t runs_ = 0;

  mutable std::mutex counting_;
  mutable std::map<std::uint64_t, std::optional<Sectors>> counted_;  ///< By blocks
};

}  // namespace warplens::analysis
