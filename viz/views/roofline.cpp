// The roofline, the ladder's ratios, and what shared memory gains: one panel shows them in turn.
#include "viz/picture/roofline.h"

#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

const analysis::Arithmetic& arithmetic_of(const Subject& subject) {
  return subject.arithmetic ? *subject.arithmetic : subject.results->arithmetic;
}

picture::Picture make_roofline(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_roofline(arithmetic_of(subject), size, style);
}

picture::Picture make_intensity(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_intensity_ladder(arithmetic_of(subject), size, style);
}

picture::Picture make_gain(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_gain(arithmetic_of(subject), subject.times, size, style);
}

/// One row a kernel of the ladder, and the recording as counted: of bytes that are requested, fetched, and of
/// those that shared memory's passes could move.
std::string intensity_table(const Subject& subject) {
  const analysis::Arithmetic& arithmetic = arithmetic_of(subject);
  std::string table = "kernel,from,elements_loaded,flop_per_byte,attainable_gflops,measured_gflops\n";
  const auto row = [&](const std::string& kernel, const char* from, const std::string& loads,
                       double intensity, double attainable, const std::string& measured = "") {
    table +=
        fmt::format("{},{},{},{},{},{}\n", cell(kernel), from, cell(loads), intensity, attainable, measured);
  };
  const analysis::Roof& roof = arithmetic.roof;
  if (arithmetic.counted && arithmetic.counted->requested_bytes > 0) {
    const analysis::CountedArithmetic& counted = *arithmetic.counted;
    const double requested = counted.requested_intensity();
    row(arithmetic.kernel, "requested", std::to_string(counted.global_loads), requested,
        roof.attainable(requested));
    if (const auto fetched = counted.fetched_intensity())
      row(arithmetic.kernel, "fetched", "", *fetched, roof.attainable(*fetched));
    if (const auto shared = analysis::ceilings(counted, roof).shared)
      row(arithmetic.kernel, "shared", "", *shared / roof.shared_gbps, *shared);
  }
  for (const analysis::FormulaKernel& ladder_kernel : arithmetic.ladder) {
    row(ladder_kernel.name, "formula", ladder_kernel.loads, ladder_kernel.intensity,
        roof.attainable(ladder_kernel.intensity),
        ladder_kernel.measured ? fmt::format("{}", ladder_kernel.measured->gflops) : "");
  }
  return table;
}

/// One row a tile edge, and the recording as counted.
std::string gain_table(const Subject& subject) {
  const analysis::Arithmetic& arithmetic = arithmetic_of(subject);
  const analysis::AccessTimes& times = subject.times;
  std::string table = "what,operands_per_global_load,global_loads,shared_loads,t_global,t_shared,gain\n";
  const auto row = [&](const std::string& what, const analysis::AccessesPerMultiplyAdd& accesses) {
    table += fmt::format("{},{},{},{},{},{},{}\n", cell(what), accesses.reuse(), accesses.global,
                         accesses.shared, times.global, times.shared, analysis::gain(times, accesses));
  };
  if (arithmetic.counted && arithmetic.counted->global_loads > 0) {
    const analysis::CountedArithmetic& counted = *arithmetic.counted;
    row(arithmetic.kernel + " (counted)",
        {counted.per_multiply_add(counted.global_loads), counted.per_multiply_add(counted.shared_loads)});
  }
  row("naive", {2, 0});
  row("buffered", {1, 1});
  for (int edge = 1; edge <= 128; edge *= 2) row(fmt::format("tiles of {}", edge), {2.0 / edge, 2});
  return table;
}

const RegisterView kRoofline{{.id = "roofline",
                              .title = marked("Roofline"),
                              .shows = marked("Flops for each byte loaded, what a device lets a kernel reach "
                                              "with that, and what shared memory can gain"),
                              .place = Place::right_bottom,
                              .rank = 60,
                              .make = make_roofline,
                              .table = intensity_table}};
const RegisterView kIntensity{{.id = "intensity",
                               .title = marked("Roofline"),
                               .shows = marked("Flops for each byte loaded, by kernel of the ladder"),
                               .rank = 61,
                               .make = make_intensity,
                               .table = intensity_table}};
const RegisterView kGain{{.id = "gain",
                          .title = marked("Roofline"),
                          .shows = marked("What shared memory can gain over the tile's edge"),
                          .rank = 62,
                          .make = make_gain,
                          .table = gain_table}};

}  // namespace
}  // namespace warplens::viz
