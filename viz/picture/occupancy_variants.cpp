#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "kernels/base/texts.h"
#include "viz/picture/occupancy_parts.h"

namespace warplens::picture {
namespace {

using analysis::CompiledResources;
using analysis::CompiledVariant;

constexpr float kRow = 16, kLargestRow = 54, kHeading = 18, kLargestTableText = 20, kMaxStretch = 1.4f,
                kPadding = 6;

struct Cell {
  std::string text, number;  ///< `number`: where there is no room for the text; empty if it has none
};

struct Column {
  const char* heading;
  float width;    ///< At scale 1, at least; more where the heading needs it
  int rank;       ///< Those of the highest rank are left out first where there is not room for all
  bool of_local;  ///< What should be 0
  const char* meaning;
  std::function<Cell(const CompiledVariant&, const analysis::Occupancy&)> cell;
};

const CompiledResources* resources_of(const OccupancyScene& scene) {
  return scene.subject.compiled_for(scene.question.cc);
}

constexpr const char* kNothing = "0";

Cell stack(const CompiledVariant& variant) {
  if (variant.stack_bytes == 0) return {kNothing, {}};
  const std::string bytes = with_thousands(variant.stack_bytes);
  return {bytes + " B", bytes};
}

Cell spills(const CompiledVariant& variant) {
  if (variant.spill_store_bytes + variant.spill_load_bytes == 0) return {kNothing, {}};
  return {fmt::format("{} + {} B", variant.spill_store_bytes, variant.spill_load_bytes),
          std::to_string(variant.spill_store_bytes)};
}

Cell local_accesses(const CompiledVariant& variant) {
  if (variant.follow_later) return {tr("being followed"), {}};
  if (!variant.local_loads || !variant.local_stores) return {tr("not followed"), {}};
  return {with_thousands(*variant.local_loads + *variant.local_stores), {}};
}

Cell warps(const analysis::Occupancy& found) {
  return {tr("{taken} of {all}", "taken"_a = found.warps, "all"_a = found.max_warps),
          std::to_string(found.warps)};
}

bool uses_local(const CompiledVariant& variant) {
  return variant.stack_bytes != 0 || variant.local_loads.value_or(0) + variant.local_stores.value_or(0) != 0;
}

/// "64" of "block = 64"; the kernel's name of one without a parameter, or with several.
std::string short_name(const std::string& name) {
  const std::size_t sign = name.find(" = ");
  return sign != std::string::npos && name.find(" = ", sign + 1) == std::string::npos
             ? name.substr(sign + 3)
             : name.substr(0, name.find(' '));
}

std::vector<Column> make_columns() {
  using analysis::Occupancy;
  return {
      {"", 52, 0, false, tr("The value of the kernel's parameter"),
       [](const CompiledVariant& v, const Occupancy&) { return Cell{v.name, short_name(v.name)}; }},
      {tr("registers"), 62, 0, false, tr("Registers per thread, as compiled"),
       [](const CompiledVariant& v, const Occupancy&) {
         return Cell{with_thousands(*v.needs.registers), {}};
       }},
      {tr("stack"), 66, 2, true,
       tr("Local memory per thread: arrays indexed at run time, and spilled registers"),
       [](const CompiledVariant& v, const Occupancy&) { return stack(v); }},
      {tr("spills"), 84, 3, true,
       tr("Bytes per thread that the code stores to spill registers, and loads to fetch them back: each "
          "place in the code counted once"),
       [](const CompiledVariant& v, const Occupancy&) { return spills(v); }},
      {tr("local accesses"), 92, 1, true,
       tr("Requests to local memory of one block, loads and stores, as compiled, with the p that the heading "
          "says"),
       [](const CompiledVariant& v, const Occupancy&) { return local_accesses(v); }},
      {tr("blocks"), 48, 0, false, tr("Blocks per SM"),
       [](const CompiledVariant&, const Occupancy& found) { return Cell{std::to_string(found.blocks), {}}; }},
      {tr("warps"), 62, 4, false, tr("Warps per SM, of those that it has places for"),
       [](const CompiledVariant&, const Occupancy& found) { return warps(found); }},
      {tr("waves"), 52, 5, false, tr("Waves of the grid over the card's SMs"),
       [](const CompiledVariant&, const Occupancy& found) {
         return Cell{found.waves == 0 ? tr("none") : with_thousands(found.waves), {}};
       }},
  };
}

/// Returns the columns that there is room for in texts of a size.
std::vector<Column> fitting_columns(const Canvas& canvas, float width, float size) {
  std::vector<Column> columns = make_columns();
  for (Column& column : columns)
    column.width = std::max(column.width * size / kSmallSize,
                            canvas.width_of(column.heading, canvas.muted(size)) / canvas.px(1) + 8);
  const auto total = [&] {
    float sum = 0;
    for (const Column& column : columns) sum += canvas.px(column.width);
    return sum;
  };
  while (columns.size() > 1 && total() > width) {
    columns.erase(std::max_element(columns.begin(), columns.end(),
                                   [](const Column& a, const Column& b) { return a.rank < b.rank; }));
  }
  return columns;
}

/// The columns' places in a row, and how large its texts are.
struct Table {
  std::vector<Column> columns;
  float stretch = 1;
  float size = kSmallSize;
  [[nodiscard]] Rect cut_cell(const Canvas& canvas, Rect& row, std::size_t column) const {
    return cut_left(row, canvas.px(columns[column].width * stretch));
  }
  [[nodiscard]] float width(const Canvas& canvas) const {
    float sum = canvas.px(2 * kPadding);
    for (const Column& column : columns) sum += canvas.px(column.width * stretch);
    return sum;
  }
};

Table lay_out_table(const Canvas& canvas, float width, float row_height) {
  const float room = width - canvas.px(2 * kPadding);
  Table table;
  // High rows have larger texts, as far as no column is left out for them.
  table.size = std::clamp(row_height / canvas.px(1) * 0.42f, kSmallSize, kLargestTableText);
  table.columns = fitting_columns(canvas, room, table.size);
  for (const std::size_t all = fitting_columns(canvas, room, kSmallSize).size();
       table.columns.size() < all;) {
    table.size = std::max(kSmallSize, table.size - 1);
    table.columns = fitting_columns(canvas, room, table.size);
  }
  table.stretch = std::clamp(room / (table.width(canvas) - canvas.px(2 * kPadding)), 0.1f, kMaxStretch);
  return table;
}

std::string local_memory_in_words(const CompiledVariant& variant, std::uint64_t terms) {
  if (variant.follow_later) return tr("Its accesses to local memory are being followed.");
  if (!variant.local_loads || !variant.local_stores)
    return tr("Its accesses to local memory could not be followed.");
  const std::string loads = tr_n(*variant.local_loads, "{n} load", "{n} loads"),
                    stores = tr_n(*variant.local_stores, "{n} store", "{n} stores");
  return terms == 0 ? tr("One block makes {loads} and {stores} to local memory.", "loads"_a = loads,
                         "stores"_a = stores)
                    : tr("One block with p = {p} makes {loads} and {stores} to local memory.", "p"_a = terms,
                         "loads"_a = loads, "stores"_a = stores);
}

std::string uses_from_the_first_on(const CompiledVariant& variant) {
  return tr_n(variant.stack_bytes, "With {parameter}, {n} byte per thread is in local memory",
              "With {parameter}, {n} bytes per thread are in local memory", "parameter"_a = variant.name);
}
std::string uses_from_here_on(const CompiledVariant& before, const CompiledVariant& variant) {
  return tr_n(variant.stack_bytes,
              "Up to {last_parameter} all is kept in registers; with {parameter}, {n} byte per thread is in "
              "local memory",
              "Up to {last_parameter} all is kept in registers; with {parameter}, {n} bytes per thread are "
              "in local memory",
              "last_parameter"_a = before.name, "parameter"_a = variant.name);
}

void draw_row(Canvas& canvas, Rect row, const Table& table, const CompiledVariant& variant,
              const OccupancyScene& scene) {
  const Palette& palette = canvas.palette();
  if (variant.recorded) {
    canvas.fill(row, with_alpha(palette.accent, 0.2f));
    canvas.outline(inset(row, canvas.px(0.5f)), palette.accent, 1, 2);
  }
  const analysis::Occupancy found = analysis::occupancy(scene.model, variant.needs);
  canvas.region(row, {},
                tr("{parameter}: {occupancy}. {local_memory}", "parameter"_a = variant.name,
                   "occupancy"_a = analysis::describe(scene.model, variant.needs, found),
                   "local_memory"_a = local_memory_in_words(variant, resources_of(scene)->terms)));
  static_cast<void>(cut_left(row, canvas.px(kPadding)));
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Rect cell = table.cut_cell(canvas, row, i);
    const auto [text, number] = table.columns[i].cell(variant, found);
    const bool costly = table.columns[i].of_local && text != kNothing;
    canvas.fitted(cell, {text, number},
                  {costly ? palette.costly : palette.text, table.size,
                   i == 0 || costly ? Font::sans_bold : Font::sans, i == 0 ? Align::left : Align::right});
  }
}

}  // namespace

