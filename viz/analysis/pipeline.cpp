#include "viz/analysis/pipeline.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "viz/analysis/lanes.h"

namespace warplens::analysis {
namespace {

constexpr std::uint32_t kPiece = 16;                     ///< Bytes that are looked at together
constexpr std::size_t kMaxCells = std::size_t{1} << 24;  ///< Pieces times phases
constexpr std::uint8_t kWritten = 1, kCopied = 2, kRead = 4, kReadFirst = 8, kUnknown = 16;

/// What happens to each piece in each phase.
class PieceHistory {
 public:
  PieceHistory(const Recording& recording, std::uint32_t event_block)
      : recording_(recording),
        pieces_((recording.shared_bytes + kPiece - 1) / kPiece),
        phases_(static_cast<std::uint32_t>(
            std::min(recording.phases.size(), kMaxCells / std::max<std::size_t>(pieces_, 1)))),
        flags_(pieces_ * phases_),
        landed_(flags_.size()) {
    const EventRange events = events_of_block(recording, event_block);
    for (std::size_t event = events.begin; event < events.end; ++event) {
      const Site& site = recording.sites[recording.events.site[event]];
      if (site.space == Space::shared && recording.events.phase[event] < phases_) add(event, site);
    }
  }

  [[nodiscard]] std::size_t pieces() const { return pieces_; }
  [[nodiscard]] std::uint32_t phases() const { return phases_; }
  [[nodiscard]] bool landings_unknown() const { return landings_unknown_; }

  /// The fillings of a piece, with its reads.
  [[nodiscard]] std::vector<Filling> fillings(std::size_t piece) const {
    std::vector<Filling> fillings;
    for (std::uint32_t phase = 0; phase < phases_; ++phase) {
      const std::size_t cell = piece * phases_ + phase;
      if ((flags_[cell] & kReadFirst) != 0) note_read(fillings, phase);
      if ((flags_[cell] & kWritten) != 0) {
        Filling& filling = fillings.emplace_back();
        filling.issued = phase;
        filling.is_copy = (flags_[cell] & kCopied) != 0;
        filling.landed = phase + landed_[cell] / kPartsOfPhase;
        filling.landed_part = static_cast<std::uint8_t>(landed_[cell] % kPartsOfPhase);
        if ((flags_[cell] & kUnknown) != 0) filling.landed.reset();
      }
      if ((flags_[cell] & kRead) != 0) note_read(fillings, phase);
    }
    return fillings;
  }

 private:
  /// Credits a read to the latest filling that was complete. Copies whose completion is not recorded count as
  /// complete in the phase after their issue.
  static void note_read(std::vector<Filling>& fillings, std::uint32_t phase) {
    const auto there = std::find_if(fillings.rbegin(), fillings.rend(), [&](const Filling& filling) {
      return filling.landed.value_or(filling.issued + 1) <= phase;
    });
    if (there == fillings.rend()) return;
    if (!there->first_read) there->first_read = phase;
    there->last_read = phase;
  }

  void add(std::size_t event, const Site& site) {
    const std::uint32_t phase = recording_.events.phase[event];
    const bool is_copy = is_asynchronous_load(site.op);
    const bool is_read = reads(site.op, Space::shared);
    std::uint8_t flags = 0;
    if (writes(site.op, Space::shared)) flags |= is_copy ? kWritten | kCopied : kWritten;
    const std::optional<std::uint16_t> until_landed = is_copy ? time_until_landed(event) : 0;
    if (!until_landed) flags |= kUnknown;
    landings_unknown_ = landings_unknown_ || !until_landed;
    for_each_lane(addressing_lanes(site, recording_.events.mask[event]), [&](int lane) {
      const std::uint64_t begin = lane_address(recording_, event, lane) / kPiece,
                          end = (lane_address(recording_, event, lane) + site.bytes + kPiece - 1) / kPiece;
      for (std::uint64_t piece = begin; piece < std::min<std::uint64_t>(end, pieces_); ++piece) {
        const std::size_t cell = piece * phases_ + phase;
        if (is_read) flags_[cell] |= (flags_[cell] & kWritten) == 0 ? kReadFirst : kRead;
        flags_[cell] |= flags;
        landed_[cell] = std::max(landed_[cell], until_landed.value_or(0));
      }
    });
  }

  /// Returns the time from the start of the event's phase to completion, in parts of a phase.
  [[nodiscard]] std::optional<std::uint16_t> time_until_landed(std::size_t event) const {
    const EventColumns& events = recording_.events;
    const CopyLanding* const landing = landing_of(recording_, event);
    if (landing == nullptr) return std::nullopt;
    if (landing->landed_phase < events.phase[event]) return 0;
    const EventRange in_phase =
        events_of_phase(recording_, landing->block, landing->warp, landing->landed_phase);
    std::uint64_t part = 0;
    if (!in_phase.empty() && landing->landed_order > events.order[in_phase.begin])
      part = std::min<std::uint64_t>(
          kPartsOfPhase - 1, std::uint64_t{kPartsOfPhase} *
                                 (landing->landed_order - events.order[in_phase.begin]) / in_phase.size());
    const std::uint64_t later =
        std::uint64_t{kPartsOfPhase} * (landing->landed_phase - events.phase[event]) + part;
    return static_cast<std::uint16_t>(
        std::min<std::uint64_t>(later, std::numeric_limits<std::uint16_t>::max()));
  }

