#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "viz/picture/occupancy_parts.h"

namespace warplens::picture {
namespace {

using analysis::CompiledResources;
using analysis::CompiledVariant;

constexpr float kRow = 16, kLargestRow = 30, kHeading = 18, kMostStretch = 1.4f, kPadding = 6;

struct Column {
  const char* heading;
  float width;    ///< At scale 1
  int rank;       ///< Those of the highest rank are left out first where there is not room for all
  bool of_local;  ///< What should be 0
  const char* meaning;
  std::function<std::string(const CompiledVariant&, const analysis::Occupancy&)> cell;
};

const CompiledResources* resources_of(const OccupancyScene& scene) {
  return scene.subject.compiled_for(scene.question.cc);
}

std::string bytes_or_none(std::uint64_t bytes) {
  return bytes == 0 ? "0" : with_thousands(bytes) + " B";
}

std::string local_accesses(const CompiledVariant& variant) {
  if (!variant.local_loads || !variant.local_stores) return "not followed";
  return with_thousands(*variant.local_loads + *variant.local_stores);
}

bool uses_local(const CompiledVariant& variant) {
  return variant.stack_bytes != 0 || variant.local_loads.value_or(0) + variant.local_stores.value_or(0) != 0;
}

std::vector<Column> make_columns() {
  using analysis::Occupancy;
  return {
      {"", 52, 0, false, "The value of the kernel's parameter", [](const CompiledVariant& v, const Occupancy&) { return v.name; }},
      {"registers", 62, 0, false, "Registers a thread, as compiled",
       [](const CompiledVariant& v, const Occupancy&) { return with_thousands(*v.needs.registers); }},
      {"stack", 66, 2, true, "Local memory a thread: arrays indexed at run time, and spilled registers",
       [](const CompiledVariant& v, const Occupancy&) { return bytes_or_none(v.stack_bytes); }},
      {"spills", 84, 3, true,
       "Bytes a thread that the code stores to spill registers, and loads to fetch them back: each place in the code counted once",
       [](const CompiledVariant& v, const Occupancy&) {
         return v.spill_store_bytes + v.spill_load_bytes == 0 ? std::string("0") : fmt::format("{} + {} B", v.spill_store_bytes, v.spill_load_bytes);
       }},
      {"local accesses", 92, 1, true, "Requests to local memory of one block, loads and stores, as compiled, with the p that the heading says",
       [](const CompiledVariant& v, const Occupancy&) { return local_accesses(v); }},
      {"blocks", 48, 0, false, "Blocks an SM", [](const CompiledVariant&, const Occupancy& found) { return std::to_string(found.blocks); }},
      {"warps", 62, 4, false, "Warps an SM, of those that it has places for",
       [](const CompiledVariant&, const Occupancy& found) { return fmt::format("{} of {}", found.warps, found.max_warps); }},
      {"waves", 52, 5, false, "Waves of the grid over the card's SMs",
       [](const CompiledVariant&, const Occupancy& found) { return found.waves == 0 ? std::string("none") : with_thousands(found.waves); }},
  };
}

/// Those that there is room for.
std::vector<Column> fitting_columns(const Canvas& canvas, float width) {
  std::vector<Column> columns = make_columns();
  const auto total = [&] {
    float sum = 0;
    for (const Column& column : columns) sum += canvas.px(column.width);
    return sum;
  };
  while (columns.size() > 1 && total() > width) {
    columns.erase(std::max_element(columns.begin(), columns.end(), [](const Column& a, const Column& b) { return a.rank < b.rank; }));
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
  Table table{.columns = fitting_columns(canvas, width - canvas.px(2 * kPadding)), .stretch = 1, .size = kSmallSize};
  table.stretch = std::clamp((width - canvas.px(2 * kPadding)) / (table.width(canvas) - canvas.px(2 * kPadding)), 0.1f, kMostStretch);
  if (table.stretch > 1.2f && row_height >= canvas.px(24)) table.size = kBaseSize;
  return table;
}

/// What a block was followed with: " with p = 16".
std::string of_terms(const CompiledResources& resources) {
  return resources.terms != 0 ? fmt::format(" with p = {}", resources.terms) : std::string();
}

void draw_row(Canvas& canvas, Rect row, const Table& table, const CompiledVariant& variant, const OccupancyScene& scene) {
  const Palette& palette = canvas.palette();
  if (variant.recorded) {
    canvas.fill(row, with_alpha(palette.accent, 0.2f));
    canvas.outline(inset(row, canvas.px(0.5f)), palette.accent, 1, 2);
  }
  const analysis::Occupancy found = analysis::occupancy(scene.model, variant.needs);
  const std::string terms = of_terms(*resources_of(scene));
  canvas.region(row, {},
                fmt::format("{}: {}. {}", variant.name, analysis::describe(scene.model, variant.needs, found),
                            variant.local_loads ? fmt::format("One block{} makes {} and {} to local memory.", terms,
                                                              counted(*variant.local_loads, "load"), counted(*variant.local_stores, "store"))
                                                : "Its accesses to local memory could not be followed."));
  static_cast<void>(cut_left(row, canvas.px(kPadding)));
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Rect cell = table.cut_cell(canvas, row, i);
    const std::string text = table.columns[i].cell(variant, found);
    const bool costly = table.columns[i].of_local && text != "0";
    canvas.fitted(
        cell, {text, text.substr(0, text.find(' '))},
        {costly ? palette.costly : palette.text, table.size, i == 0 || costly ? Font::sans_bold : Font::sans, i == 0 ? Align::left : Align::right});
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
    return fmt::format("As compiled for {}, the kernel uses no local memory, whatever the parameter", resources.architecture);
  }
  const bool counted_too = first->local_loads && *first->local_loads + *first->local_stores != 0;
  const std::string accesses =
      counted_too ? fmt::format(": {} requests of a block{}", with_thousands(*first->local_loads + *first->local_stores), of_terms(resources))
                  : std::string();
  const std::string kept = first == resources.variants.begin() ? "" : fmt::format("Up to {} all is kept in registers; ", (first - 1)->name);
  return fmt::format("{}with {}, {} bytes a thread are in local memory{}", kept, first->name, with_thousands(first->stack_bytes), accesses);
}

void draw_variants(Canvas& canvas, Rect box, const OccupancyScene& scene) {
  const CompiledResources& resources = *resources_of(scene);
  const std::size_t count = resources.variants.size();
  const float row_height = std::clamp((box.height - canvas.px(2 * kHeading)) / static_cast<float>(count), canvas.px(kRow), canvas.px(kLargestRow));
  const Table table = lay_out_table(canvas, box.width, row_height);
  const std::string title = fmt::format("As compiled for {}", resources.architecture);
  const std::string followed = resources.terms != 0 ? fmt::format("{}; local accesses of one block with p = {}", title, resources.terms)
                                                    : title + "; local accesses of one block";
  canvas.fitted(cut_top(box, canvas.px(kHeading)), {followed, title}, canvas.muted());
  Rect headings = cut_top(box, canvas.px(kHeading));
  static_cast<void>(cut_left(headings, canvas.px(kPadding)));
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Rect cell = table.cut_cell(canvas, headings, i);
    canvas.fitted(cell, {table.columns[i].heading}, canvas.muted(kSmallSize, Align::right));
    canvas.region(cell, {}, table.columns[i].meaning);
  }
  // As many as fit, the recorded one among them.
  const auto room = static_cast<std::size_t>(std::max(0.0f, (box.height + 0.5f) / row_height));
  const auto recorded = static_cast<std::size_t>(resources.recorded() - resources.variants.data());
  const std::size_t begin = room >= count ? 0 : std::min(count - room, recorded >= room ? recorded - room + 1 : 0);
  for (std::size_t i = begin; i < std::min(count, begin + room); ++i) {
    Rect row = cut_top(box, row_height);
    row.width = std::min(row.width, table.width(canvas));
    draw_row(canvas, row, table, resources.variants[i], scene);
  }
}

}  // namespace warplens::picture
