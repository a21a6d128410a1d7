#include <fmt/format.h>

#include <iterator>
#include <optional>

#include "viz/export/views.h"

namespace warplens::viz {
namespace {

template <class Number>
std::string known(const std::optional<Number>& value) {
  return value ? std::to_string(*value) : std::string();
}

}  // namespace

analysis::OccupancySubject occupancy_subject_of(const ExportRequest& request) {
  if (request.occupancy != nullptr) return *request.occupancy;
  const Recording& recording = *request.recording;
  return {.kernel = recording.kernel,
          .launch = {.threads = static_cast<std::uint32_t>(recording.block.count()),
                     .registers = std::nullopt,
                     .shared_bytes = recording.shared_bytes,
                     .blocks = recording.blocks_total},
          .compiled = {},
          .why_no_registers = "no machine code was asked for"};
}

std::string occupancy_table(const ExportRequest& request) {
  const analysis::OccupancySubject subject = occupancy_subject_of(request);
  const analysis::CompiledResources* const resources = subject.compiled_for(request.cc);
  const analysis::MultiprocessorModel& model = analysis::multiprocessor_model(request.cc);
  analysis::CompiledResources alone;
  alone.variants.push_back({});
  alone.variants.front().recorded = true;
  alone.variants.front().needs = subject.launch;
  std::string table =
      "variant,recorded,cc,compiled_for,threads,registers,shared_bytes,stack_bytes,spill_store_bytes,spill_load_bytes,local_loads,local_stores,terms,"
      "by_threads,by_registers,by_shared_memory,by_blocks,blocks,warps,max_warps,grid_blocks,waves,blocks_in_last_wave\n";
  const analysis::CompiledResources& rows = resources == nullptr ? alone : *resources;
  for (const analysis::CompiledVariant& row : rows.variants) {
    const analysis::Occupancy found = analysis::occupancy(model, row.needs);
    fmt::format_to(std::back_inserter(table), "{},{},{},{},{},{},{},", row.name, row.recorded ? 1 : 0, request.cc.name(), rows.architecture,
                   row.needs.threads, known(row.needs.registers), row.needs.shared_bytes);
    if (resources == nullptr) {
      table += ",,,,,,";
    } else {
      fmt::format_to(std::back_inserter(table), "{},{},{},{},{},{},", row.stack_bytes, row.spill_store_bytes, row.spill_load_bytes,
                     known(row.local_loads), known(row.local_stores), rows.terms);
    }
    for (const analysis::OccupancyLimit limit : analysis::kOccupancyLimits) table += known(found.limit(limit).blocks) + ",";
    fmt::format_to(std::back_inserter(table), "{},{},{},{},{},{}\n", found.blocks, found.warps, found.max_warps, row.needs.blocks, found.waves,
                   found.blocks_in_last_wave);
  }
  return table;
}

}  // namespace warplens::viz