bool has_variants(const OccupancyScene& scene) {
  const CompiledResources* const resources = resources_of(scene);
  return resources != nullptr && resources->variants.size() > 1;
}

float variants_height(const Canvas& canvas, const OccupancyScene& scene) {
  const CompiledResources* const resources = resources_of(scene);
  const std::size_t rows = resources == nullptr ? 0 : resources->variants.size();
  return canvas.px(2 * kHeading + kRow * static_cast<float>(rows));
}

std::string variants_sentence(const OccupancyScene& scene) {
  const CompiledResources& resources = *resources_of(scene);
  const auto first = std::find_if(resources.variants.begin(), resources.variants.end(), uses_local);
  if (first == resources.variants.end()) {
    return tr("As compiled for {architecture}, the kernel uses no local memory, whatever the parameter",
              "architecture"_a = resources.architecture);
  }
  const bool always = first == resources.variants.begin();
  std::string uses = always ? uses_from_the_first_on(*first) : uses_from_here_on(*(first - 1), *first);
  const std::uint64_t accesses = first->local_loads.value_or(0) + first->local_stores.value_or(0);
  if (accesses == 0) return uses;
  return resources.terms == 0
             ? tr_n(accesses, "{use_of_local_memory}: {n} request of a block",
                    "{use_of_local_memory}: {n} requests of a block", "use_of_local_memory"_a = uses)
             : tr_n(accesses, "{use_of_local_memory}: {n} request of a block with p = {p}",
                    "{use_of_local_memory}: {n} requests of a block with p = {p}",
                    "use_of_local_memory"_a = uses, "p"_a = resources.terms);
}

