#include "viz/picture/cluster/cluster_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "kernels/base/texts.h"
#include "viz/picture/cluster/cluster_columns.h"
#include "viz/picture/lanes.h"
#include "viz/picture/role_timeline.h"

namespace warplens::picture {
namespace {

using analysis::ClusterBlock;
using analysis::ClusterBlocks;
using analysis::ClusterCopy;
using analysis::PartState;

constexpr float kNames = 130, kColumnGap = 26, kNarrowestColumn = 110, kHeading = 20, kLine = 16,
                kTallestPart = 96, kShortestPart = 9, kLinks = 14, kTallestMbarrier = 22,
                kShortestMbarrier = 11, kGap = 8, kLanes = 16,
                kMostOfRow = 0.35f;  ///< That links take

bool has_links(const ClusterBlocks& cluster) {
  return std::ranges::any_of(cluster.blocks, [](const ClusterBlock& block) {
    return !block.accesses.empty() || std::ranges::any_of(block.copies, [](const ClusterCopy& copy) {
      return std::popcount(copy.ranks) > 1;
    });
  });
}

std::string sentence_of(const ClusterBlocks& cluster) {
  const std::string blocks = tr_n(cluster.blocks.size(), "{n} block", "{n} blocks");
  std::uint64_t issued = 0, copied = 0;
  std::size_t accesses = 0;
  for (const ClusterBlock& block : cluster.blocks) {
    issued += block.bytes_issued;
    copied += block.bytes_copied;
    accesses += block.accesses.size();
  }
  const auto missing = static_cast<std::uint32_t>(cluster.blocks.size()) - cluster.recorded();
  std::string words;
  if (copied > issued)
    words = tr("{blocks} copy {issued} bytes and get {copied}: some copies go to several blocks.",
               "blocks"_a = blocks, "issued"_a = with_thousands(issued), "copied"_a = with_thousands(copied));
  else if (accesses != 0)
    words = tr("{blocks} access each other's shared memory: {accesses}.", "blocks"_a = blocks,
               "accesses"_a = tr_n(accesses, "{n} access", "{n} accesses"));
  else
    words =
        tr("{blocks} run together; no copy goes to several of them, and none accesses another's shared "
           "memory.",
           "blocks"_a = blocks);
  if (missing != 0)
    words += " " + tr_n(missing, "{n} block is not in the recording: what it does is missing.",
                        "{n} blocks are not in the recording: what they do is missing.");
  return words;
}

/// In as many lines as it takes.
void draw_states(Canvas& canvas, Rect& rest) {
  constexpr PartState kShown[] = {PartState::in_flight, PartState::being_stored, PartState::complete,
                                  PartState::being_read, PartState::was_read};
  const TextLook look = canvas.muted();
  const float square = canvas.px(18), gap = canvas.px(12), line = canvas.px(18);
  std::vector<std::vector<PartState>> lines(1);
  float left = rest.width;
  for (const PartState state : kShown) {
    const float width = square + canvas.width_of(part_state_name(state), look) + gap;
    if (width > left && !lines.back().empty()) {
      lines.emplace_back();
      left = rest.width;
    }
    left -= width;
    lines.back().push_back(state);
  }
  Rect all = cut_bottom(rest, line * static_cast<float>(lines.size()));
  for (const std::vector<PartState>& states : lines) {
    Rect row = cut_top(all, line);
    for (const PartState state : states) {
      const std::string name = part_state_name(state);
      draw_state(canvas, inset(cut_left(row, square), canvas.px(2), canvas.px(4)), state);
      canvas.fitted(cut_left(row, canvas.width_of(name, look) + gap), {name}, look);
    }
  }
}

/// Draws the rows of the picture over all columns, from the top of what is left.
class ClusterRows {
 public:
  ClusterRows(Canvas& canvas, const Moment& moment, const ClusterBlocks& cluster, ClusterColumns columns,
              std::uint32_t step)
      : canvas_(canvas),
        moment_(moment),
        cluster_(cluster),
        columns_(std::move(columns)),
        step_(step),
        mbarriers_(mbarriers_of(cluster)),
        selected_(selected_parts(moment, cluster)) {}

