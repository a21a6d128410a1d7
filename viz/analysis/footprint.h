// What a block has touched of each buffer and what its shared memory holds, seen from one phase of it: what
// it touched before, now, and will write.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kernels/recording/recording.h"
#include "viz/analysis/reuse.h"

namespace warplens::analysis {

/// Half-open box of elements; empty if no element is in it.
struct ElementBox {
  std::uint64_t row_begin = ~std::uint64_t{0}, row_end = 0, column_begin = ~std::uint64_t{0}, column_end = 0;
  [[nodiscard]] bool empty() const { return row_begin >= row_end; }
  void include(std::uint64_t row, std::uint64_t column);
  void include(const ElementBox& box);
  friend bool operator==(const ElementBox&, const ElementBox&) = default;
};
/// "A[96..127][32..63]", "A[3][5]", for a buffer of one row "data[0..31]".
[[nodiscard]] std::string box_name(const Buffer& buffer, const ElementBox& box);

/// What a recorded block writes of a buffer, in any phase.
[[nodiscard]] ElementBox written_by(const Recording& recording, std::uint32_t event_block,
                                    std::uint32_t buffer);

/// What a cell of a footprint may be, weakest first; as floats, so that they are drawn as they lie.
/// `untouched` is no number.
struct Mark {
  static constexpr float untouched = std::numeric_limits<float>::quiet_NaN(), written_later = 0,
                         before = 0.5f, now = 1;
};

struct BufferFootprint {
  std::uint32_t rows = 0, columns = 0;  ///< Cells: an element each, or several of a big matrix
  std::shared_ptr<const std::vector<float>>
      marks;  ///< rows x columns: the strongest Mark that holds of any of the cell's elements
  ElementBox read_now, written_now;  ///< Of this phase's accesses to global memory
  ElementBox held_now;               ///< Of what came from here to shared memory, and is read there now
  [[nodiscard]] ElementBox now() const;
};

/// Matrices of more rows or columns are drawn with several elements a cell.
inline constexpr std::uint32_t kMaxFootprintCells = 256;

struct PhaseState {
  std::vector<SharedWord> shared;           ///< shared_contents, the phase itself included
  std::vector<BufferFootprint> footprints;  ///< By buffer
};

/// Phases of the blocks of one recording. What was worked out for one is kept for the next: of another step
/// of a phase there is nothing to do, and of a later phase only what lies between. Any thread may ask.
class PhaseFollower {
 public:
  PhaseFollower();
  ~PhaseFollower();
  PhaseFollower(const PhaseFollower&) = delete;
  PhaseFollower& operator=(const PhaseFollower&) = delete;

  [[nodiscard]] std::shared_ptr<const PhaseState> at(const Recording& recording, std::uint32_t event_block,
                                                     std::uint32_t phase);
  /// As the function of that name.
  [[nodiscard]] ElementBox written_by(const Recording& recording, std::uint32_t event_block,
                                      std::uint32_t buffer);

 private:
  class Block;
  std::mutex mutex_;
  std::unique_ptr<Block> block_;                                           ///< That was asked for last
  std::map<std::pair<std::uint32_t, std::uint32_t>, ElementBox> written_;  ///< By event block and buffer
};

}  // namespace warplens::analysis
