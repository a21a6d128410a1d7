#include "kernels/catalog/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "assets/reference.h"
#include "kernels/base/figures.h"
#include "kernels/base/texts.h"
#include "kernels/catalog/published_csv.h"

namespace warplens {
namespace {

constexpr double kLectureMultiplyAdds = 1.064e9;  // "about", says the lecture; it does not give m, p and n

double rate_of(double multiply_adds, double milliseconds) {
  return milliseconds > 0 ? 2 * multiply_adds / milliseconds * 1e-6 : 0;
}

double cube(std::uint64_t n) {
  return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
}

/// The fields of one row by number, the first error kept: a reader reads all it wants, and asks at the end.
class RowReader {
 public:
  RowReader(const CsvTable& table, const CsvTable::Row& row) : table_(table), row_(row) {}
  [[nodiscard]] const std::string& text(std::size_t column) const { return row_.fields[column]; }
  double number(std::size_t column) {
    const Result<double> value = number_at(table_, row_, column);
    if (value) return *value;
    if (error_.what.empty()) error_ = value.error();
    return 0;
  }
  std::uint64_t count(std::size_t column) { return static_cast<std::uint64_t>(number(column)); }
  [[nodiscard]] bool ok() const { return error_.what.empty(); }
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  const CsvTable& table_;
  const CsvTable::Row& row_;
  Error error_;
};

using Series = std::vector<PublishedSeries>;
using ReadRow = void (*)(RowReader& row, Series& series);

PublishedSeries& series_named(Series& series, const std::string& name, const std::string& kernel = {}) {
  const auto found = std::find_if(series.begin(), series.end(),
                                  [&](const PublishedSeries& one) { return one.name == name; });
  if (found != series.end()) return *found;
  return series.emplace_back(PublishedSeries{name, {}, kernel, {}});
}

/// A point of square matrices, whose time is in seconds and includes both transfers.
PublishedPoint square_point(std::uint64_t n, std::int64_t tile, double seconds) {
  const double milliseconds = seconds * 1e3;
  return {.m = n,
          .p = n,
          .n = n,
          .tile = tile,
          .milliseconds = milliseconds,
          .gflops = rate_of(cube(n), milliseconds)};
}

void add_known(PublishedSeries& series, PublishedPoint point) {
  if (point.milliseconds > 0) series.points.push_back(std::move(point));
}

void read_lecture_kernel(RowReader& row, Series& series) {
  const double milliseconds = row.number(2), published = row.number(3);
  series_named(series, "")
      .points.push_back({.name = row.text(0),
                         .description = row.text(1),
                         .milliseconds = milliseconds,
                         .gflops = published > 0 ? published : rate_of(kLectureMultiplyAdds, milliseconds)});
}

PublishedPoint h200_kernel(RowReader& row) {
  PublishedPoint point{.name = row.text(0),
                       .m = row.count(1),
                       .p = row.count(2),
                       .n = row.count(3),
                       .tile = static_cast<std::int64_t>(row.number(4)),
                       .milliseconds = row.number(5),
                       .gflops = row.number(6)};
  // The table writes the tile of register_tile into its name.
  constexpr std::string_view kRegisterTile = "register_tile_";
  if (point.name.starts_with(kRegisterTile)) {
    std::from_chars(point.name.data() + kRegisterTile.size(), point.name.data() + point.name.size(),
                    point.tile);
    point.name = "register_tile";
  }
  return point;
}

void read_h200_kernel(RowReader& row, Series& series) {
  series_named(series, "").points.push_back(h200_kernel(row));
}

void read_ladder_kernel(RowReader& row, Series& series) {
  PublishedPoint point = h200_kernel(row);
  point.percent_of_cublas = row.number(7);
  series_named(series, "").points.push_back(std::move(point));
}

void read_loop_order(RowReader& row, Series& series) {
  const double milliseconds = row.number(1);
  series_named(series, "")
      .points.push_back({.name = row.text(0),
                         .milliseconds = milliseconds,
                         .gflops = rate_of(kLectureMultiplyAdds, milliseconds)});
}

void read_naive_and_processor(RowReader& row, Series& series) {
  const std::uint64_t n = row.count(0);
  // "GTX 770 (i7 4770)": the GPU, and the processor beside it.
  const std::string& machines = row.text(1);
  const std::size_t bracket = std::min(machines.find(" ("), machines.size());
  std::string processor = machines.substr(std::min(bracket + 2, machines.size()));
  if (processor.ends_with(')')) processor.pop_back();
  PublishedPoint gpu = square_point(n, 0, row.number(3));
  if (const double published = row.number(4); published > 0) gpu.gflops = published;
  add_known(series_named(series, machines.substr(0, bracket), "naive_uncoalesced"), std::move(gpu));
  PublishedSeries& beside = series_named(series, processor + ", a processor");
  beside.processor = processor;
  add_known(beside, square_point(n, 0, row.number(2)));
}

void read_buffered(RowReader& row, Series& series) {
  const std::uint64_t n = row.count(0);
  std::size_t column = 1;
  for (const char* const kernel : {"naive_uncoalesced", "buffered_column", "buffered_row"}) {
    add_known(series_named(series, kernel, kernel), square_point(n, 0, row.number(column++)));
  }
}

/// Columns from the third on are tiles, rows are sizes; the second column, without tiles, is that of
/// read_naive_and_processor again.
void read_tiles(RowReader& row, Series& series, const char* kernel,
                std::initializer_list<std::int64_t> tiles) {
  const std::uint64_t n = row.count(0);
  PublishedSeries& own = series_named(series, fmt::format("N = {}", with_thousands(n)), kernel);
  static_cast<void>(row.number(1));
  std::size_t column = 2;
  for (const std::int64_t tile : tiles) add_known(own, square_point(n, tile, row.number(column++)));
}

void read_p100_tile(RowReader& row, Series& series) {
  add_known(series_named(series, "int32"),
            {.tile = static_cast<std::int64_t>(row.number(0)), .milliseconds = row.number(1)});
}

struct Known {
  const char* id;
  const char* header;
  const char* title;
  const char* machine;
  const char* source;
  const char* definition;
  PublishedBy by;
  bool with_transfers;
  ReadRow read;
  const char *value_type = "", *measured = "";  ///< Of a ladder
};

constexpr const char* kPaper = marked("A journal paper on matrix multiplication on consumer GPUs");
constexpr const char* kPaperDefinition =
    marked("Times include both transfers: the rate is 2 n^3 / (upload + multiply + download).");
constexpr const char* kNoSize = marked(
    "The source does not give the size of its matrices, so that times stand here as they are, and no rate.");

constexpr const char* kLadderHeader = "kernel,m,p,n,tile,median_ms,gflops,percent_of_cublas";
constexpr const char* kLadderDefinition =
    marked("Times are of the kernel alone, the median of its launches: the rate is 2 m p n / time.");
constexpr const char* kLadderSource = marked(
    "Measured with Warplens on one NVIDIA H200 with CUDA 13.0 on 2026-11-29, in turns with cuBLAS, every "
    "result verified.");

constexpr std::array<Known, 13> kKnown{{
    {"lecture_rtx4070", "kernel,description,time_ms,gflops", marked("Kernels, RTX 4070"), "RTX 4070",
     marked("A university lecture on matrix multiplication in CUDA, measured on a GeForce RTX 4070; about "
            "1.064 x 10^9 multiply-adds."),
     marked("Times are of the kernel alone; those called total include transfers and set-up. The rate is 2 x "
            "multiply-adds / time."),
     PublishedBy::kernel, false, read_lecture_kernel},
    {"h200_ladder", kLadderHeader, marked("Ladder, H200 at 4,096"), "H200", kLadderSource, kLadderDefinition,
     PublishedBy::kernel, false, read_ladder_kernel, "f32", "2026-11-29"},
    {"h200_ladder_f16", kLadderHeader, marked("Ladder in f16, H200 at 4,096"), "H200", kLadderSource,
     kLadderDefinition, PublishedBy::kernel, false, read_ladder_kernel, "f16", "2026-11-29"},
    {"h200_ladder_bf16", kLadderHeader, marked("Ladder in bf16, H200 at 4,096"), "H200", kLadderSource,
     kLadderDefinition, PublishedBy::kernel, false, read_ladder_kernel, "bf16", "2026-11-29"},
    {"h200_ladder_tf32", kLadderHeader, marked("Ladder in tf32, H200 at 4,096"), "H200", kLadderSource,
     kLadderDefinition, PublishedBy::kernel, false, read_ladder_kernel, "tf32", "2026-11-29"},
    {"h200_our_first_measurement", "kernel,m,p,n,tile,median_ms,gflops", marked("Kernels, H200"), "H200",
     marked("Measured once for this project on one NVIDIA H200 with CUDA 13.0."),
     marked("Times are of the kernel alone, the median of 20: the rate is 2 m p n / time."),
     PublishedBy::kernel, false, read_h200_kernel},
    {"paper_gtx770_tiled_block_size", "n,naive_uncoalesced_s,tile_1,tile_2,tile_4,tile_8,tile_16,tile_32",
     marked("Tile of tiled, GTX 770"), "GTX 770", kPaper, kPaperDefinition, PublishedBy::tile, true,
     [](RowReader& row, Series& series) { read_tiles(row, series, "tiled", {1, 2, 4, 8, 16, 32}); }},
    {"paper_gtx770_tiled_unroll4_block_size", "n,naive_uncoalesced_s,tile_4,tile_8,tile_16,tile_32",
     marked("Tile of tiled_unroll4, GTX 770"), "GTX 770", kPaper,
     marked("The paper's rate is 2 n^3 / (upload + multiply + download). At N = 256 these times are up to a "
            "hundred times shorter than its other "
            "tables': "
            "compare them among themselves."),
     PublishedBy::tile, true,
     [](RowReader& row, Series& series) { read_tiles(row, series, "tiled_unroll4", {4, 8, 16, 32}); }},
    {"project_p100_shared_tile", "tile,time_ms", marked("Tile in shared memory, P100"), "Tesla P100",
     marked("A public course project, with values of int32, on a Tesla P100."), kNoSize, PublishedBy::tile,
     false, read_p100_tile},
    {"project_p100_register_tile", "tile,time_ms", marked("Tile in registers, P100"), "Tesla P100",
     marked("A public course project, with values of int32, on a Tesla P100."), kNoSize, PublishedBy::tile,
     false, read_p100_tile},
    {"paper_gts450_gtx770_naive", "n,gpu,cpu_time_s,gpu_time_s,gpu_gflops",
     marked("naive_uncoalesced over N"), "GTS 450, GTX 770", kPaper, kPaperDefinition, PublishedBy::size,
     true, read_naive_and_processor},
    {"paper_gtx770_buffered", "n,naive_uncoalesced_s,buffered_column_s,buffered_row_s",
     marked("Buffering over N, GTX 770"), "GTX 770", kPaper, kPaperDefinition, PublishedBy::size, true,
     read_buffered},
    {"lecture_cpu_loop_orders", "order,time_ms", marked("CPU loop orders"), marked("a processor"),
     marked("A university lecture on matrix multiplication in CUDA, on a processor that it does not name; "
            "about 1.064 x 10^9 multiply-adds."),
     marked("The rate is 2 x multiply-adds / time."), PublishedBy::loop_order, false, read_loop_order},
}};

std::string joined(const std::vector<std::string>& columns) {
  return fmt::format("{}", fmt::join(columns, ","));
}

Result<std::vector<PublishedTable>> read_all() {
  std::vector<PublishedTable> tables;
  for (const Known& known : kKnown) {
    const std::string name = std::string(known.id) + ".csv";
    const auto text = reference::embedded_file(name);
    if (!text)
      return Error{tr("the published table is missing"), name,
                   tr("Rebuild Warplens with all of assets/reference.")};
    Result<PublishedTable> table = parse_published(known.id, *text);
    if (!table) return table.error();
    tables.push_back(std::move(*table));
  }
  return tables;
}

}  // namespace

std::string PublishedSeries::title() const {
  return processor.empty() ? name : tr("{processor}, a CPU", "processor"_a = processor);
}

const Result<std::vector<PublishedTable>>& published_tables() {
  static const Result<std::vector<PublishedTable>> tables = read_all();
  return tables;
}

const PublishedTable* shipped_ladder(std::string_view value_type) {
  const auto& tables = published_tables();
  if (!tables || value_type.empty()) return nullptr;
  const auto table = std::ranges::find(*tables, value_type, &PublishedTable::value_type);
  return table == tables->end() ? nullptr : &*table;
}

Result<PublishedTable> parse_published(std::string_view id, std::string_view text) {
  const auto known =
      std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& one) { return one.id == id; });
  if (known == kKnown.end()) {
    std::vector<std::string_view> ids;
    for (const Known& one : kKnown) ids.emplace_back(one.id);
    return Error{tr("there is no published table `{table}`", "table"_a = id), "",
                 tr("The tables: {tables}.", "tables"_a = fmt::join(ids, ", "))};
  }
  const std::string name = std::string(id) + ".csv";
  const Result<CsvTable> csv = parse_csv(name, text);
  if (!csv) return csv.error();
  if (joined(csv->columns) != known->header) {
    return Error{tr("the header is `{header}`", "header"_a = joined(csv->columns)), name + ":1",
                 tr("It must be `{header}`.", "header"_a = known->header)};
  }
  PublishedTable table{.id = known->id,
                       .title = known->title,
                       .machine = known->machine,
                       .source = known->source,
                       .definition = known->definition,
                       .by = known->by,
                       .with_transfers = known->with_transfers,
                       .value_type = known->value_type,
                       .measured = known->measured,
                       .series = {}};
  for (const CsvTable::Row& row : csv->rows) {
    RowReader reader(*csv, row);
    known->read(reader, table.series);
    if (!reader.ok()) return reader.error();
  }
  return table;
}

}  // namespace warplens