  void draw_headings(Rect& rest) {
    const Rect heading = cut_top(rest, canvas_.px(kHeading)), line = cut_top(rest, canvas_.px(kLine)),
               activity = cut_top(rest, canvas_.px(kLine));
    for (const auto& [rank, box] : columns_.places) {
      const ClusterBlock& block = cluster_.blocks[rank];
      const Rect whole{box.x, heading.y, box.width, activity.bottom() - heading.y};
      const bool is_selected = rank == cluster_.rank;
      if (is_selected)
        canvas_.outline(inset(whole, -canvas_.px(3)), canvas_.palette().accent, canvas_.px(1.5f), 3);
      const std::string name = tr("rank {rank}", "rank"_a = rank), place = block_name(block.block);
      const TextLook look{is_selected ? canvas_.palette().accent : canvas_.palette().text, kBaseSize,
                          Font::sans_bold};
      const auto in = [&, inside = inset(box, canvas_.px(4), 0)](Rect row) {
        return Rect{inside.x, row.y, inside.width, row.height};
      };
      canvas_.fitted(in(heading), {tr("{rank} · {block}", "rank"_a = name, "block"_a = place), name}, look);
      canvas_.region(whole, {Target::Kind::block, block.block.x, block.block.y}, figures_of(block));
      if (!block.event_block) {
        canvas_.fitted(in(line), {tr("not in the recording")}, canvas_.muted());
        continue;
      }
      const std::uint64_t bytes = bytes_in_flight(cluster_, rank, step_);
      canvas_.fitted(in(line),
                     {tr_n(bytes, "{n} byte in flight", "{n} bytes in flight"), with_thousands(bytes)},
                     canvas_.muted());
      const Activity now = activity_of(block, rank, step_);
      canvas_.fitted(in(activity), {now.words, now.brief},
                     now.is_now ? canvas_.plain(kSmallSize) : canvas_.muted());
    }
    static_cast<void>(cut_top(rest, canvas_.px(6)));
  }

  /// The lanes of each block's access of another block's shared memory.
  void draw_lanes(Rect& rest) {
    const bool has_any = std::ranges::any_of(
        cluster_.blocks, [](const ClusterBlock& block) { return !block.accesses.empty(); });
    if (!has_any) return;
    const Rect row = cut_top(rest, canvas_.px(kLanes));
    name(row, tr("lanes"));
    for (const auto& [rank, box] : columns_.places)
      draw_lanes_of_access(canvas_, {box.x, row.y, box.width, row.height}, cluster_.blocks[rank], step_);
    static_cast<void>(cut_top(rest, canvas_.px(6)));
  }

  void draw_parts(Rect& rest) {
    const bool links = has_links(cluster_);
    const float link = links ? canvas_.px(kLinks) : canvas_.px(3);
    const float row = std::min(canvas_.px(kTallestPart) + link,
                               (rest.height - mbarriers_height(rest.height)) /
                                   static_cast<float>(std::max<std::size_t>(cluster_.rows.size(), 1)));
    for (const analysis::PartRow& of : cluster_.rows) {
      Rect place = cut_top(rest, std::max(row, canvas_.px(kShortestPart)));
      if (place.height < canvas_.px(kShortestPart)) break;
      const Rect below = cut_bottom(place, std::min(link, place.height * kMostOfRow));
      name(place, part_name(*moment_.recording, cluster_.parts[of.parts.front()].offset));
      for (const auto& [rank, box] : columns_.places) {
        if (cluster_.blocks[rank].event_block) draw_row(rank, of, {box.x, place.y, box.width, place.height});
      }
      if (links) draw_links(canvas_, cluster_, columns_, of, below, step_);
    }
  }

  void draw_mbarriers(Rect rest, float height) {
    if (height == 0) return;
    Rect all{rest.x, rest.y + canvas_.px(kGap), rest.width, height - canvas_.px(kGap)};
    for (const std::uint32_t address : mbarriers_) {
      const Rect row = cut_top(all, (height - canvas_.px(kGap)) / static_cast<float>(mbarriers_.size()));
      const std::string mbarrier = mbarrier_name(*moment_.recording, address);
      name(row, mbarrier);
      for (const auto& [rank, box] : columns_.places) {
        const analysis::MbarrierPhase* const phase = phase_at(cluster_.blocks[rank], address, step_);
        if (phase == nullptr) continue;
        draw_phase(rank, mbarrier, *phase, inset({box.x, row.y, box.width, row.height}, 0, canvas_.px(1)));
        draw_arrivals(rank, *phase, row);
      }
    }
  }
  /// Of all rows of mbarriers, with the gap above them; 0 where there is too little room.
  [[nodiscard]] float mbarriers_height(float room) const {
    const auto count = static_cast<float>(mbarriers_.size());
    if (count == 0) return 0;
    const float row = std::min(canvas_.px(kTallestMbarrier), room * 0.35f / count);
    return row < canvas_.px(kShortestMbarrier) ? 0 : row * count + canvas_.px(kGap);
  }

