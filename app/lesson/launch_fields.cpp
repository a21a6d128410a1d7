#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/lesson/field_tables.h"
#include "app/session/navigation.h"
#include "kernels/base/texts.h"
#include "viz/analysis/totals.h"

namespace warplens::app {
namespace {

constexpr const char* kSomePhase =
    marked("It has a value where the kernel has such a size, and the recording accesses.");
constexpr const char* kSomeRequest = marked("It has a value where the kernel makes such requests.");
constexpr const char* kMachineCode =
    marked("It has a value where the kernel makes such requests, and machine code of it is at hand.");

using LaunchValue = std::optional<FieldValue>;

std::string extent_in_words(Dim3 extent) {
  return extent.z > 1 ? fmt::format("{} x {} x {}", extent.x, extent.y, extent.z)
                      : fmt::format("{} x {}", extent.x, extent.y);
}

/// The selected block's place in the grid.
LaunchValue block_in_words(const FieldPlace& place) {
  const Recording& recording = *place.loaded.recording;
  if (place.selection.event_block >= recording.event_blocks.size()) return std::nullopt;
  const Dim3 block = recording.event_blocks[place.selection.event_block];
  return text_field(recording.grid.z > 1 ? fmt::format("({}, {}, {})", block.x, block.y, block.z)
                                         : fmt::format("({}, {})", block.x, block.y));
}

std::uint64_t phases_of_kind(const FieldPlace& place, analysis::PhaseKind kind) {
  return static_cast<std::uint64_t>(std::ranges::count(place.loaded.facts->phase_kinds, kind));
}

LaunchValue phase_in_words_of(const FieldPlace& place) {
  const auto& kinds = place.loaded.facts->phase_kinds;
  if (place.selection.phase >= kinds.size()) return std::nullopt;
  return text_field(analysis::phase_in_words(kinds, place.selection.phase));
}

std::shared_ptr<const analysis::Pipeline> pipeline_at(const FieldPlace& place) {
  return place.loaded.facts->pipelines->at(*place.loaded.recording, place.selection.event_block);
}

LaunchValue size_field(std::uint64_t size) {
  return size == 0 ? std::nullopt : whole_field(size);
}

struct LaunchFieldRow {
  const char* name;
  const char* meaning;
  LaunchValue (*value)(const FieldPlace&);
};

const LaunchFieldRow kLaunchFields[] = {
    {"kernel", marked("The kernel's name"),
     [](const FieldPlace& place) { return LaunchValue(text_field(place.loaded.recording->kernel)); }},
    {"m", marked("Rows of A and of C; of other kernels what they call m"),
     [](const FieldPlace& place) { return size_field(place.loaded.recording->m); }},
    {"p", marked("Columns of A and rows of B"),
     [](const FieldPlace& place) { return size_field(place.loaded.recording->p); }},
    {"n", marked("Columns of B and of C; of other kernels what they call n"),
     [](const FieldPlace& place) { return size_field(place.loaded.recording->n); }},
    {"type", marked("Type of the elements"),
     [](const FieldPlace& place) { return LaunchValue(text_field(place.loaded.recording->value_type)); }},
    {"rules", marked("Compute capability whose memory rules hold"),
     [](const FieldPlace& place) { return LaunchValue(text_field(place.loaded.cc.name())); }},
    {"grid", marked("Blocks of the grid along x and y"),
     [](const FieldPlace& place) {
       return LaunchValue(text_field(extent_in_words(place.loaded.recording->grid)));
     }},
    {"blocks", marked("Blocks of the grid"),
     [](const FieldPlace& place) { return whole_field(place.loaded.recording->blocks_total); }},
    {"block.shape", marked("Threads of a block along x and y"),
     [](const FieldPlace& place) {
       return LaunchValue(text_field(extent_in_words(place.loaded.recording->block)));
     }},
    {"threads", marked("Threads of a block"),
     [](const FieldPlace& place) { return whole_field(place.loaded.recording->block.count()); }},
    {"warps", marked("Warps of a block"),
     [](const FieldPlace& place) { return whole_field(place.loaded.recording->warps_per_block()); }},
    {"shared_bytes", marked("Bytes of shared memory that a block has"),
     [](const FieldPlace& place) { return whole_field(place.loaded.recording->shared_bytes); }},
    {"instructions", marked("Instructions that warps executed, as PTX counts them"),
     [](const FieldPlace& place) { return whole_field(place.loaded.recording->warp_instructions); }},
    {"block", marked("The selected block: (3, 2)"), block_in_words},
    {"warp", marked("The selected warp, from 0"),
     [](const FieldPlace& place) { return whole_field(place.selection.warp); }},
    {"phase", marked("The selected phase, from 1"),
     [](const FieldPlace& place) { return whole_field(std::uint64_t{place.selection.phase} + 1); }},
    {"phase.name", marked("The selected phase in words: tile 6 of 8, fill"), phase_in_words_of},
    {"phases", marked("Phases of a block"),
     [](const FieldPlace& place) { return whole_field(place.loaded.recording->phases.size()); }},
    {"phases.fill", marked("Phases that fill shared memory"),
     [](const FieldPlace& place) { return whole_field(phases_of_kind(place, analysis::PhaseKind::fill)); }},
    {"phases.compute", marked("Phases that read shared memory"),
     [](const FieldPlace& place) {
       return whole_field(phases_of_kind(place, analysis::PhaseKind::compute) +
                          phases_of_kind(place, analysis::PhaseKind::compute_and_fill));
     }},
    {"pipeline.stages", marked("Stages of shared memory: parts that are filled at the same times"),
     [](const FieldPlace& place) {
       const auto pipeline = pipeline_at(place);
       return whole_field(pipeline->stages.size() + pipeline->left_out);
     }},
    {"pipeline.phases_in_flight",
     marked(
         "The most barriers between the issue and the completion of an asynchronous copy; 0 without copies"),
     [](const FieldPlace& place) {
       const std::optional<std::uint32_t> phases = analysis::phases_in_flight(*pipeline_at(place));
       return phases ? whole_field(*phases) : std::nullopt;
     }},
    {"step", marked("The selected step, from 1"),
     [](const FieldPlace& place) { return whole_field(std::uint64_t{place.selection.step} + 1); }},
    {"steps", marked("Steps of the warp in the selected phase"),
     [](const FieldPlace& place) {
       const Selection& at = place.selection;
       return whole_field(events_of_phase(*place.loaded.recording, at.event_block, at.warp, at.phase).size());
     }},
    {"verified", marked("Whether the result is right: right or wrong"),
     [](const FieldPlace& place) {
       const auto verified = place.loaded.verified;
       return verified ? LaunchValue(text_field(*verified ? tr("right") : tr("wrong"))) : std::nullopt;
     }},
};

using OfTotals = LaunchValue (*)(const analysis::Totals&);
struct TotalsField {
  const char* name;
  const char* meaning;
  enum class Of : unsigned char { any, shared, global } of;
  OfTotals value;
};

LaunchValue ratio_field(std::uint64_t of, std::uint64_t to) {
  return to == 0 ? std::nullopt
                 : LaunchValue(number_field(static_cast<double>(of) / static_cast<double>(to)));
}

const TotalsField kTotalsFields[] = {
    {"requests", marked("Requests of the launch"), TotalsField::Of::any,
     [](const analysis::Totals& totals) { return whole_field(totals.requests); }},
    {"requested_bytes", marked("Bytes that its lanes request"), TotalsField::Of::any,
     [](const analysis::Totals& totals) { return whole_field(totals.requested_bytes); }},
    {"divergent", marked("Partially active requests"), TotalsField::Of::any,
     [](const analysis::Totals& totals) { return whole_field(totals.divergent_requests); }},
    {"wavefronts", marked("Wavefronts of all requests"), TotalsField::Of::shared,
     [](const analysis::Totals& totals) { return whole_field(totals.cost.wavefronts); }},
    {"ideal", marked("Wavefronts without bank conflicts"), TotalsField::Of::shared,
     [](const analysis::Totals& totals) { return whole_field(totals.cost.ideal_wavefronts); }},
    {"conflicts", marked("Bank conflicts of all requests"), TotalsField::Of::shared,
     [](const analysis::Totals& totals) { return whole_field(totals.cost.bank_conflicts); }},
    {"a_request", marked("Wavefronts per request"), TotalsField::Of::shared,
     [](const analysis::Totals& totals) { return ratio_field(totals.cost.wavefronts, totals.requests); }},
    {"sectors", marked("Sectors of all requests"), TotalsField::Of::global,
     [](const analysis::Totals& totals) { return whole_field(totals.cost.sectors); }},
    {"ideal", marked("Sectors if the lanes of each request lay side by side"), TotalsField::Of::global,
     [](const analysis::Totals& totals) { return whole_field(totals.cost.ideal_sectors); }},
    {"lines", marked("Lines of 128 bytes of all requests"), TotalsField::Of::global,
     [](const analysis::Totals& totals) { return whole_field(totals.cost.lines); }},
    {"a_request", marked("Sectors per request"), TotalsField::Of::global,
     [](const analysis::Totals& totals) { return ratio_field(totals.cost.sectors, totals.requests); }},
};

void add_totals(std::vector<LessonField>& fields, bool compiled) {
  for (const analysis::TotalsKind& kind : analysis::totals_kinds()) {
    for (const TotalsField& field : kTotalsFields) {
      if ((field.of == TotalsField::Of::shared && !kind.shared()) ||
          (field.of == TotalsField::Of::global && kind.shared()))
        continue;
      fields.push_back(
          {fmt::format("{}{}.{}", compiled ? "compiled." : "", kind.id, field.name), field.meaning,
           compiled ? kMachineCode : kSomeRequest,
           [totals = kind.totals, of = field.value, compiled](const FieldPlace& place) -> LaunchValue {
             if (compiled && !place.loaded.compiled.has_counts()) return std::nullopt;
             return of((compiled ? place.loaded.compiled.report : place.loaded.report).*totals);
           }});
    }
  }
}

}  // namespace

void add_launch_fields(std::vector<LessonField>& fields) {
  for (const LaunchFieldRow& field : kLaunchFields)
    fields.push_back({field.name, field.meaning, kSomePhase, field.value});
  add_totals(fields, false);
  add_totals(fields, true);
}

}  // namespace warplens::app
