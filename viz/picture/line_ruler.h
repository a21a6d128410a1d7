// A ruler of 128-byte lines: the bytes that some lanes of an access touch, and what is fetched for them.
#pragma once

#include <cstdint>
#include <vector>

#include "viz/canvas/canvas.h"
#include "viz/picture/found.h"
#include "viz/picture/lanes.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// Where a buffer ends, or begins, beside which lanes were not let through.
struct BufferEdge {
  std::uint64_t address = 0;
  bool is_end = true;
  std::string words;  ///< "A ends"
};

/// What lies on a ruler: some lanes of an access to global or local memory, taken for themselves. Addresses
/// of local memory are those of the interleaved storage behind it.
struct RulerSubject {
  struct LaneBytes {
    int lane = 0;
    std::uint64_t begin = 0, end = 0;
    bool cut = false;  ///< It was not let through, and fetches nothing
  };
  const Recording* recording = nullptr;
  Space space = Space::global;
  AccessOp op = AccessOp::load;
  std::uint32_t lanes = 0;
  std::vector<LaneBytes> touched;  ///< Lanes ascending
  analysis::Coalescing coalescing;
  bool transactions_drawn =
      false;  ///< Below each line, those of it: where they are not all sectors, which the line's marks show
  std::size_t first_transaction = 0;  ///< How many of the access come before these
  FoundHere found;
  std::vector<BufferEdge> edges;
};
[[nodiscard]] RulerSubject ruler_subject(const Recording& recording, const analysis::WarpAccess& access,
                                         std::uint32_t lanes, analysis::ComputeCapability cc);

/// Marks what findings say, and adds the lines of lanes that were not let through.
void add_found(RulerSubject& subject, std::uint32_t lanes, const FoundHere& found);

/// The most distinct lines that one part of one access of the recording touches under these rules, up to
/// `enough`: how many a ruler has places for, at every step alike.
[[nodiscard]] std::size_t max_lines(const Recording& recording, analysis::ComputeCapability cc,
                                    std::size_t enough);

/// One line of the ruler: where it is drawn, and what it stands for.
struct LinePlace {
  Rect bar, transactions, label;
  std::uint64_t address = 0;
  [[nodiscard]] float x_of(std::uint64_t byte) const;
};
struct Ruler {
  RulerSubject subject;
  std::vector<LinePlace> places;
  Rect more;  ///< For what is left out
};
[[nodiscard]] Ruler lay_out_ruler(const Canvas& canvas, Rect box, RulerSubject subject,
                                  std::size_t lines_needed, const Highlight& highlight,
                                  bool with_curves = true);

/// The curves of the lanes to the lines of the first row, fading where they pass behind another ruler; then
/// what lies on it.
void draw_ruler_curves(Canvas& canvas, const Ruler& ruler, const LaneStrip& strip,
                       const Highlight& highlight);
void draw_ruler(Canvas& canvas, const Ruler& ruler, const LaneStrip* strip, const Highlight& highlight);

}  // namespace warplens::picture
