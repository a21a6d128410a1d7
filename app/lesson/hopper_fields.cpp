// What a replay of the block tells: boxes of tensors, mbarriers, roles, clusters.
#include <algorithm>
#include <bit>

#include "app/lesson/field_tables.h"
#include "app/session/block_details.h"
#include "app/session/navigation.h"
#include "kernels/base/texts.h"
#include "viz/analysis/cluster/cluster_blocks.h"
#include "viz/analysis/role_timeline.h"
#include "viz/analysis/tensor_boxes.h"

namespace warplens::app {
namespace {

constexpr const char* kCopiesBox = marked("It has a value where the block copies boxes of tensors.");
constexpr const char* kHasMbarriers = marked("It has a value where the block has mbarriers.");
constexpr const char* kHasClusters =
    marked("It has a value where blocks form clusters that can be replayed.");
constexpr const char* kCanBeReplayed = marked("It has a value where the block can be replayed.");

using HopperValue = std::optional<FieldValue>;

/// Null: the block cannot be replayed.
std::shared_ptr<const BlockDetails> details_at(const FieldPlace& place, DetailsOf of = DetailsOf::block) {
  const Result<std::shared_ptr<const BlockDetails>> details =
      block_details(place.loaded, place.selection, of);
  return details.ok() ? *details : nullptr;
}
std::shared_ptr<const analysis::RoleTimeline> timeline_at(const FieldPlace& place) {
  const auto details = details_at(place);
  return details == nullptr ? nullptr
                            : place.loaded.facts->timelines->at(*place.loaded.recording,
                                                                place.selection.event_block, details);
}

struct BoxField {
  const char* name;
  const char* meaning;
  HopperValue (*value)(const analysis::TensorBox& box, const FieldPlace& place);
};
const BoxField kBoxFields[] = {
    {"box.rows", marked("Rows of the box that the selected bulk copy moves"),
     [](const analysis::TensorBox& box, const FieldPlace&) { return whole_field(box.rows()); }},
    {"box.row_bytes", marked("Bytes of one of its rows"),
     [](const analysis::TensorBox& box, const FieldPlace&) {
       return whole_field(box.copy().map.box_bytes() / box.rows());
     }},
    {"box.bytes", marked("Bytes of the whole box, the part outside the tensor included"),
     [](const analysis::TensorBox& box, const FieldPlace&) {
       return whole_field(box.copy().map.box_bytes());
     }},
    {"box.bytes_outside", marked("Bytes of it that lie outside the tensor"),
     [](const analysis::TensorBox& box, const FieldPlace&) { return whole_field(box.bytes_outside()); }},
    {"box.sectors", marked("Sectors that copying the box moves"),
     [](const analysis::TensorBox& box, const FieldPlace& place) {
       return whole_field(
           analysis::cost_of_copy(*place.loaded.recording, place.selection.event_block, box, place.loaded.cc)
               .sectors);
     }},
    {"box.bank_groups", marked("Groups of four banks, of 8, in which 8 rows of one column of 16 bytes lie"),
     [](const analysis::TensorBox& box, const FieldPlace&) {
       return whole_field(box.banks_of_eight_rows(true));
     }},
    {"box.bank_groups_unswizzled", marked("The same if the box was not swizzled"),
     [](const analysis::TensorBox& box, const FieldPlace&) {
       return whole_field(box.banks_of_eight_rows(false));
     }},
    {"box.blocks", marked("Blocks whose shared memory the copy goes to"),
     [](const analysis::TensorBox& box, const FieldPlace&) {
       const std::uint16_t ranks = box.copy().ranks;
       return whole_field(ranks == 0 ? 1 : static_cast<std::uint64_t>(std::popcount(ranks)));
     }},
};

struct TimelineField {
  const char* name;
  const char* meaning;
  const char* needs;
  HopperValue (*value)(const analysis::RoleTimeline& timeline);
};
/// The mbarrier phase that expects most bytes, or has most arrivals.
template <class Of>
HopperValue most_of_phases(const analysis::RoleTimeline& timeline, Of of) {
  std::optional<std::uint64_t> most;
  for (const analysis::MbarrierLine& line : timeline.mbarriers) {
    for (const analysis::MbarrierPhase& phase : line.phases) most = std::max(most.value_or(0), phase.*of);
  }
  return most ? whole_field(*most) : std::nullopt;
}
const TimelineField kTimelineFields[] = {
    {"timeline.roles", marked("Roles: groups of warps that execute the same instructions"), kCanBeReplayed,
     [](const analysis::RoleTimeline& timeline) { return whole_field(timeline.roles.size()); }},
    {"mbarriers", marked("mbarriers that the block uses"), kCanBeReplayed,
     [](const analysis::RoleTimeline& timeline) { return whole_field(timeline.mbarriers.size()); }},
    {"mbarrier.bytes", marked("The most bytes that a phase of an mbarrier expects"), kHasMbarriers,
     [](const analysis::RoleTimeline& timeline) {
       return most_of_phases(timeline, &analysis::MbarrierPhase::bytes);
     }},
    {"mbarrier.arrivals", marked("The most arrivals that a phase of an mbarrier has"), kHasMbarriers,
     [](const analysis::RoleTimeline& timeline) {
       return most_of_phases(timeline, &analysis::MbarrierPhase::arrivals);
     }},
    {"mbarrier.remote_arrivals", marked("The most of them that are of other blocks of the cluster"),
     kHasMbarriers,
     [](const analysis::RoleTimeline& timeline) {
       return most_of_phases(timeline, &analysis::MbarrierPhase::from_others);
     }},
};

struct ClusterField {
  const char* name;
  const char* meaning;
  HopperValue (*value)(const analysis::ClusterBlocks& cluster);
};
const ClusterField kClusterFields[] = {
    {"cluster.blocks", marked("Blocks of a cluster"),
     [](const analysis::ClusterBlocks& cluster) { return whole_field(cluster.blocks.size()); }},
    {"cluster.bytes_issued", marked("Bytes of the bulk copies that the selected block issues"),
     [](const analysis::ClusterBlocks& cluster) {
       return whole_field(cluster.blocks[cluster.rank].bytes_issued);
     }},
    {"cluster.bytes_copied", marked("Bytes that bulk copies of the cluster bring to its shared memory"),
     [](const analysis::ClusterBlocks& cluster) {
       return whole_field(cluster.blocks[cluster.rank].bytes_copied);
     }},
};

}  // namespace

void add_hopper_fields(std::vector<LessonField>& fields) {
  for (const BoxField& field : kBoxFields) {
    fields.push_back(
        {field.name, field.meaning, kCopiesBox, [of = field.value](const FieldPlace& place) -> HopperValue {
           const auto details = details_at(place);
           if (details == nullptr) return std::nullopt;
           const auto shown = analysis::copy_shown(*details, *place.loaded.recording, place.selection.warp,
                                                   current_event(*place.loaded.recording, place.selection));
           return shown ? of(analysis::TensorBox(*shown->copy), place) : std::nullopt;
         }});
  }
  for (const TimelineField& field : kTimelineFields) {
    fields.push_back(
        {field.name, field.meaning, field.needs, [of = field.value](const FieldPlace& place) -> HopperValue {
           const auto timeline = timeline_at(place);
           return timeline == nullptr ? std::nullopt : of(*timeline);
         }});
  }
  for (const ClusterField& field : kClusterFields) {
    fields.push_back(
        {field.name, field.meaning, kHasClusters, [of = field.value](const FieldPlace& place) -> HopperValue {
           if (!analysis::has_clusters(*place.loaded.recording)) return std::nullopt;
           const auto details = details_at(place, DetailsOf::cluster);
           return details == nullptr
                      ? std::nullopt
                      : of(*place.loaded.facts->clusters->at(*place.loaded.recording, details));
         }});
  }
}

}  // namespace warplens::app
