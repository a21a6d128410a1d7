// Per element of a buffer: how often the recorded blocks read and wrote it, and by whom.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/recording/recording.h"
#include "viz/analysis/element_table.h"

namespace warplens::analysis {

/// A buffer as a picture shows it: at most `kMost` rows and columns of cells, each as hot as the hottest of
/// its elements.
struct ElementCells {
  static constexpr std::uint32_t kMax = 512;
  std::uint32_t rows = 0, columns = 0;
  std::vector<std::uint64_t> max;  ///< Row-major; 0: none of its elements is accessed
  std::uint64_t max_of_all = 0;
  bool even = false;  ///< Every element of the buffer, padding included, is accessed as often
};

struct ElementCounts {
  std::uint32_t buffer = 0;
  ElementTable reads,
      writes;  ///< rows x pitch of the buffer, row-major; by lane: 32 lanes reading one element count 32
  std::uint32_t max_reads = 0, max_writes = 0;
  std::optional<ElementCells> read_cells,
      written_cells;     ///< Of a buffer that is larger than they are, once made
  bool complete = true;  ///< Else the accesses are scattered over more elements than are counted, and none is
};
/// By buffer, from the events, so for the event blocks only. An atomic counts as a read and a write. What is
/// kept grows with the events, not with what the recording says of its buffers.
[[nodiscard]] std::vector<ElementCounts> element_counts(const Recording& recording);
/// The same of one of the event blocks, and of those sites.
[[nodiscard]] std::vector<ElementCounts> element_counts(const Recording& recording, std::uint32_t event_block,
                                                        const std::vector<bool>& sites);

/// Makes the cells of large buffers.
void make_cells(const Recording& recording, std::vector<ElementCounts>& counts);

/// Adds up the counts of blocks. Of all of a recording's event blocks they are element_counts(recording).
class ElementSums {
 public:
  explicit ElementSums(const Recording& recording);
  void add(const std::vector<ElementCounts>& counts);
  [[nodiscard]] std::vector<ElementCounts> take();

 private:
  std::vector<ElementCounts> counts_;
  std::uint64_t pages_;  ///< That may still be made
  bool complete_ = true;
};

struct Touch {
  std::size_t event = 0;
  int lane = 0;
};
/// Every touch of one element (row * pitch + column) in event order; at most `limit`.
[[nodiscard]] std::vector<Touch> history(const Recording& recording, std::uint32_t buffer,
                                         std::uint64_t element, std::size_t limit = 10000);

/// The buffer that holds an address, and the element there; false if none.
struct ElementPlace {
  std::uint32_t buffer = 0;
  std::uint64_t row = 0, column = 0;
  friend bool operator==(const ElementPlace&, const ElementPlace&) = default;
};
[[nodiscard]] bool locate(const Recording& recording, std::uint64_t address, ElementPlace& place);
/// The same where it is known which buffer that is; nullptr: none.
[[nodiscard]] bool locate_in(const Recording& recording, const Buffer* buffer, std::uint64_t address,
                             ElementPlace& place);

/// What lies in a 4-byte word of shared memory: the global element it was filled from, as far as
/// Site::value_from tells (the same lane's latest load by that site that the store has not stored before, or
/// the other side of a cp.async). A lane that did not load anew stored a constant.
struct SharedWord {
  bool written = false, from_global = false;
  ElementPlace source;
  std::uint32_t elements = 1;                   ///< Of the source's row, from it on, that lie in the word
  std::uint32_t warp = 0, lane = 0, phase = 0;  ///< Who wrote it
  std::uint32_t landed = 0;  ///< Phase from which the value is there; of an asynchronous copy a later one
};
/// By word, after all of the block's events of phases < `phase`, and those of `phase` itself too if
/// `including`.
[[nodiscard]] std::vector<SharedWord> shared_contents(const Recording& recording, std::uint32_t event_block,
                                                      std::uint32_t phase, bool including);

}  // namespace warplens::analysis
