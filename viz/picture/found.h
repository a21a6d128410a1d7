// Findings at the access that is drawn: in words, on its lanes, and on what they touch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "viz/analysis/found.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/lanes.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// "access out of bounds": a kind of finding as a sentence says it.
[[nodiscard]] const char* words_for(FindingKind kind);

/// What findings say of one access; the chosen one first.
struct FoundHere {
  std::vector<analysis::Found> all;
  std::uint32_t lanes = 0;  ///< Of any of them
  std::uint32_t cut = 0;    ///< Of these, those that were not let through
  [[nodiscard]] bool any() const { return !all.empty(); }
};
/// `event` is of the moment; nullopt: the access of the moment's finding, which has none.
[[nodiscard]] FoundHere found_here(const Moment& moment, std::optional<std::size_t> event);
/// Whether these bytes, of some lanes, are what a finding is about.
[[nodiscard]] bool is_marked(const Recording& recording, const FoundHere& here, analysis::ByteRange bytes,
                             std::uint32_t lanes);

/// The other access's lane that touches them too, and the finding that says so.
struct Met {
  int lane = 0;
  const analysis::Found* found = nullptr;
};
[[nodiscard]] std::optional<Met> met_at(const Recording& recording, const FoundHere& here,
                                        analysis::ByteRange bytes, int lane);

/// Who is at fault, where, and of a race who the other one is.
[[nodiscard]] std::string found_in_words(const Recording& recording, const FoundHere& here);
/// Where a lane wanted to go that was not let through: "C[64], 0 B past the end of C (256 B)".
[[nodiscard]] std::string cut_lane_in_words(const Recording& recording, const FoundHere& here, int lane);
/// Where no lane accesses anything, because of that finding: "all lanes out of bounds".
[[nodiscard]] std::string all_cut_in_words(const Finding& finding);
/// place_name, and "C[64]" for an address behind C's end.
[[nodiscard]] std::string place_name_beyond(const Recording& recording, std::uint64_t address);
/// Its address, and how many bytes it wanted there.
[[nodiscard]] std::uint64_t cut_lane_address(const Recording& recording, const FoundHere& here, int lane);
[[nodiscard]] std::uint64_t cut_lane_bytes(const Recording& recording, const FoundHere& here, int lane);

/// "line 5 · global store · warp 1": its access, where it has no event.
[[nodiscard]] std::string found_name(const Finding& finding);
/// Draws the finding's sentence in place of the access's. For a race it leads to the other access.
void draw_found_sentence(Canvas& canvas, Rect& rest, const Recording& recording, const FoundHere& here);
/// On that box, which a text fills.
void add_found_region(Canvas& canvas, Rect box, const Recording& recording, const FoundHere& here);
/// A frame in the colour of what is wrong, to be seen on any lane's.
void mark(Canvas& canvas, Rect box);
/// The upper part of such a place inside the frame, which is the lane's own; all of it where nobody is met,
/// or there is no room for two.
[[nodiscard]] Rect own_part(const Canvas& canvas, Rect box, const std::optional<Met>& met);
/// The frame, and below the lane of the other access, which that part leads to.
void mark(Canvas& canvas, Rect box, const std::optional<Met>& met);
/// On the strip: lanes at fault are framed, those that were not let through hatched.
void mark_lanes(Canvas& canvas, const LaneStrip& strip, const Recording& recording, const FoundHere& here);

/// The access of the moment's finding, of the kind of memory that the view is of; nullptr: it has an event,
/// or none is chosen.
[[nodiscard]] const Finding* found_alone(const Moment& moment, std::initializer_list<Space> spaces);

}  // namespace warplens::picture
