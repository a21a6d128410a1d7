#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "app/lesson/field_tables.h"
#include "app/session/navigation.h"
#include "app/session/subject.h"
#include "kernels/base/figures.h"
#include "kernels/base/text.h"
#include "kernels/base/texts.h"
#include "viz/analysis/line_figures.h"
#include "viz/analysis/reuse.h"

namespace warplens::app {
namespace {

constexpr const char* kAnyAccess =
    marked("It has a value where the warp makes an access at the selected place.");
constexpr const char* kSharedAccess =
    marked("It has a value where the selected access is one of shared memory.");
constexpr const char* kGlobalAccess =
    marked("It has a value where the selected access is one of global or local memory.");
constexpr const char* kKnownElement =
    marked("It has a value where the lane touches an element of a buffer or of a shared array.");

using Value = std::optional<FieldValue>;

/// The selected access, costed. At least one lane is active.
struct CostedAccess {
  picture::Moment moment;
  std::size_t event = 0;
  const Site& site;
  analysis::WarpAccess access;
  AccessCost cost;

  [[nodiscard]] bool shared() const { return site.space == Space::shared; }
  [[nodiscard]] const Recording& recording() const { return *moment.recording; }
  [[nodiscard]] std::uint64_t amount() const { return shared() ? cost.wavefronts : cost.sectors; }
  [[nodiscard]] std::uint64_t ideal() const { return shared() ? cost.ideal_wavefronts : cost.ideal_sectors; }
  [[nodiscard]] int lowest_lane() const { return std::countr_zero(access.mask); }
  [[nodiscard]] int highest_lane() const { return kWarpSize - 1 - std::countl_zero(access.mask); }
};

using OfAccess = Value (*)(const CostedAccess&, const FieldPlace&);

std::optional<CostedAccess> costed_access(const FieldPlace& place) {
  const picture::Moment moment = moment_of(place.loaded, place.selection);
  const auto event = current_event(*place.loaded.recording, place.selection);
  if (!event || place.loaded.recording->events.mask[*event] == 0) return std::nullopt;
  CostedAccess costed{moment, *event, moment.site_of(*event), moment.access(*event), {}};
  costed.cost = analysis::access_cost(costed.access, moment.cc);
  return costed;
}

/// The lane that is lit, or else the lowest that is active; nullopt: it is not active.
std::optional<int> lane_meant(const CostedAccess& access, const FieldPlace& place) {
  const int lane = place.selection.lane.value_or(access.lowest_lane());
  return (access.access.mask >> lane & 1) != 0 ? std::optional(lane) : std::nullopt;
}

Value element_of(const CostedAccess& access, int lane) {
  const std::uint64_t address = access.access.address[static_cast<std::size_t>(lane)];
  const std::string name = access.shared() ? picture::shared_place_name(access.recording(), address)
                                           : picture::place_name(access.recording(), address);
  if (name.find('[') == std::string::npos) return std::nullopt;
  return text_field(name);
}

Value element_of_lane(const CostedAccess& access, const FieldPlace& place) {
  const auto lane = lane_meant(access, place);
  return lane ? element_of(access, *lane) : std::nullopt;
}

/// threadIdx of a lane of the selected warp: "(5, 0)".
Value thread_of_lane(const CostedAccess& access, const FieldPlace& place) {
  const auto lane = lane_meant(access, place);
  if (!lane) return std::nullopt;
  const Dim3 thread =
      index_from_linear(access.recording().block,
                        std::uint64_t{place.selection.warp} * kWarpSize + static_cast<std::uint64_t>(*lane));
  return text_field(access.recording().block.z > 1 ? fmt::format("({}, {}, {})", thread.x, thread.y, thread.z)
                                                   : fmt::format("({}, {})", thread.x, thread.y));
}

Value bank_of_lane(const CostedAccess& access, const FieldPlace& place) {
  const auto lane = lane_meant(access, place);
  if (!lane || !access.shared()) return std::nullopt;
  for (const auto& wavefront : analysis::unfold(access.access, access.moment.cc).wavefronts) {
    for (const analysis::LaneService& service : wavefront) {
      if (service.lane == *lane) return whole_field(static_cast<std::uint64_t>(service.bank));
    }
  }
  return std::nullopt;
}

/// Bytes from each active lane to the next, where they are the same for all.
Value apart_of(const CostedAccess& access, const FieldPlace&) {
  std::optional<std::int64_t> stride, last;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((access.access.mask >> lane & 1) == 0) continue;
    const auto address = static_cast<std::int64_t>(access.access.address[static_cast<std::size_t>(lane)]);
    if (last && stride && address - *last != *stride) return std::nullopt;
    if (last) stride = address - *last;
    last = address;
  }
  return stride ? Value(number_field(static_cast<double>(*stride))) : std::nullopt;
}

Value distinct_words(const CostedAccess& access, const FieldPlace&) {
  std::set<std::uint64_t> words;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((access.access.mask >> lane & 1) == 0) continue;
    const std::uint64_t address = access.access.address[static_cast<std::size_t>(lane)];
    for (std::uint64_t byte = 0; byte < static_cast<std::uint64_t>(access.access.bytes); byte += 4)
      words.insert((address + byte) / 4);
  }
  return whole_field(words.size());
}

