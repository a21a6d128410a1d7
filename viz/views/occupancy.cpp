#include "viz/picture/occupancy.h"

#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

picture::OccupancyQuestion question(const Subject& subject) {
  const analysis::ComputeCapability cc = subject.moment.cc;
  return subject.occupancy.value_or(
      picture::OccupancyQuestion{.cc = cc, .needs = subject.results->occupancy.needs_for(cc)});
}

picture::Picture make_occupancy(const Subject& subject, picture::Size size, const picture::Style& style) {
  if (!subject.beside)
    return picture::make_occupancy(subject.results->occupancy, question(subject), size, style);
  const analysis::ComputeCapability cc = subject.beside->moment.cc;
  const picture::OccupancyQuestion beside{.cc = cc,
                                          .needs = subject.beside->results->occupancy.needs_for(cc)};
  return picture::make_occupancy(subject.results->occupancy, question(subject), size, style, &beside);
}

template <class Number>
std::string known(const std::optional<Number>& value) {
  return value ? std::to_string(*value) : std::string();
}

/// One row a variant of the kernel; the launch alone where it was not compiled, or where another is tried
/// out.
std::string table_of_occupancy(const Subject& subject) {
  const picture::OccupancyQuestion asked = question(subject);
  const analysis::OccupancySubject& about = subject.results->occupancy;
  const analysis::CompiledResources* const resources =
      asked.as_recorded ? about.compiled_for(asked.cc) : nullptr;
  const analysis::MultiprocessorModel& model = analysis::multiprocessor_model(asked.cc);
  analysis::CompiledResources alone;
  alone.variants.push_back({});
  alone.variants.front().recorded = asked.as_recorded;
  alone.variants.front().needs = asked.as_recorded ? about.launch : asked.needs;
  std::string table =
      "variant,recorded,cc,compiled_for,threads,registers,shared_bytes,stack_bytes,spill_store_bytes,spill_"
      "load_bytes,local_loads,local_stores,terms,"
      "by_threads,by_registers,by_shared_memory,by_blocks,blocks,warps,max_warps,grid_blocks,waves,blocks_in_"
      "last_wave,cluster_blocks,most_clusters\n";
  const analysis::CompiledResources& rows = resources == nullptr ? alone : *resources;
  for (const analysis::CompiledVariant& row : rows.variants) {
    const analysis::Occupancy found = analysis::occupancy(model, row.needs);
    table +=
        fmt::format("{},{},{},{},{},{},{},", row.name, row.recorded ? 1 : 0, asked.cc.name(),
                    rows.architecture, row.needs.threads, known(row.needs.registers), row.needs.shared_bytes);
    if (resources == nullptr) {
      table += ",,,,,,";
    } else {
      table += fmt::format("{},{},{},{},{},{},", row.stack_bytes, row.spill_store_bytes, row.spill_load_bytes,
                           known(row.local_loads), known(row.local_stores), rows.terms);
    }
    for (const analysis::OccupancyLimit limit : analysis::kOccupancyLimits)
      table += known(found.limit(limit).blocks) + ",";
    table += fmt::format("{},{},{},{},{},{},{},{}\n", found.blocks, found.warps, found.max_warps,
                         row.needs.blocks, found.waves, found.blocks_in_last_wave, row.needs.cluster_blocks,
                         found.clusters ? std::to_string(*found.clusters) : "");
  }
  return table;
}

const RegisterView kOccupancy{
    {.id = "occupancy",
     .title = marked("Occupancy"),
     .shows = marked(
         "How many blocks and warps a multiprocessor holds, what ends it, and the grid's waves over a card"),
     .place = Place::right_top,
     .rank = 55,
     .make = make_occupancy,
     .table = table_of_occupancy}};

}  // namespace
}  // namespace warplens::viz