void draw_variants(Canvas& canvas, Rect box, const OccupancyScene& scene) {
  const CompiledResources& resources = *resources_of(scene);
  const std::size_t count = resources.variants.size();
  const auto row_below = [&](float headings) {
    return std::clamp((box.height - headings) / static_cast<float>(count), canvas.px(kRow),
                      canvas.px(kLargestRow));
  };
  const float title_height = canvas.px(kHeading);
  const Table table = lay_out_table(canvas, box.width, row_below(2 * title_height));
  const float heading_height = std::max(title_height, canvas.line_height(table.size)),
              row_height = row_below(title_height + heading_height);
  const std::string title = tr("As compiled for {architecture}", "architecture"_a = resources.architecture);
  const std::string followed =
      resources.terms != 0 ? tr("As compiled for {architecture}; local accesses of one block with p = {p}",
                                "architecture"_a = resources.architecture, "p"_a = resources.terms)
                           : tr("As compiled for {architecture}; local accesses of one block",
                                "architecture"_a = resources.architecture);
  canvas.fitted(cut_top(box, title_height), {followed, title}, canvas.muted());
  Rect headings = cut_top(box, heading_height);
  static_cast<void>(cut_left(headings, canvas.px(kPadding)));
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Rect cell = table.cut_cell(canvas, headings, i);
    canvas.fitted(cell, {table.columns[i].heading}, canvas.muted(table.size, Align::right));
    canvas.region(cell, {}, table.columns[i].meaning);
  }
  // As many as fit, the recorded one among them.
  const auto room = static_cast<std::size_t>(std::max(0.0f, (box.height + 0.5f) / row_height));
  const auto recorded = static_cast<std::size_t>(resources.recorded() - resources.variants.data());
  const std::size_t begin =
      room >= count ? 0 : std::min(count - room, recorded >= room ? recorded - room + 1 : 0);
  for (std::size_t i = begin; i < std::min(count, begin + room); ++i) {
    Rect row = cut_top(box, row_height);
    row.width = std::min(row.width, table.width(canvas));
    draw_row(canvas, row, table, resources.variants[i], scene);
  }
}

}  // namespace warplens::picture
