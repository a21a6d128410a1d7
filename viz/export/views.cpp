#include "viz/export/views.h"

#include <algorithm>

#include "viz/analysis/divergence.h"
#include "viz/analysis/reuse.h"
#include "viz/analysis/totals.h"
#include "viz/picture/banks.h"
#include "viz/picture/coalescing.h"
#include "viz/picture/divergence.h"
#include "viz/picture/matrix_heat.h"
#include "viz/picture/occupancy.h"
#include "viz/picture/phase_strip.h"
#include "viz/picture/roofline.h"
#include "viz/picture/source_margin.h"
#include "viz/picture/tile_phases.h"

namespace warplens::viz {
namespace {

using picture::Moment;
using picture::Picture;
using picture::Size;
using picture::Style;

Picture coalescing(const Moment& moment, Size size, const Style& style) {
  return picture::make_coalescing(moment, {}, size, style);
}

Picture banks(const Moment& moment, Size size, const Style& style) {
  return picture::make_banks(moment, {}, size, style);
}

Picture phases(const Moment& moment, Size size, const Style& style) {
  return picture::make_tile_phases(moment, analysis::phase_kinds(*moment.recording), {}, size, style);
}

Picture heat(const Moment& moment, Size size, const Style& style) {
  return picture::make_matrix_heat(*moment.recording, analysis::element_counts(*moment.recording), {}, size, style);
}

Picture divergence(const Moment& moment, Size size, const Style& style) {
  return picture::make_divergence(moment, analysis::divergence(*moment.recording), std::nullopt, {}, size, style);
}

Picture source(const Moment& moment, Size size, const Style& style) {
  const auto event = moment.event();
  const std::uint32_t line = event ? moment.site_of(*event).line : 0;
  return picture::make_source_margin(*moment.recording, analysis::report(*moment.recording, moment.cc), source_file(*moment.recording), line, size,
                                     style);
}

Picture roofline(const ExportRequest& request, Size size, const Style& style) {
  return picture::make_roofline(arithmetic_of(request), size, style);
}

Picture intensity(const ExportRequest& request, Size size, const Style& style) {
  return picture::make_intensity_ladder(arithmetic_of(request), size, style);
}

Picture gain(const ExportRequest& request, Size size, const Style& style) {
  return picture::make_gain(arithmetic_of(request), {}, size, style);
}

Picture scrubber(const Moment& moment, Size size, const Style& style) {
  return picture::make_phase_strip(moment, analysis::phase_kinds(*moment.recording), size, style);
}

Picture occupancy(const ExportRequest& request, Size size, const Style& style) {
  const analysis::OccupancySubject subject = occupancy_subject_of(request);
  return picture::make_occupancy(subject, {.cc = request.cc, .needs = subject.needs_for(request.cc)}, size, style);
}

}  // namespace

const std::vector<View>& views() {
  static const std::vector<View> all{{"coalescing", "Coalescing", coalescing, coalescing_table},
                                     {"banks", "Banks", banks, banks_table},
                                     {"phases", "Tile phases", phases, phases_table},
                                     {"heat", "Matrix heat", heat, heat_table},
                                     {"divergence", "Divergence", divergence, divergence_table},
                                     {"source", "Source", source, source_table},
                                     {"scrubber", "Phases", scrubber, phases_table},
                                     {"occupancy", "Occupancy", nullptr, nullptr, occupancy, occupancy_table},
                                     {"roofline", "Roofline", nullptr, nullptr, roofline, intensity_table},
                                     {"intensity", "Roofline", nullptr, nullptr, intensity, intensity_table},
                                     {"gain", "Roofline", nullptr, nullptr, gain, gain_table}};
  return all;
}

analysis::Arithmetic arithmetic_of(const ExportRequest& request) {
  if (request.arithmetic) return *request.arithmetic;
  analysis::Arithmetic arithmetic;
  arithmetic.kernel = request.recording->kernel;
  const auto counted = analysis::count_arithmetic(*request.recording, analysis::report(*request.recording, request.cc));
  if (counted) {
    arithmetic.counted = *counted;
  } else {
    arithmetic.why_not = counted.error().what;
    arithmetic.what_to_do = counted.error().hint;
  }
  arithmetic.device = analysis::device_cards().front().name;
  return arithmetic;
}

std::uint32_t source_file(const Recording& recording) {
  std::vector<std::size_t> sites(std::max<std::size_t>(1, recording.files.size()));
  for (const Site& site : recording.sites) {
    if (site.file < sites.size()) ++sites[site.file];
  }
  return static_cast<std::uint32_t>(std::max_element(sites.begin(), sites.end()) - sites.begin());
}

}  // namespace warplens::viz
