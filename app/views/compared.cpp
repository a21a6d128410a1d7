// A published table with what this window has measured of the same kernels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/session/arithmetic.h"
#include "app/views/own_runs.h"
#include "app/views/processor_rates.h"
#include "app/views/published_rates.h"
#include "kernels/base/texts.h"
#include "kernels/catalog/arithmetic.h"

namespace warplens::app {
namespace {

using picture::Compared;
using picture::ComparedLine;
using picture::ComparedRow;

constexpr const char* kNoGpu = marked("There is no GPU here to compare with.");

std::string time_in_words(double milliseconds) {
  return milliseconds >= 1000 ? formatted("{:.4g} s", milliseconds / 1000)
                              : formatted("{:.4g} ms", milliseconds);
}

std::string name_of(const PublishedPoint& point) {
  return point.tile > 0 ? fmt::format("{}, T = {}", point.name, point.tile) : point.name;
}

bool has_rates(const PublishedTable& table) {
  return std::ranges::any_of(table.series, [](const PublishedSeries& series) {
    return std::ranges::any_of(series.points, [](const PublishedPoint& point) { return point.gflops > 0; });
  });
}

std::string explanation_of(const PublishedTable& table, const PublishedSeries& series,
                           const PublishedPoint& point) {
  const char* const machine = tr(table.machine.c_str());
  std::string what = point.name.empty() ? series.title() : point.name;
  if (point.tile > 0) what += fmt::format(", T = {}", point.tile);
  std::string figures = time_in_words(point.milliseconds);
  if (point.gflops > 0)
    figures = tr("{rate} GFLOP/s, {time}", "rate"_a = picture::in_figures(point.gflops), "time"_a = figures);
  if (!point.description.empty())
    figures = tr("{figures} ({remark})", "figures"_a = figures, "remark"_a = point.description);
  if (point.n == 0)
    return tr("Published, {machine}: {what}: {figures}.", "machine"_a = machine, "what"_a = what,
              "figures"_a = figures);
  return tr("Published, {machine}: {what}, at {size}: {figures}.", "machine"_a = machine, "what"_a = what,
            "size"_a = product_size_in_words(point.m, point.p, point.n), "figures"_a = figures);
}

std::string explanation_of(const gpu::RunResult& run, bool transfers) {
  const std::string kernel = name_with_tile(run.kernel, run.parameters),
                    size = product_size_in_words(run.m, run.p, run.n),
                    rate = picture::in_figures(rate_with(run, transfers));
  if (transfers) {
    return tr("Here, {device}: {kernel} at {size}: {rate} GFLOP/s, both transfers included.",
              "device"_a = run.device, "kernel"_a = kernel, "size"_a = size, "rate"_a = rate);
  }
  return tr("Here, {device}: {kernel} at {size}: {rate} GFLOP/s, the kernel alone.", "device"_a = run.device,
            "kernel"_a = kernel, "size"_a = size, "rate"_a = rate);
}

double products_of(std::uint64_t m, std::uint64_t p, std::uint64_t n) {
  return static_cast<double>(m) * static_cast<double>(p) * static_cast<double>(n);
}

/// T if nothing is said of it; 0 for kernels that have none.
std::int64_t default_tile(const std::string& kernel) {
  const KernelDescriptor* const descriptor = catalog().find(kernel);
  if (descriptor == nullptr) return 0;
  const auto found = std::ranges::find(descriptor->parameters, "T", &ParameterInfo::name);
  return found == descriptor->parameters.end() ? 0 : found->default_value;
}

/// The run of a kernel that is most like a published point: the same tile (the kernel's own if none is given:
/// 32 in the published ladders), then the nearest size, then the latest.
const gpu::RunResult* most_alike(const std::vector<const gpu::RunResult*>& runs, const PublishedPoint& point,
                                 bool transfers) {
  constexpr double kLectureProducts = 1.064e9;  // Where the size is not given
  const double wanted = point.n > 0 ? products_of(point.m, point.p, point.n) : kLectureProducts;
  const std::int64_t wanted_tile = point.tile > 0 ? point.tile : default_tile(point.name);
  const gpu::RunResult* best = nullptr;
  double least = 0;
  for (const gpu::RunResult* const run : runs) {
    if (run->kernel != point.name || run->value_type != "f32" || rate_with(*run, transfers) <= 0) continue;
    const std::int64_t tile = tile_of(run->parameters);
    if (tile > 0 && tile != wanted_tile) continue;
    const double distance = std::abs(std::log(products_of(run->m, run->p, run->n) / wanted));
    if (best != nullptr && distance >= least) continue;
    best = run;
    least = distance;
  }
  return best;
}

void add_kernels(Compared& compared, const PublishedTable& table, const Frame& frame) {
  const std::vector<const gpu::RunResult*> runs = own_runs(frame.model.gpu);
  const bool sizes_differ = std::ranges::any_of(
      table.series.front().points,
      [&](const PublishedPoint& point) { return point.n > table.series.front().points.front().n * 2; });
  std::string size;
  bool one_size = true;
  for (const PublishedPoint& point : table.series.front().points) {
    ComparedRow& row = compared.rows.emplace_back();
    row.short_name = name_of(point);
    row.name =
        sizes_differ ? fmt::format("{}, m = {}", row.short_name, with_thousands(point.m)) : row.short_name;
    row.published = {point.gflops, explanation_of(table, table.series.front(), point)};
    const gpu::RunResult* const own = most_alike(runs, point, table.with_transfers);
    if (own == nullptr) continue;
    row.own = {rate_with(*own, table.with_transfers), explanation_of(*own, table.with_transfers)};
    const std::string own_size = product_size_in_words(own->m, own->p, own->n);
    one_size = one_size && (size.empty() || size == own_size);
    size = own_size;
  }
  const std::string gpu = frame.model.gpu.name();
  compared.own = size.empty() ? gpu
                 : one_size   ? tr("{gpu}, at {size}", "gpu"_a = gpu, "size"_a = size)
                              : tr("{gpu}, at several sizes", "gpu"_a = gpu);
  compared.why_no_own = frame.model.gpu.usable()
                            ? tr("Measure the ladder (Launch menu) to see this GPU's beside them.")
                            : tr(kNoGpu);
}

void add_loop_orders(Compared& compared, const PublishedTable& table, const Frame& frame) {
  for (const PublishedPoint& point : table.series.front().points) {
    ComparedRow& row = compared.rows.emplace_back();
    row.name = row.short_name = point.name;
    row.published = {point.gflops, explanation_of(table, table.series.front(), point)};
    const auto order = std::ranges::find(measure::kCpuProducts, point.name, &measure::name_of);
    if (order == measure::kCpuProducts.end()) continue;
    const double rate = typical(frame.meter.samples(*order));
    if (rate <= 0) continue;
    row.own = {rate, tr("Here, now: {order} at {size}: {rate} GFLOP/s. {explanation}", "order"_a = point.name,
                        "size"_a = frame.meter.size(), "rate"_a = picture::in_figures(rate),
                        "explanation"_a = tr(measure::explanation_of(*order)))};
  }
  compared.own = tr("this CPU, at {size}", "size"_a = frame.meter.size());
  compared.why_no_own = tr("Tick Measure here to see this CPU's beside them.");
}

/// One's own points, by the name of the line ("N = 1,024", "tiled, T = 32") and by place on the axis; of
/// several at one place the latest.
using OwnPoints = std::map<std::string, std::map<double, const gpu::RunResult*>>;

OwnPoints own_points(const PublishedTable& table, const std::vector<const gpu::RunResult*>& runs) {
  OwnPoints lines;
  for (const PublishedSeries& series : table.series) {
    for (const gpu::RunResult* const run : runs) {
      if (series.kernel.empty() || run->kernel != series.kernel || rate_with(*run, table.with_transfers) <= 0)
        continue;
      const std::int64_t tile = tile_of(run->parameters);
      if (table.by == PublishedBy::tile) {
        if (tile > 0)
          lines["N = " + product_size_in_words(run->m, run->p, run->n)].try_emplace(static_cast<double>(tile),
                                                                                    run);
      } else if (run->m == run->p && run->p == run->n) {
        lines[name_with_tile(run->kernel, run->parameters)].try_emplace(static_cast<double>(run->n), run);
      }
    }
  }
  return lines;
}

std::string how_to_sweep(const PublishedTable& table) {
  for (const PublishedSeries& series : table.series) {
    if (series.kernel.empty()) continue;
    return table.by == PublishedBy::tile
               ? tr("Sweep {kernel} over its tile to see this GPU's beside them.", "kernel"_a = series.kernel)
               : tr("Sweep {kernel} over N to see this GPU's beside them.", "kernel"_a = series.kernel);
  }
  return {};
}

void add_lines(Compared& compared, const PublishedTable& table, const Frame& frame, bool rates) {
  const bool by_tile = table.by == PublishedBy::tile;
  compared.axis = by_tile ? tr("tile") : "N";
  for (const PublishedSeries& series : table.series) {
    ComparedLine& line = compared.lines.emplace_back();
    line.name = series.title();
    for (const PublishedPoint& point : series.points) {
      const double at = by_tile ? static_cast<double>(point.tile) : static_cast<double>(point.n);
      line.points.push_back({at, rates ? point.gflops : point.milliseconds});
      line.explanations.push_back(explanation_of(table, series, point));
      if (std::ranges::find(compared.marks, at) == compared.marks.end()) compared.marks.push_back(at);
    }
  }
  std::ranges::sort(compared.marks);
  if (!rates) return;
  for (const auto& [name, points] : own_points(table, own_runs(frame.model.gpu))) {
    ComparedLine& line = compared.lines.emplace_back();
    line.name = tr("here, {line}", "line"_a = name);
    line.own = true;
    for (const auto& [at, run] : points) {
      line.points.push_back({at, rate_with(*run, table.with_transfers)});
      line.explanations.push_back(explanation_of(*run, table.with_transfers));
    }
  }
  compared.own = frame.model.gpu.name();
  compared.why_no_own = frame.model.gpu.usable() ? how_to_sweep(table) : tr(kNoGpu);
}

}  // namespace

Compared compared_with_own(const PublishedTable& table, const Frame& frame) {
  const bool rates = has_rates(table);
  Compared compared{.title = tr(table.title.c_str()),
                    .unit = rates ? "GFLOP/s" : "ms",
                    .machine = tr(table.machine.c_str())};
  const char *const source = tr(table.source.c_str()), *const definition = tr(table.definition.c_str());
  compared.note = table.source.ends_with('.')
                      ? tr("{source} {definition}", "source"_a = source, "definition"_a = definition)
                      : tr("{source}. {definition}", "source"_a = source, "definition"_a = definition);
  switch (table.by) {
    case PublishedBy::kernel: add_kernels(compared, table, frame); break;
    case PublishedBy::loop_order: add_loop_orders(compared, table, frame); break;
    case PublishedBy::tile:
    case PublishedBy::size: add_lines(compared, table, frame, rates); break;
  }
  return compared;
}

}  // namespace warplens::app