Value distinct_banks(const CostedAccess& access, const FieldPlace&) {
  const int all = analysis::memory_rules_of(access.moment.cc).banks;
  std::set<int> banks;
  for (const auto& wavefront : analysis::unfold(access.access, access.moment.cc).wavefronts) {
    for (const analysis::LaneService& service : wavefront) {
      for (int word = 0; word < service.words; ++word) banks.insert((service.bank + word) % all);
    }
  }
  return whole_field(banks.size());
}

Value efficiency_of(const CostedAccess& access, const FieldPlace&) {
  const analysis::Coalescing coalescing = analysis::coalesce(access.access, access.moment.cc);
  if (coalescing.fetched_bytes == 0) return std::nullopt;
  return share_field(static_cast<double>(coalescing.useful_bytes) /
                     static_cast<double>(coalescing.fetched_bytes));
}

const SharedArray* shared_array_of(const CostedAccess& access) {
  const std::string name = picture::array_of(access.recording(), access.event);
  const auto found = std::ranges::find(access.recording().shared_arrays, name, &SharedArray::name);
  return !access.shared() || found == access.recording().shared_arrays.end() ? nullptr : &*found;
}
const Buffer* buffer_of(const CostedAccess& access) {
  const std::string name = picture::array_of(access.recording(), access.event);
  const auto found = std::ranges::find(access.recording().buffers, name, &Buffer::name);
  return access.shared() || found == access.recording().buffers.end() ? nullptr : &*found;
}

Value rows_of_array(const CostedAccess& access, const FieldPlace&) {
  if (const SharedArray* const array = shared_array_of(access)) return whole_field(array->rows);
  if (const Buffer* const buffer = buffer_of(access)) return whole_field(buffer->rows);
  return std::nullopt;
}
Value row_of_array(const CostedAccess& access, const FieldPlace&) {
  if (const SharedArray* const array = shared_array_of(access))
    return array->pitch == 0 ? std::nullopt : whole_field(array->pitch);
  if (const Buffer* const buffer = buffer_of(access)) return whole_field(buffer->pitch);
  return std::nullopt;
}

struct AccessField {
  const char* name;
  const char* meaning;
  const char* needs;
  OfAccess value;
};

