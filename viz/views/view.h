// What a view is, and the registry of views: the window, `export`, the palette and the tests read it. To add
// one: a file in this folder that ends with a RegisterView. What is more than a picture in the window gets a
// widget besides (app/views/view.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "viz/analysis/results.h"
#include "viz/canvas/changes.h"
#include "viz/canvas/list_rows.h"
#include "viz/canvas/picture.h"
#include "viz/picture/moment.h"
#include "viz/picture/occupancy.h"
#include "viz/picture/rate_bars.h"

namespace warplens::viz {

struct View;

/// Another launch, where one looks at it.
struct Side {
  picture::Moment moment;
  const analysis::Results* results = nullptr;  ///< As those of a subject
  bool by_step = false;  ///< The k-th access of a phase stands for the k-th, whatever both are
};

/// What Compare draws of two launches, above what changed.
struct Drawn {
  const View* view = nullptr;
  bool difference = false;  ///< Of both, in place of the picture of each
  std::string place;        ///< What of their places does not correspond
};

/// What a view draws and lists.
struct Subject {
  picture::Moment moment;
  const analysis::Results* results = nullptr;  ///< Of the moment's recording and compute capability
  picture::Highlight highlight;
  std::optional<std::uint32_t>
      site;  ///< The instruction whose divergence is counted; nullopt: the first load from global memory
  // What is tried out in the window.
  std::optional<analysis::Arithmetic>
      arithmetic;               ///< Under another roof, with rates measured; nullopt: that of the results
  analysis::AccessTimes times;  ///< What shared memory gains is drawn for them
  std::optional<picture::OccupancyQuestion>
      occupancy;  ///< Of another launch or multiprocessor; nullopt: the launch, under the moment's rules
  std::vector<picture::Rate> rates;                 ///< Measured here, in GFLOP/s
  std::shared_ptr<const picture::Changes> changes;  ///< Against another launch
  /// Index into Facts::matrix_instructions; nullopt: the one nearest to the moment's access.
  std::optional<std::size_t> matrix_instruction;
  std::shared_ptr<const BlockDetails> details;  ///< Of the moment's block and warp; null: not known
  /// What a GPU counted for the moment's nearest accesses to shared memory, and to global or local memory.
  /// nullopt: no GPU counted.
  std::optional<picture::Counted> counted_shared, counted_global;
  std::optional<Side> beside;  ///< The launch that it is compared with: pictures of both are to one scale
  std::optional<Drawn> drawn;  ///< Of the subject and what is beside it
  std::optional<std::size_t>
      first_row;  ///< Of a list higher than its picture; nullopt: so that the current one is in sight

  [[nodiscard]] const Recording& recording() const { return *moment.recording; }
  [[nodiscard]] const picture::Moment* moment_beside() const { return beside ? &beside->moment : nullptr; }
  [[nodiscard]] const analysis::Results* results_beside() const { return beside ? beside->results : nullptr; }
};

/// Where a view lies in the layout of a first start.
enum class Place : unsigned char { left, middle_top, middle_bottom, right_top, right_bottom };

struct View {
  std::string_view
      id;  ///< "banks": stable. `export` takes it, the kept layout and the tests name the view by it
  const char* title;           ///< marked("Banks"): of the panel and in menus, shown by tr()
  const char* shows;           ///< One sentence, likewise
  std::optional<Place> place;  ///< nullopt: it has no panel of its own
  int rank = 0;                ///< Order in menus, and of tabs in one place: the lowest is in front
  bool needs_recording = true;
  bool of_two = false;    ///< Of two launches: `compare` draws it, and not `export`
  bool of_grid = false;   ///< Where the recorded blocks are not all, it is of Results::grid_counts
  bool measures = false;  ///< Shows what this machine does, which is measured while the view is in sight
  bool edits = false;     ///< Becomes an editor of the source
  bool presented_first = false;  ///< What a presentation begins with where no panel has been chosen
  /// Whether it draws Subject::details of a recording, for which the block is replayed once more. nullptr: of
  /// none.
  bool (*needs_details)(const Recording& recording, const analysis::Facts& facts) = nullptr;
  bool of_cluster = false;  ///< Those details are of all blocks of the block's cluster
  /// The access that it draws. nullptr: the selected one.
  std::optional<std::size_t> (*draws_access)(const picture::Moment& moment) = nullptr;
  /// Whether a recording brings it to the front of its place, where another recording brings the first view
  /// of that place back. nullptr: none does.
  bool (*in_front)(const Recording& recording) = nullptr;
  picture::Picture (*make)(const Subject& subject, picture::Size size,
                           const picture::Style& style) = nullptr;  ///< nullptr: it has no picture
  /// What a lesson shows instead while the question whose answer the picture tells is open. nullptr: nothing.
  picture::Picture (*make_covered)(const Subject& subject, picture::Size size,
                                   const picture::Style& style) = nullptr;
  /// What a subject has more and less of than the launch beside it. nullptr: there is no picture of a
  /// difference.
  picture::Picture (*difference)(const Subject& subject, picture::Size size,
                                 const picture::Style& style) = nullptr;
  /// The rows of that picture, of which it shows as many as fit. nullptr: it shows all at any height.
  picture::ListRows (*difference_rows)(const Subject& subject, const picture::Style& style) = nullptr;
  /// Comma-separated values with a header line; empty, without even that, where there is more than is
  /// counted. nullptr: it has no table.
  std::string (*table)(const Subject& subject) = nullptr;
  /// A trace for Perfetto and Chrome's trace viewer, as JSON. nullptr: it has none.
  std::string (*trace)(const Subject& subject) = nullptr;

  /// Whether `export` takes it: something is drawn or listed of a recording.
  [[nodiscard]] bool exported() const {
    return needs_recording && !of_two && (make != nullptr || table != nullptr);
  }
};

/// All views, by rank.
[[nodiscard]] const std::vector<View>& views();
/// nullptr: there is none.
[[nodiscard]] const View* find_view(std::string_view id);

/// Registration in one line beside the definition. A duplicate id aborts with a message.
struct RegisterView {
  explicit RegisterView(const View& view);
};

/// A cell of a table that says `of`, quoted where it must be (RFC 4180). Its text is on one line, with
/// control characters as escapes.
[[nodiscard]] std::string cell(std::string_view of);

}  // namespace warplens::viz