  const Recording& recording_;
  std::size_t pieces_;
  std::uint32_t phases_;
  std::vector<std::uint8_t> flags_;    ///< By piece, then by phase
  std::vector<std::uint16_t> landed_;  ///< The same: when, after the phase began
  bool landings_unknown_ = false;
};

/// Issue and completion of each filling, and whether it is a copy.
using FillTimes = std::vector<std::tuple<std::uint32_t, std::optional<std::uint32_t>, bool>>;
/// Returns the fill times, which all pieces of a stage share.
FillTimes times_of(const std::vector<Filling>& fillings) {
  FillTimes times;
  for (const Filling& filling : fillings) times.emplace_back(filling.issued, filling.landed, filling.is_copy);
  return times;
}

void add_piece(std::vector<Filling>& to, const std::vector<Filling>& from) {
  for (std::size_t k = 0; k < to.size(); ++k) {
    to[k].landed_part = std::max(to[k].landed_part, from[k].landed_part);
    if (!from[k].first_read) continue;
    to[k].first_read = std::min(to[k].first_read.value_or(*from[k].first_read), *from[k].first_read);
    to[k].last_read = std::max(to[k].last_read.value_or(*from[k].last_read), *from[k].last_read);
  }
}

void number_fillings(std::vector<Stage>& stages) {
  std::vector<Filling*> all;
  for (Stage& stage : stages) {
    for (Filling& filling : stage.fillings) all.push_back(&filling);
  }
  std::ranges::stable_sort(all, {}, [](const Filling* filling) {
    return std::tuple(filling->landed, filling->landed_part, filling->issued);
  });
  for (std::size_t k = 0; k < all.size(); ++k) all[k]->number = static_cast<std::uint32_t>(k + 1);
}

}  // namespace

Pipeline pipeline_of(const Recording& recording, std::uint32_t event_block) {
  Pipeline pipeline;
  const PieceHistory history(recording, event_block);
  pipeline.phases = history.phases();
  pipeline.landings_unknown = history.landings_unknown();
  std::map<FillTimes, std::size_t> stage_of;
  for (std::size_t piece = 0; piece < history.pieces(); ++piece) {
    std::vector<Filling> fillings = history.fillings(piece);
    if (fillings.empty()) continue;
    const auto [known, is_new] = stage_of.try_emplace(times_of(fillings), pipeline.stages.size());
    if (is_new) {
      pipeline.stages.push_back({.offset = static_cast<std::uint32_t>(piece * kPiece),
                                 .bytes = kPiece,
                                 .fillings = std::move(fillings)});
      continue;
    }
    Stage& stage = pipeline.stages[known->second];
    stage.bytes += kPiece;
    add_piece(stage.fillings, fillings);
  }
  if (pipeline.stages.size() > kMaxStages) {
    std::ranges::stable_sort(pipeline.stages, std::greater{}, &Stage::bytes);
    pipeline.left_out = static_cast<std::uint32_t>(pipeline.stages.size() - kMaxStages);
    pipeline.stages.resize(kMaxStages);
  }
  std::ranges::sort(pipeline.stages, {}, [](const Stage& stage) {
    return std::pair(stage.fillings.front().landed, stage.offset);
  });
  number_fillings(pipeline.stages);
  return pipeline;
}

std::optional<double> completion_time(const Filling& filling) {
  if (!filling.is_copy) return filling.issued + 1;
  if (!filling.landed) return std::nullopt;
  return *filling.landed + (filling.landed_part + 1.0) / kPartsOfPhase;
}

std::optional<std::uint32_t> phases_in_flight(const Pipeline& pipeline) {
  if (pipeline.landings_unknown) return std::nullopt;
  std::uint32_t phases = 0;
  for (const Stage& stage : pipeline.stages) {
    for (const Filling& filling : stage.fillings) {
      if (filling.is_copy) phases = std::max(phases, *filling.landed - filling.issued);
    }
  }
  return phases;
}

std::shared_ptr<const Pipeline> PipelineKeeper::at(const Recording& recording, std::uint32_t event_block) {
  const std::lock_guard lock(mutex_);
  if (pipeline_ == nullptr || event_block_ != event_block) {
    pipeline_ = std::make_shared<const Pipeline>(pipeline_of(recording, event_block));
    event_block_ = event_block;
  }
  return pipeline_;
}

}  // namespace warplens::analysis