const AccessField kAccessFields[] = {
    {"wavefronts", marked("Passes through shared memory that the selected access takes"), kSharedAccess,
     [](const CostedAccess& access, const FieldPlace&) {
       return access.shared() ? whole_field(access.cost.wavefronts) : std::nullopt;
     }},
    {"conflicts", marked("Bank conflicts of the selected access"), kSharedAccess,
     [](const CostedAccess& access, const FieldPlace&) {
       return access.shared() ? whole_field(access.cost.bank_conflicts) : std::nullopt;
     }},
    {"banks", marked("Banks that the selected access touches"), kSharedAccess,
     [](const CostedAccess& access, const FieldPlace& place) {
       return access.shared() ? distinct_banks(access, place) : std::nullopt;
     }},
    {"groups",
     marked("Groups of lanes that shared memory serves one after the other: quarter-warps of wide loads"),
     kSharedAccess,
     [](const CostedAccess& access, const FieldPlace&) {
       return access.shared() ? whole_field(analysis::unfold(access.access, access.moment.cc).groups.size())
                              : std::nullopt;
     }},
    {"sectors", marked("Sectors that the selected access moves, before compute capability 5.0 transactions"),
     kGlobalAccess,
     [](const CostedAccess& access, const FieldPlace&) {
       return access.shared() ? std::nullopt : whole_field(access.cost.sectors);
     }},
    {"lines", marked("Lines of 128 bytes that the selected access touches"), kGlobalAccess,
     [](const CostedAccess& access, const FieldPlace&) {
       return access.shared() ? std::nullopt : whole_field(access.cost.lines);
     }},
    {"fetched_bytes", marked("Bytes of all transactions of the selected access"), kGlobalAccess,
     [](const CostedAccess& access, const FieldPlace&) {
       return access.shared()
                  ? std::nullopt
                  : whole_field(analysis::coalesce(access.access, access.moment.cc).fetched_bytes);
     }},
    {"useful_bytes", marked("Distinct bytes that some lane of the selected access reads or writes"),
     kGlobalAccess,
     [](const CostedAccess& access, const FieldPlace&) {
       return access.shared() ? std::nullopt
                              : whole_field(analysis::coalesce(access.access, access.moment.cc).useful_bytes);
     }},
    {"efficiency", marked("Useful of the fetched bytes, in percent"), kGlobalAccess,
     [](const CostedAccess& access, const FieldPlace& place) {
       return access.shared() ? std::nullopt : efficiency_of(access, place);
     }},
    {"ideal",
     marked("What the same lanes would need with an element each, side by side: wavefronts, or sectors"),
     kAnyAccess, [](const CostedAccess& access, const FieldPlace&) { return whole_field(access.ideal()); }},
    {"excess", marked("What the selected access takes beyond its ideal"), kAnyAccess,
     [](const CostedAccess& access, const FieldPlace&) {
       return whole_field(access.amount() - std::min(access.amount(), access.ideal()));
     }},
    {"lanes", marked("Active lanes of the selected access"), kAnyAccess,
     [](const CostedAccess& access, const FieldPlace&) {
       return whole_field(static_cast<std::uint64_t>(std::popcount(access.access.mask)));
     }},
    {"idle_lanes", marked("Lanes of the warp that take no part in the selected access"), kAnyAccess,
     [](const CostedAccess& access, const FieldPlace& place) {
       const std::uint32_t launched = analysis::launched_lanes(access.recording(), place.selection.warp);
       return whole_field(static_cast<std::uint64_t>(std::popcount(launched & ~access.access.mask)));
     }},
    {"bytes", marked("Bytes that a lane of the selected access moves"), kAnyAccess,
     [](const CostedAccess& access, const FieldPlace&) {
       return whole_field(static_cast<std::uint64_t>(access.access.bytes));
     }},
    {"requested_bytes", marked("Active lanes times bytes per lane"), kAnyAccess,
     [](const CostedAccess& access, const FieldPlace&) {
       return whole_field(static_cast<std::uint64_t>(std::popcount(access.access.mask)) *
                          static_cast<std::uint64_t>(access.access.bytes));
     }},
    {"words", marked("Distinct words of 4 bytes that the selected access touches"), kAnyAccess,
     distinct_words},
    {"apart", marked("Bytes from each active lane to the next"),
     marked("It has a value where all lanes of the selected access are equally far apart."), apart_of},
    {"access", marked("The selected access in words: global load of A"), kAnyAccess,
     [](const CostedAccess& access, const FieldPlace&) {
       return Value(text_field(picture::access_name(access.moment, access.event)));
     }},
    {"array", marked("The buffer or shared array that the selected access touches"), kKnownElement,
     [](const CostedAccess& access, const FieldPlace&) {
       const std::string name = picture::array_of(access.recording(), access.event);
       return name.empty() ? std::nullopt : Value(text_field(name));
     }},
    {"array.rows", marked("Rows of that array"), kKnownElement, rows_of_array},
    {"array.row", marked("Elements from one row of that array to the next, padding included"), kKnownElement,
     row_of_array},
    {"observation", marked("What to see in the selected access, as its picture says it"), kAnyAccess,
     [](const CostedAccess& access, const FieldPlace&) {
       return Value(text_field(picture::access_sentence(access.moment, access.event)));
     }},
    {"first.element", marked("What the lowest active lane touches: A[3][64]"), kKnownElement,
     [](const CostedAccess& access, const FieldPlace&) { return element_of(access, access.lowest_lane()); }},
    {"last.element", marked("What the highest active lane touches"), kKnownElement,
     [](const CostedAccess& access, const FieldPlace&) { return element_of(access, access.highest_lane()); }},
    {"lane", marked("The lane that is lit, or else the lowest active one"), kAnyAccess,
     [](const CostedAccess& access, const FieldPlace& place) {
       return whole_field(static_cast<std::uint64_t>(place.selection.lane.value_or(access.lowest_lane())));
     }},
    {"lane.element", marked("What that lane touches: A[3][64]"), kKnownElement, element_of_lane},
    {"lane.bank", marked("The bank of what that lane touches"), kSharedAccess, bank_of_lane},
    {"lane.thread", marked("threadIdx of that lane: (5, 0)"), kAnyAccess, thread_of_lane},
    {"line", marked("The source line of the selected access"), kAnyAccess,
     [](const CostedAccess& access, const FieldPlace&) { return whole_field(access.site.line); }},
};

