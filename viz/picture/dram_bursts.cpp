#include "viz/picture/dram_bursts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernels/base/texts.h"
#include "viz/analysis/bursts.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/lanes.h"

namespace warplens::picture {
namespace {

using analysis::Burst;
using analysis::kBurstBytes;

constexpr float kLowestBurst = 7, kTallestBurst = 30, kNarrowestBurst = 12, kWidestBurst = 90, kBeside = 560;
constexpr std::uint64_t kBytesARow = 1024;  ///< Where there is no matrix
constexpr std::int64_t kRowsAround = 3;
constexpr float kBurstsSentence = 66;  ///< Ems of one line

/// Memory as it is drawn: rows of so many bytes.
struct Rows {
  std::string name;  ///< "A"; empty: no buffer
  std::uint64_t elements_a_row =
      1;  ///< Where its rows are no rows of a matrix they are called by their first elements
  std::uint64_t columns = 0;  ///< Of the matrix whose elements these are; 0: it is none
  std::uint64_t base = 0, bytes = kBytesARow, count = 0;

  /// "A[12]": a row of a matrix; "A[12][40]", "v[256]": the element that a row begins with.
  [[nodiscard]] std::string name_of(std::uint64_t row) const {
    const std::uint64_t first = row * elements_a_row;
    return columns == 0 ? fmt::format("{}[{}]", name, first)
                        : fmt::format("{}[{}][{}]", name, first / columns, first % columns);
  }
  [[nodiscard]] std::uint64_t row_of(std::uint64_t address) const { return (address - base) / bytes; }
  [[nodiscard]] std::uint64_t burst_in_row(std::uint64_t address) const {
    return (address - base) % bytes / kBurstBytes;
  }
  [[nodiscard]] std::uint64_t bursts_a_row() const { return (bytes + kBurstBytes - 1) / kBurstBytes; }
};

/// A matrix whose rows are whole bursts lies there as it is; what else there is, in rows of 1 KiB.
Rows rows_of(const Recording& recording, const std::vector<Burst>& bursts) {
  const std::uint64_t lowest = bursts.front().address;
  for (const Buffer& buffer : recording.buffers) {
    if (lowest < buffer.base || lowest - buffer.base >= buffer.bytes) continue;
    const std::uint64_t pitch = buffer.pitch * static_cast<std::uint64_t>(size_of(buffer.type));
    const bool whole = buffer.rows > 1 && pitch != 0 && pitch % kBurstBytes == 0;
    const std::uint64_t bytes = whole ? pitch : kBytesARow;
    const std::uint64_t elements = whole ? 1 : bytes / static_cast<std::uint64_t>(size_of(buffer.type));
    const std::uint64_t columns = !whole && buffer.rows > 1 ? buffer.pitch : 0;
    return {buffer.name, elements, columns, buffer.base, bytes, (buffer.bytes + bytes - 1) / bytes};
  }
  return {{}, 1, 0, lowest / kBytesARow * kBytesARow, kBytesARow, 0};
}

/// The part of memory that is drawn.
struct Window {
  std::vector<std::uint64_t>
      rows;  ///< Neighbours, or those alone that are touched where they lie too far apart
  std::uint64_t first_burst = 0, bursts = 0;
};

Window window_of(const Rows& rows, const std::vector<Burst>& bursts, std::size_t max_rows,
                 std::uint64_t max_bursts) {
  std::set<std::uint64_t> touched;
  std::uint64_t min = rows.bursts_a_row(), greatest = 0;
  for (const Burst& burst : bursts) {
    touched.insert(rows.row_of(burst.address));
    min = std::min(min, rows.burst_in_row(burst.address));
    greatest = std::max(greatest, rows.burst_in_row(burst.address));
  }
  Window window;
  const auto first = static_cast<std::int64_t>(*touched.begin()),
             last = static_cast<std::int64_t>(*touched.rbegin());
  if (static_cast<std::size_t>(last - first) < max_rows) {
    const std::int64_t around =
        std::min<std::int64_t>(kRowsAround, (static_cast<std::int64_t>(max_rows) - (last - first + 1)) / 2);
    const std::int64_t end = rows.count == 0 ? last + 1 : static_cast<std::int64_t>(rows.count);
    for (std::int64_t row = std::max<std::int64_t>(first - around, 0);
         row < std::min(last + around + 1, std::max(end, last + 1)); ++row) {
      window.rows.push_back(static_cast<std::uint64_t>(row));
    }
  } else {
    for (const std::uint64_t row : touched) {
      if (window.rows.size() < max_rows) window.rows.push_back(row);
    }
  }
  window.bursts = std::min(rows.bursts_a_row(), max_bursts);
  const std::uint64_t middle = (min + greatest) / 2, half = window.bursts / 2;
  window.first_burst = std::min(middle > half ? middle - half : 0, rows.bursts_a_row() - window.bursts);
  return window;
}

std::size_t rows_touched(const Rows& rows, const std::vector<Burst>& bursts) {
  std::set<std::uint64_t> touched;
  for (const Burst& burst : bursts) touched.insert(rows.row_of(burst.address));
  return touched.size();
}

/// Each byte that a lane touches where it lies; the rest comes along.
void draw_burst(Canvas& canvas, Rect box, const Burst& burst) {
  const Palette& palette = canvas.palette();
  const bool whole = burst.used_bytes() == static_cast<int>(kBurstBytes);
  canvas.fill(box, with_alpha(whole ? palette.good : palette.costly, whole ? 0.85f : 0.28f), 1.5f);
  if (!whole) {
    for (std::uint32_t byte = 0; byte < kBurstBytes;) {
      std::uint32_t end = byte;
      while (end < kBurstBytes && (burst.used >> end & 1) != 0) ++end;
      if (end > byte) {
        const float step = box.width / kBurstBytes;
        canvas.fill({box.x + step * static_cast<float>(byte), box.y,
                     std::max(step * static_cast<float>(end - byte), canvas.px(1.5f)), box.height},
                    palette.good, 1);
      }
      byte = std::max(end, byte + 1);
    }
  }
  canvas.region(box, {},
                tr_n(static_cast<std::uint64_t>(burst.used_bytes()),
                     "Burst at {address}: {n} of 64 bytes used, by {lanes}",
                     "Burst at {address}: {n} of 64 bytes used, by {lanes}",
                     "address"_a = hexadecimal(burst.address), "lanes"_a = lanes_name(burst.lanes)));
}

/// The bursts that one access of a recording opens.
struct Opened {
  const Recording& recording;
  const std::vector<Burst>& bursts;
};

/// Rows and bursts a row that are drawn in a box, beyond their labels.
Window window_in(const Canvas& canvas, Rect box, const Rows& rows, const std::vector<Burst>& bursts) {
  const auto max_rows = static_cast<std::size_t>(std::max(box.height / canvas.px(kLowestBurst), 1.0f));
  const auto max_bursts = static_cast<std::uint64_t>(std::max(box.width / canvas.px(kNarrowestBurst), 1.0f));
  return window_of(rows, bursts, max_rows, max_bursts);
}

/// Bursts are as large as those of `beside`, where that is not null.
void draw_memory(Canvas& canvas, Rect box, const Opened& opened, const std::string& title, bool costly,
                 const Opened* beside = nullptr) {
  const auto& [recording, bursts] = opened;
  const Palette& palette = canvas.palette();
  canvas.fitted(cut_top(box, canvas.line_height(kSmallSize + 1)), {title},
                {costly ? palette.costly : palette.good, kSmallSize + 1, Font::sans_bold, Align::left});
  if (bursts.empty() || box.height < canvas.px(kLowestBurst)) return;
  const Rows rows = rows_of(recording, bursts);
  const float label =
      canvas.width_of(rows.columns == 0 ? "A[16383]" : "A[16383][999]", canvas.muted()) + canvas.px(6);
  const Rect labels = cut_left(box, std::min(label, box.width * 0.3f));
  Window window = window_in(canvas, box, rows, bursts);
  if (const std::size_t touched = rows_touched(rows, bursts); touched > window.rows.size()) {
    const Rect more = cut_bottom(box, canvas.line_height(kSmallSize));
    window = window_in(canvas, box, rows, bursts);
    canvas.fitted(more, {tr_n(touched - window.rows.size(), "and {n} more", "and {n} more")}, canvas.muted());
  }
  std::size_t rows_drawn = window.rows.size();
  std::uint64_t bursts_drawn = window.bursts;
  if (beside != nullptr && !beside->bursts.empty()) {
    const Window other = window_in(canvas, box, rows_of(beside->recording, beside->bursts), beside->bursts);
    rows_drawn = std::max(rows_drawn, other.rows.size());
    bursts_drawn = std::max(bursts_drawn, other.bursts);
  }
  const float tallest = std::max(canvas.px(kTallestBurst), box.height * 0.14f),
              widest = std::max(canvas.px(kWidestBurst), box.width * 0.08f);
  const float height = std::min(box.height / static_cast<float>(rows_drawn), tallest);
  const float width = std::min(box.width / static_cast<float>(bursts_drawn), widest);
  const float gap = std::min({canvas.px(1.5f), height / 6, width / 6});
  for (std::size_t i = 0; i < window.rows.size(); ++i) {
    const float top = box.y + height * static_cast<float>(i);
    for (std::uint64_t burst = 0; burst < window.bursts; ++burst) {
      canvas.fill(
          {box.x + width * static_cast<float>(burst) + gap / 2, top + gap / 2, width - gap, height - gap},
          with_alpha(palette.line, 0.5f), 1.5f);
    }
    const bool has_room = height >= canvas.px(kSmallSize + 1) || i % 4 == 0;
    const std::string name = rows.name.empty() ? hexadecimal(rows.base + window.rows[i] * rows.bytes)
                                               : rows.name_of(window.rows[i]);
    if (has_room)
      canvas.fitted({labels.x, top, labels.width, std::max(height, canvas.px(kSmallSize))}, {name},
                    canvas.muted(kSmallSize - 1));
  }
  for (const Burst& burst : bursts) {
    const auto row = std::ranges::find(window.rows, rows.row_of(burst.address));
    const std::uint64_t place = rows.burst_in_row(burst.address);
    if (row == window.rows.end() || place < window.first_burst || place >= window.first_burst + window.bursts)
      continue;
    const float top = box.y + height * static_cast<float>(row - window.rows.begin());
    draw_burst(canvas,
               {box.x + width * static_cast<float>(place - window.first_burst) + gap / 2, top + gap / 2,
                width - gap, height - gap},
               burst);
  }
}

std::uint64_t used_of(const std::vector<Burst>& bursts) {
  std::uint64_t used = 0;
  for (const Burst& burst : bursts) used += static_cast<std::uint64_t>(burst.used_bytes());
  return used;
}

std::string bursts_in_words(std::size_t bursts) {
  return tr_n(bursts, "{n} burst", "{n} bursts");
}

std::string sentence_of(const std::vector<Burst>& opened, const std::vector<Burst>& turned) {
  const std::uint64_t used = used_of(opened), delivered = opened.size() * kBurstBytes;
  std::string what = tr("DRAM delivers whole bursts: {used} of {delivered} bytes are used",
                        "used"_a = with_thousands(used), "delivered"_a = with_thousands(delivered));
  if (turned.size() >= opened.size()) return what;
  return tr("{what}; neighbouring lanes on neighbouring elements would open {n}", "what"_a = what,
            "n"_a = turned.size());
}

}  // namespace

Picture make_dram_bursts(const Moment& moment, Size size, const Style& style, const Moment* beside) {
  const auto event = moment.nearest({Space::global});
  if (!event) {
    if (moment.recording->events.size() == 0) return no_events_picture(tr("DRAM bursts"), size, style);
    return empty_picture(tr("DRAM bursts"),
                         tr("Warp {warp} makes no access to global memory.", "warp"_a = moment.warp),
                         tr("Choose another warp or block."), size, style);
  }
  const analysis::WarpAccess access = moment.access(*event);
  const std::vector<Burst> opened = analysis::bursts_of(access),
                           turned = analysis::bursts_of(analysis::corner_turned(access));
  const std::uint64_t used = used_of(opened), min = (used + kBurstBytes - 1) / kBurstBytes;
  const bool costly = opened.size() > min;
  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("DRAM bursts"), moment_name(moment, *event));
  Rect rest = canvas.inside();
  const std::string sentence = sentence_of(opened, turned);
  canvas.say(sentence);
  draw_sentence(canvas, rest, sentence, kBurstsSentence);
  const double share =
      opened.empty() ? 100
                     : 100.0 * static_cast<double>(used) / static_cast<double>(opened.size() * kBurstBytes);
  draw_figure(
      canvas, cut_bottom(rest, figure_height(canvas, size.height)),
      {bursts_in_words(opened.size()), tr("A burst is what DRAM delivers at a time, taken as 64 bytes: it "
                                          "comes whole, however little of it is used.")},
      costly,
      {{tr("ideal {count}", "count"_a = min), tr("As many bursts as the bytes fill that some lane uses.")},
       tr("{share:.3g} % of what they deliver is used", "share"_a = share)});
  static_cast<void>(cut_bottom(rest, canvas.px(4)));
  const std::string name = access_name(moment, *event);
  if (beside == nullptr && turned.size() < opened.size() && size.width >= canvas.px(kBeside)) {
    draw_memory(canvas, cut_right(rest, rest.width * 0.42f), {*moment.recording, turned},
                tr("the corner turned: {bursts}", "bursts"_a = bursts_in_words(turned.size())),
                turned.size() > min);
    static_cast<void>(cut_right(rest, canvas.px(18)));
  }
  const auto other = beside != nullptr ? beside->nearest({Space::global}) : std::nullopt;
  const std::vector<Burst> opened_beside =
      other ? analysis::bursts_of(beside->access(*other)) : std::vector<Burst>();
  const Opened bursts_beside{beside != nullptr ? *beside->recording : *moment.recording, opened_beside};
  draw_memory(canvas, rest, {*moment.recording, opened}, name, costly, &bursts_beside);
  return canvas.take();
}

}  // namespace warplens::picture