 private:
  void name(Rect row, const std::string& words) {
    const float width = columns_.names - canvas_.px(6);
    canvas_.fitted({row.x, row.y, width, row.height}, {words}, canvas_.muted(kTinySize, Align::right));
  }

  void draw_row(std::uint32_t rank, const analysis::PartRow& row, Rect place) {
    for (const std::size_t part : row.parts) {
      const Rect cell = part_cell(canvas_, cluster_, row, part, place);
      const analysis::PartFilling* const filling = cluster_.blocks[rank].filling_at(part, step_);
      const PartState state = analysis::state_of(filling, step_);
      const Colour ground = draw_state(canvas_, cell, state);
      if (filling != nullptr) {
        const std::string number = std::to_string(filling->number);
        const std::string with_ranks =
            filling->by == 1u << rank
                ? number
                : tr("{number} ← {ranks}", "number"_a = number, "ranks"_a = ranks_name(filling->by));
        canvas_.fitted_on(ground, inset(cell, canvas_.px(3), canvas_.px(2)), {with_ranks, number},
                          {readable_on(ground), kSmallSize, Font::sans_bold, Align::centre});
      }
      if (selected_.contains({rank, part})) canvas_.outline(cell, canvas_.palette().text, canvas_.px(2), 2);
      canvas_.region(cell, target_of(rank, filling),
                     part_in_words(*moment_.recording, cluster_, rank, part, filling, state));
    }
  }
  Target target_of(std::uint32_t rank, const analysis::PartFilling* filling) const {
    const ClusterBlock& block = cluster_.blocks[rank];
    if (filling != nullptr && filling->copy) {
      const auto& event = cluster_.blocks[filling->issuer()].copies[*filling->copy].event;
      if (event) return {Target::Kind::event, static_cast<std::int64_t>(*event)};
    }
    return {Target::Kind::block, block.block.x, block.block.y};
  }

  void draw_phase(std::uint32_t rank, const std::string& mbarrier, const analysis::MbarrierPhase& phase,
                  Rect box) {
    const Palette& palette = canvas_.palette();
    const Colour ground = mixed(palette.panel, palette.muted, phase.number % 2 == 0 ? 0.25f : 0.5f);
    canvas_.fill(box, ground, 2);
    const bool has_ended = step_ >= phase.end;
    const std::string number = has_ended
                                   ? tr_n(phase.number + 1, "{n} phase has ended", "{n} phases have ended")
                                   : tr("phase {phase}", "phase"_a = phase.number);
    const std::uint64_t own = phase.arrivals - phase.from_others;
    std::string words = number;
    if (!has_ended && own != 0) words += " · " + tr_n(own, "{n} arrival", "{n} arrivals");
    if (!has_ended && phase.from_others != 0)
      words += " · " + tr_n(phase.from_others, "{n} from another block", "{n} from other blocks");
    if (!has_ended && phase.bytes != 0) words += " · " + tr_n(phase.bytes, "{n} byte", "{n} bytes");
    canvas_.fitted(inset(box, canvas_.px(3), 0), {words, number, std::to_string(phase.number)},
                   {readable_on(ground), kTinySize, Font::sans, Align::centre});
    canvas_.region(box, {Target::Kind::block, cluster_.blocks[rank].block.x, cluster_.blocks[rank].block.y},
                   tr("{mbarrier} of rank {rank}: {words}", "mbarrier"_a = mbarrier, "rank"_a = rank,
                      "words"_a = words));
  }

