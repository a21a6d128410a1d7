#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "app/lesson/field_tables.h"
#include "app/session/finding_words.h"
#include "app/session/navigation.h"
#include "app/session/place.h"
#include "kernels/base/texts.h"
#include "kernels/catalog/published.h"
#include "viz/analysis/finding_rows.h"
#include "viz/picture/moment.h"

namespace warplens::app {
namespace {

constexpr const char* kMachineCodeAtHand =
    marked("It has a value where machine code of the kernel is at hand.");
constexpr const char* kProduct =
    marked("It has a value where the kernel is a product, and all blocks were replayed.");
constexpr const char* kSomethingWrong = marked("It has a value where something wrong was found.");
constexpr const char* kMeasuredKernel =
    marked("It has a value for the ladder's kernels with their usual parameters, which were measured.");
constexpr const char* kRequests = marked("It has a value where the selected access makes requests.");

using Derived = std::optional<FieldValue>;

/// The access of the source that the selected one belongs to.
const analysis::AccessLanes* lanes_at(const FieldPlace& place) {
  const auto event = current_event(*place.loaded.recording, place.selection);
  const analysis::Divergence& divergence = place.loaded.divergence();
  if (!event || divergence.empty()) return nullptr;
  const std::int32_t access = divergence.access_of[place.loaded.recording->events.site[*event]];
  return access < 0 ? nullptr : &divergence.accesses[static_cast<std::size_t>(access)];
}

struct LanesField {
  const char* name;
  const char* meaning;
  Derived (*value)(const analysis::AccessLanes&);
};
const LanesField kLanesFields[] = {
    {"divergence.requests", marked("Requests by the selected access of the source, of all blocks"),
     [](const analysis::AccessLanes& lanes) { return whole_field(lanes.requests); }},
    {"divergence.divergent", marked("Of those requests the divergent ones"),
     [](const analysis::AccessLanes& lanes) { return whole_field(lanes.divergent_requests); }},
    {"divergence.lanes", marked("Active lanes per request of those"),
     [](const analysis::AccessLanes& lanes) { return Derived(number_field(lanes.mean_lanes())); }},
    {"divergence.warp_phases", marked("Warps times phases in which some warp makes that access"),
     [](const analysis::AccessLanes& lanes) { return whole_field(lanes.warp_phases); }},
    {"divergence.divergent_warp_phases", marked("Of those the divergent ones"),
     [](const analysis::AccessLanes& lanes) { return whole_field(lanes.divergent); }},
};

analysis::Occupancy occupancy_at(const FieldPlace& place) {
  return place.loaded.occupancy.occupancy_on(place.loaded.cc);
}
const analysis::CompiledVariant* compiled_variant(const FieldPlace& place) {
  const analysis::CompiledResources* const compiled = place.loaded.occupancy.compiled_for(place.loaded.cc);
  return compiled == nullptr ? nullptr : compiled->recorded();
}

std::string limits_of(const analysis::Occupancy& occupancy) {
  std::vector<std::string> names;
  for (const analysis::OccupancyLimit limit : analysis::kOccupancyLimits) {
    if (occupancy.limit(limit).binds) names.emplace_back(tr(analysis::name_of(limit)));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

struct DerivedField {
  const char* name;
  const char* meaning;
  const char* needs;
  Derived (*value)(const FieldPlace&);
};

const DerivedField kOccupancyFields[] = {
    {"occupancy.blocks", marked("Blocks that a multiprocessor holds at once"), "",
     [](const FieldPlace& place) { return whole_field(occupancy_at(place).blocks); }},
    {"occupancy.warps", marked("Warps that a multiprocessor holds at once"), "",
     [](const FieldPlace& place) { return whole_field(occupancy_at(place).warps); }},
    {"occupancy.most", marked("Warps that a multiprocessor can hold"), "",
     [](const FieldPlace& place) { return whole_field(occupancy_at(place).max_warps); }},
    {"occupancy.share", marked("The part of them that it holds, in percent"), "",
     [](const FieldPlace& place) { return Derived(share_field(occupancy_at(place).share())); }},
    {"occupancy.limit", marked("What allows no more: threads, registers, shared memory, blocks"), "",
     [](const FieldPlace& place) { return Derived(text_field(limits_of(occupancy_at(place)))); }},
    {"occupancy.waves", marked("Waves in which the grid goes over all multiprocessors"), "",
     [](const FieldPlace& place) { return whole_field(occupancy_at(place).waves); }},
    {"occupancy.registers", marked("Registers of a thread, as compiled"), kMachineCodeAtHand,
     [](const FieldPlace& place) {
       const auto registers = place.loaded.occupancy.needs_for(place.loaded.cc).registers;
       return registers ? whole_field(*registers) : std::nullopt;
     }},
    {"occupancy.stack_bytes", marked("Bytes of local memory of a thread, as compiled"), kMachineCodeAtHand,
     [](const FieldPlace& place) {
       const auto* const variant = compiled_variant(place);
       return variant != nullptr ? whole_field(variant->stack_bytes) : std::nullopt;
     }},
    {"occupancy.spilled_bytes", marked("Bytes that a thread's code stores where registers are spilled"),
     kMachineCodeAtHand,
     [](const FieldPlace& place) {
       const auto* const variant = compiled_variant(place);
       return variant != nullptr ? whole_field(variant->spill_store_bytes) : std::nullopt;
     }},
    {"compiled.architecture", marked("The machine code that stands for the memory rules: sm_90"),
     kMachineCodeAtHand,
     [](const FieldPlace& place) {
       return place.loaded.compiled.architecture.empty()
                  ? std::nullopt
                  : Derived(text_field(place.loaded.compiled.architecture));
     }},
};

using OfCounted = Derived (*)(const analysis::CountedArithmetic&);
struct ArithmeticField {
  const char* name;
  const char* meaning;
  OfCounted value;
};
const ArithmeticField kArithmeticFields[] = {
    {"arithmetic.flops", marked("Operations of the product: two for each term"),
     [](const analysis::CountedArithmetic& counted) { return Derived(number_field(counted.flops)); }},
    {"arithmetic.intensity", marked("Operations per byte fetched from global memory, in flop/B"),
     [](const analysis::CountedArithmetic& counted) {
       return Derived(number_field(counted.roof_intensity()));
     }},
    {"arithmetic.requested_intensity", marked("Operations per byte that loads request (CGMA), in flop/B"),
     [](const analysis::CountedArithmetic& counted) {
       return Derived(number_field(counted.requested_intensity()));
     }},
    {"arithmetic.global_loads", marked("Elements loaded from global memory, by all threads"),
     [](const analysis::CountedArithmetic& counted) { return whole_field(counted.global_loads); }},
    {"arithmetic.loads_a_term", marked("Elements loaded from global memory for each multiply-add"),
     [](const analysis::CountedArithmetic& counted) {
       return Derived(number_field(counted.per_multiply_add(counted.global_loads)));
     }},
    {"arithmetic.shared_loads_a_term", marked("Elements read from shared memory for each multiply-add"),
     [](const analysis::CountedArithmetic& counted) {
       return Derived(number_field(counted.per_multiply_add(counted.shared_loads)));
     }},
};

const DerivedField kRoofFields[] = {
    {"roof.peak", marked("Peak of the roofline, in GFLOP/s"), "",
     [](const FieldPlace& place) { return Derived(number_field(place.loaded.arithmetic.roof.peak_gflops)); }},
    {"roof.bandwidth", marked("Bandwidth of the roofline's memory, in GB/s"), "",
     [](const FieldPlace& place) {
       return Derived(number_field(place.loaded.arithmetic.roof.bandwidth_gbps));
     }},
    {"roof.ridge", marked("The ridge point: operations per byte from which the peak is the limit, in flop/B"),
     "", [](const FieldPlace& place) { return Derived(number_field(place.loaded.arithmetic.roof.ridge())); }},
    {"roof.memory",
     marked("What the bytes that are fetched let the kernel reach under that roof, in GFLOP/s"), kProduct,
     [](const FieldPlace& place) {
       const analysis::Arithmetic& arithmetic = place.loaded.arithmetic;
       return arithmetic.counted
                  ? Derived(number_field(arithmetic.roof.attainable(arithmetic.counted->roof_intensity())))
                  : std::nullopt;
     }},
};

const Finding* first_finding(const FieldPlace& place) {
  const std::vector<Finding>& findings = place.loaded.recording->findings;
  return findings.empty() ? nullptr : &findings.front();
}

struct FindingField {
  const char* name;
  const char* meaning;
  Derived (*value)(const Finding&, const Recording&);
};
const FindingField kFindingFields[] = {
    {"finding.kind", marked("What was found first: a race, an access out of bounds, .."),
     [](const Finding& finding, const Recording&) { return Derived(text_field(words_for(finding.kind))); }},
    {"finding.count", marked("How often it was found"),
     [](const Finding& finding, const Recording&) { return whole_field(finding.count); }},
    {"finding.line", marked("Its source line"),
     [](const Finding& finding, const Recording&) { return whole_field(finding.line); }},
    {"finding.other_line", marked("The line of the other access of a race, or of the other barrier"),
     [](const Finding& finding, const Recording&) {
       return finding.other_line == 0 ? std::nullopt : whole_field(finding.other_line);
     }},
    {"finding.warp", marked("The warp that it was found in"),
     [](const Finding& finding, const Recording&) { return whole_field(finding.warp); }},
    {"finding.lanes", marked("How many lanes are concerned"),
     [](const Finding& finding, const Recording&) {
       return whole_field(static_cast<std::uint64_t>(std::popcount(finding.lanes)));
     }},
    {"finding.which_lanes", marked("Which lanes are concerned: 0–15"),
     [](const Finding& finding, const Recording&) {
       return Derived(text_field(picture::lane_numbers(finding.lanes)));
     }},
    {"finding.other_lanes", marked("The other lanes of the warp"),
     [](const Finding& finding, const Recording& recording) {
       const std::uint32_t others = analysis::launched_lanes(recording, finding.warp) & ~finding.lanes;
       return others == 0 ? std::nullopt : Derived(text_field(picture::lane_numbers(others)));
     }},
    {"finding.text", marked("The finding in a sentence"),
     [](const Finding& finding, const Recording&) { return Derived(text_field(sentence_for(finding))); }},
};

/// What was measured of the kernel, and of cuBLAS, where every kernel of the ladder was.
struct MeasuredLadder {
  const PublishedTable* table = nullptr;
  const PublishedPoint* kernel = nullptr;
  const PublishedPoint* cublas = nullptr;
};
/// The ladder was measured with the parameters that its kernels have if nobody says others.
bool is_as_measured(const Recording& recording) {
  const KernelDescriptor* const kernel = ladder_kernel_of(recording);
  return kernel != nullptr &&
         std::ranges::all_of(kernel->parameters, [&recording](const ParameterInfo& parameter) {
           const auto own = std::ranges::find(recording.parameters, parameter.name, &NamedValue::name);
           return own != recording.parameters.end() && own->value == parameter.default_value;
         });
}
std::optional<MeasuredLadder> measured_ladder(const FieldPlace& place) {
  if (!is_as_measured(*place.loaded.recording)) return std::nullopt;
  const PublishedTable* const table = shipped_ladder(place.loaded.recording->value_type);
  if (table == nullptr) return std::nullopt;
  MeasuredLadder measured{.table = table};
  for (const PublishedSeries& series : table->series) {
    for (const PublishedPoint& point : series.points) {
      if (point.name == "cublas") measured.cublas = &point;
      if (point.name == place.loaded.recording->kernel) measured.kernel = &point;
    }
  }
  return measured.kernel != nullptr && measured.cublas != nullptr ? std::optional(measured) : std::nullopt;
}

template <class Of>
Derived of_measured(const FieldPlace& place, Of of) {
  const auto measured = measured_ladder(place);
  return measured ? Derived(of(*measured)) : std::nullopt;
}

const DerivedField kMeasuredFields[] = {
    {"measured.machine", marked("The machine on which the ladder was measured (assets/reference)"),
     kMeasuredKernel,
     [](const FieldPlace& place) {
       return of_measured(place,
                          [](const MeasuredLadder& of) { return text_field(tr(of.table->machine.c_str())); });
     }},
    {"measured.size", marked("m, p and n when the ladder was measured"), kMeasuredKernel,
     [](const FieldPlace& place) {
       return of_measured(
           place, [](const MeasuredLadder& of) { return number_field(static_cast<double>(of.kernel->n)); });
     }},
    {"measured.gflops", marked("What this kernel reached there, in GFLOP/s"), kMeasuredKernel,
     [](const FieldPlace& place) {
       return of_measured(place, [](const MeasuredLadder& of) { return number_field(of.kernel->gflops); });
     }},
    {"measured.cublas_gflops", marked("What cuBLAS reached there, in GFLOP/s"), kMeasuredKernel,
     [](const FieldPlace& place) {
       return of_measured(place, [](const MeasuredLadder& of) { return number_field(of.cublas->gflops); });
     }},
    {"measured.of_cublas", marked("This kernel's rate in percent of cuBLAS's"), kMeasuredKernel,
     [](const FieldPlace& place) {
       return of_measured(place, [](const MeasuredLadder& of) {
         return share_field(of.kernel->gflops / of.cublas->gflops);
       });
     }},
};

}  // namespace

void add_derived_fields(std::vector<LessonField>& fields) {
  for (const LanesField& field : kLanesFields) {
    fields.push_back(
        {field.name, field.meaning, kRequests, [of = field.value](const FieldPlace& place) -> Derived {
           const analysis::AccessLanes* const lanes = lanes_at(place);
           return lanes != nullptr ? of(*lanes) : std::nullopt;
         }});
  }
  for (const DerivedField& field : kOccupancyFields)
    fields.push_back({field.name, field.meaning, field.needs, field.value});
  for (const ArithmeticField& field : kArithmeticFields) {
    fields.push_back(
        {field.name, field.meaning, kProduct, [of = field.value](const FieldPlace& place) -> Derived {
           const auto& counted = place.loaded.arithmetic.counted;
           return counted ? of(*counted) : std::nullopt;
         }});
  }
  for (const DerivedField& field : kRoofFields)
    fields.push_back({field.name, field.meaning, field.needs, field.value});
  fields.push_back({"findings", marked("How many kinds of mistakes were found, told apart by their lines"),
                    "", [](const FieldPlace& place) {
                      return whole_field(analysis::finding_rows(place.loaded.recording->findings).size());
                    }});
  for (const FindingField& field : kFindingFields) {
    fields.push_back(
        {field.name, field.meaning, kSomethingWrong, [of = field.value](const FieldPlace& place) -> Derived {
           const Finding* const finding = first_finding(place);
           return finding != nullptr ? of(*finding, *place.loaded.recording) : std::nullopt;
         }});
  }
  for (const DerivedField& field : kMeasuredFields)
    fields.push_back({field.name, field.meaning, field.needs, field.value});
}

}  // namespace warplens::app
