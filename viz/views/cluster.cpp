#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/picture/cluster/cluster_blocks.h"
#include "viz/picture/cluster/cluster_columns.h"
#include "viz/picture/lanes.h"
#include "viz/picture/role_timeline.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

/// Null: the blocks have not been replayed.
std::shared_ptr<const analysis::ClusterBlocks> cluster_of(const Subject& subject) {
  const auto& blocks = subject.recording().event_blocks;
  const bool is_of_block = subject.details != nullptr && subject.moment.event_block < blocks.size() &&
                           subject.details->block == blocks[subject.moment.event_block] &&
                           !subject.details->cluster.empty();
  if (!is_of_block) return nullptr;
  return subject.results->facts->clusters->at(subject.recording(), subject.details);
}

picture::Picture make_cluster(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_cluster_blocks(subject.moment, cluster_of(subject).get(), size, style);
}

constexpr const char* kHeader =
    "what,rank,warp,lanes,begin,end,first_read,last_read,place,bytes,from,to,count\n";

/// Copies, fillings, accesses of other blocks and phases of mbarriers: one row each. `from`, `to`: ranks.
/// `count`: arrivals of other blocks.
std::string table_of_cluster(const Subject& subject) {
  std::string table = kHeader;
  const auto cluster = cluster_of(subject);
  if (cluster == nullptr) return table;
  const Recording& recording = subject.recording();
  const auto number = [](const auto& value) { return value ? std::to_string(*value) : std::string(); };
  for (std::uint32_t rank = 0; rank < cluster->blocks.size(); ++rank) {
    const analysis::ClusterBlock& block = cluster->blocks[rank];
    for (const analysis::ClusterCopy& copy : block.copies)
      table += fmt::format("copy,{},{},,{},,,,{},{},{},{},\n", rank, copy.warp, copy.step,
                           cell(picture::part_name(recording, copy.offset)), copy.bytes, rank,
                           cell(picture::lane_numbers(copy.ranks)));
    for (std::size_t part = 0; part < block.fillings.size(); ++part) {
      for (const analysis::PartFilling& filling : block.fillings[part])
        table += fmt::format("filling,{},,,{},{},{},{},{},{},{},{},\n", rank, filling.begin, filling.complete,
                             number(filling.first_read), number(filling.last_read),
                             cell(picture::part_name(recording, cluster->parts[part].offset)),
                             cluster->parts[part].bytes, cell(picture::lane_numbers(filling.by)), rank);
    }
    for (const analysis::RemoteAccess& access : block.accesses)
      table += fmt::format("{},{},{},{},{},,,,{},,{},{},\n", name_of(access.op), rank, access.warp,
                           cell(picture::lane_numbers(access.lanes)), access.step,
                           cell(picture::part_name(recording, access.offset)), rank, access.to);
    for (const analysis::MbarrierLine& line : block.timeline.mbarriers) {
      for (const analysis::MbarrierPhase& phase : line.phases)
        table += fmt::format("phase,{},,,{},{},,,{},{},,{},{}\n", rank, phase.begin, phase.end,
                             cell(picture::mbarrier_name(recording, line.address)), phase.bytes, rank,
                             phase.from_others);
    }
  }
  return table;
}

bool needs_blocks_of_cluster(const Recording& recording, const analysis::Facts& /*facts*/) {
  return analysis::has_clusters(recording) && recording.events.size() != 0;
}

const RegisterView kCluster{
    {.id = "cluster",
     .title = marked("Cluster"),
     .shows =
         marked("The blocks of a cluster beside each other: what is in the shared memory of each, copies "
                "that go to several of them, and accesses and arrivals from one to another"),
     .place = Place::middle_top,
     .rank = 14,
     .needs_details = needs_blocks_of_cluster,
     .of_cluster = true,
     .make = make_cluster,
     .table = table_of_cluster}};

}  // namespace
}  // namespace warplens::viz