  /// In a cluster of two blocks the other one is known: the arrow comes from it.
  void draw_arrivals(std::uint32_t rank, const analysis::MbarrierPhase& phase, Rect row) {
    if (phase.from_others == 0 || step_ >= phase.end || cluster_.blocks.size() != 2 ||
        columns_.places.size() != 2)
      return;
    const Rect left = columns_.places[0].second, right = columns_.places[1].second;
    const float y = row.y + row.height * (rank == 0 ? 0.3f : 0.7f);
    const Point a{left.right() + canvas_.px(2), y}, b{right.x - canvas_.px(2), y};
    draw_arrow(canvas_, rank == 0 ? b : a, rank == 0 ? a : b, canvas_.palette().good);
    const float band = row.height / 2;
    canvas_.region(
        {left.right(), rank == 0 ? row.y : row.y + band, right.x - left.right(), band}, {},
        tr("rank {from} arrives at the mbarrier of rank {to}: {arrivals} in phase {phase}",
           "from"_a = 1 - rank, "to"_a = rank,
           "arrivals"_a = tr_n(phase.from_others, "{n} arrival", "{n} arrivals"), "phase"_a = phase.number));
  }

  Canvas& canvas_;
  const Moment& moment_;
  const ClusterBlocks& cluster_;
  ClusterColumns columns_;
  std::uint32_t step_;
  std::vector<std::uint32_t> mbarriers_;
  std::set<std::pair<std::uint32_t, std::size_t>> selected_;
};

/// As many blocks as fit side by side, the selected one among them.
ClusterColumns columns_of(const Canvas& canvas, const ClusterBlocks& cluster, Rect rest) {
  ClusterColumns columns{.names = std::min(canvas.px(kNames), rest.width * 0.26f), .places = {}};
  Rect right{rest.x + columns.names, rest.y, rest.width - columns.names, rest.height};
  const float gap = canvas.px(kColumnGap);
  const auto all = static_cast<std::uint32_t>(cluster.blocks.size());
  const auto fits = static_cast<std::uint32_t>((right.width + gap) / (canvas.px(kNarrowestColumn) + gap));
  const std::uint32_t count = std::clamp(fits, 1u, all);
  const std::uint32_t first = std::min(cluster.rank - std::min(cluster.rank, count / 2), all - count);
  const float width = (right.width - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
  for (std::uint32_t rank = first; rank < first + count; ++rank) {
    columns.places.emplace_back(rank, cut_left(right, width));
    static_cast<void>(cut_left(right, gap));
  }
  return columns;
}

}  // namespace

Picture make_cluster_blocks(const Moment& moment, const ClusterBlocks* cluster, Size size,
                            const Style& style) {
  const Recording& recording = *moment.recording;
  const std::string title = tr("Cluster");
  if (recording.events.size() == 0 || moment.event_block >= recording.event_blocks.size())
    return no_events_picture(title.c_str(), size, style);
  if (!analysis::has_clusters(recording))
    return empty_picture(title, tr("This launch has no clusters of blocks."),
                         tr("Record one that has, such as warp_specialised."), size, style);
  if (cluster == nullptr)
    return empty_picture(title, tr("What the blocks of the cluster do is not known yet."),
                         tr("They are replayed for it; a launch without its arguments cannot be."), size,
                         style);
  Canvas canvas(size, roomy(style, size));
  const ClusterBlock& own = cluster->blocks[cluster->rank];
  const auto event = moment.event();
  const std::uint32_t step = event ? own.timeline.step_of(recording, *event) : 0;
  canvas.name(title, fmt::format("{} · {}", moment.block_name(),
                                 tr("warp {warp}, step {step} of {steps}", "warp"_a = moment.warp,
                                    "step"_a = with_thousands(step),
                                    "steps"_a = with_thousands(own.timeline.steps))));
  Rect rest = canvas.inside();
  draw_sentence(canvas, rest, sentence_of(*cluster));
  draw_states(canvas, rest);
  static_cast<void>(cut_bottom(rest, canvas.px(6)));
  static_cast<void>(cut_top(rest, canvas.px(3)));
  const ClusterColumns columns = columns_of(canvas, *cluster, rest);
  if (columns.places.size() < cluster->blocks.size()) {
    const Rect note = cut_bottom(rest, canvas.px(kLine));
    canvas.fitted(note,
                  {tr("{ranks} of {count} blocks", "count"_a = cluster->blocks.size(),
                      "ranks"_a = ranks_name(columns.ranks()))},
                  canvas.muted());
  }
  ClusterRows rows(canvas, moment, *cluster, columns, step);
  rows.draw_headings(rest);
  rows.draw_lanes(rest);
  const float mbarriers = rows.mbarriers_height(rest.height);
  rows.draw_parts(rest);
  rows.draw_mbarriers(rest, mbarriers);
  return canvas.take();
}

}  // namespace warplens::picture