/// The row of the source line's figures that the selected access belongs to.
std::optional<analysis::LineFigures> row_of(const FieldPlace& place) {
  const auto access = costed_access(place);
  if (!access) return std::nullopt;
  const std::uint32_t site = access->recording().events.site[access->event];
  for (analysis::LineFigures& row :
       analysis::line_figures(access->recording(), place.loaded.report, access->site.file, access->site.line,
                              picture::arrays_of_sites(access->recording()))) {
    if (std::ranges::find(row.sites, site) != row.sites.end()) return std::move(row);
  }
  return std::nullopt;
}

using OfRow = Value (*)(const analysis::LineFigures&);
struct RowField {
  const char* name;
  const char* meaning;
  OfRow value;
};
const RowField kRowFields[] = {
    {"line.requests",
     marked("Requests by accesses of the launch like the selected one: of its source line, kind and array"),
     [](const analysis::LineFigures& row) { return whole_field(row.totals.requests); }},
    {"line.cost", marked("Wavefronts, or sectors, of those"),
     [](const analysis::LineFigures& row) { return whole_field(row.cost()); }},
    {"line.ideal", marked("Their ideal"),
     [](const analysis::LineFigures& row) { return whole_field(row.ideal()); }},
    {"line.excess", marked("What they take beyond it"),
     [](const analysis::LineFigures& row) { return whole_field(row.excess()); }},
    {"line.a_request", marked("Wavefronts, or sectors, per request of those"),
     [](const analysis::LineFigures& row) { return Value(number_field(row.cost_per_request())); }},
    {"line.divergent", marked("Of those requests the divergent ones"),
     [](const analysis::LineFigures& row) { return whole_field(row.totals.divergent_requests); }},
};

/// Returns the selected element, or else the one that the lane touches in global memory.
std::optional<ElementRef> element_meant(const FieldPlace& place) {
  if (place.selection.element) return place.selection.element;
  const auto access = costed_access(place);
  if (!access || access->shared()) return std::nullopt;
  const auto lane = lane_meant(*access, place);
  analysis::ElementPlace element;
  if (!lane || !analysis::locate(access->recording(), access->access.address[static_cast<std::size_t>(*lane)],
                                 element))
    return std::nullopt;
  return ElementRef{element.buffer, element.row, element.column};
}

Value touches(const FieldPlace& place, analysis::ElementTable analysis::ElementCounts::* table) {
  const auto element = element_meant(place);
  const auto& counts = place.loaded.facts->element_counts;
  if (!element || element->buffer >= counts.size() || !counts[element->buffer].complete) return std::nullopt;
  const Buffer& buffer = place.loaded.recording->buffers[element->buffer];
  return whole_field((counts[element->buffer].*table)[element->row * buffer.pitch + element->column]);
}

/// Requests that read it.
Value fetches(const FieldPlace& place) {
  const auto element = element_meant(place);
  if (!element) return std::nullopt;
  const Recording& recording = *place.loaded.recording;
  std::set<std::size_t> events;
  for (const analysis::Touch& touch : analysis::history(
           recording, element->buffer,
           element->row * recording.buffers[element->buffer].pitch + element->column, 1'000'000)) {
    if (recording.sites[recording.events.site[touch.event]].op != AccessOp::store) events.insert(touch.event);
  }
  return whole_field(events.size());
}

}  // namespace

void add_access_fields(std::vector<LessonField>& fields) {
  for (const AccessField& field : kAccessFields) {
    fields.push_back(
        {field.name, field.meaning, field.needs, [of = field.value](const FieldPlace& place) -> Value {
           const auto access = costed_access(place);
           return access ? of(*access, place) : std::nullopt;
         }});
  }
  for (const RowField& field : kRowFields) {
    fields.push_back(
        {field.name, field.meaning, kAnyAccess, [of = field.value](const FieldPlace& place) -> Value {
           const auto row = row_of(place);
           return row ? of(*row) : std::nullopt;
         }});
  }
  fields.push_back(
      {"element.reads",
       marked(
           "How many threads of the recorded blocks read the element that is lit, or that the lane touches"),
       kKnownElement,
       [](const FieldPlace& place) { return touches(place, &analysis::ElementCounts::reads); }});
  fields.push_back(
      {"element.writes", marked("How many threads of the recorded blocks write it"), kKnownElement,
       [](const FieldPlace& place) { return touches(place, &analysis::ElementCounts::writes); }});
  fields.push_back({"element.fetches", marked("How many requests of the recorded blocks read it"),
                    kKnownElement, fetches});
}

}  // namespace warplens::app
