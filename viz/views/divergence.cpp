#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/picture/divergence.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

picture::Picture make_divergence(const Subject& subject, picture::Size size, const picture::Style& style) {
  const analysis::Divergence& divergence = subject.results->divergence();
  if (!subject.beside)
    return picture::make_divergence(subject.moment, divergence, subject.site, subject.highlight, size, style);
  return picture::make_divergence(subject.moment, divergence, subject.site, subject.highlight, size, style,
                                  subject.beside->moment.recording, &subject.beside->results->divergence());
}

/// One row an access and phase in which some warp of the counted blocks makes it. The last columns: how many
/// blocks were counted, and how many there are.
std::string table_of_divergence(const Subject& subject) {
  const Recording& recording = subject.recording();
  const analysis::Divergence& divergence = subject.results->divergence();
  if (divergence.too_many) return {};
  const auto of_warp =
      analysis::lanes_of_warp(recording, divergence, subject.moment.event_block, subject.moment.warp);
  std::string table =
      "line,space,op,of,phase,counted_warps,warps,divergent_warps,mean_lanes,warp_requests,warp_mean_lanes,"
      "counted_blocks,blocks\n";
  for (std::size_t i = 0; i < divergence.accesses.size(); ++i) {
    const analysis::AccessLanes& access = divergence.accesses[i];
    const Site& site = recording.sites[access.sites.front()];
    for (std::size_t phase = 0; phase < access.by_phase.size(); ++phase) {
      const analysis::PhaseLanes &all = access.by_phase[phase], &own = of_warp[i][phase];
      if (all.requests == 0) continue;
      table += fmt::format("{},{},{},{},{},{},{},{},{:.4g},{},{:.4g},{},{}\n", site.line, name_of(site.space),
                           name_of(site.op), cell(access.of), phase, divergence.warps, all.warps,
                           all.divergent_warps, all.mean_lanes(), own.requests, own.mean_lanes(),
                           divergence.blocks, recording.blocks_total);
    }
  }
  return table;
}

const RegisterView kDivergence{
    {.id = "divergence",
     .title = marked("Divergence"),
     .shows =
         marked("How many lanes of a warp take part in each access, phase by phase, and where warps diverge"),
     .place = Place::right_top,
     .rank = 50,
     .of_grid = true,
     .make = make_divergence,
     .table = table_of_divergence}};

}  // namespace
}  // namespace warplens::viz
