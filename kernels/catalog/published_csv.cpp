#include "kernels/catalog/published_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "kernels/base/texts.h"

namespace warplens {
namespace {

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    fields.emplace_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

}  // namespace

Result<CsvTable> parse_csv(std::string_view name, std::string_view text) {
  CsvTable table;
  table.name = name;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    std::vector<std::string> fields = fields_of(line);
    if (table.columns.empty()) {
      table.columns = std::move(fields);
      continue;
    }
    if (fields.size() != table.columns.size()) {
      return Error{tr("a row of {fields} fields under a header of {columns}", "fields"_a = fields.size(),
                      "columns"_a = table.columns.size()),
                   fmt::format("{}:{}", name, number),
                   tr("Give it the fields {fields}; what is not known is left empty.",
                      "fields"_a = fmt::join(table.columns, ", "))};
    }
    table.rows.push_back({number, std::move(fields)});
  }
  if (table.rows.empty())
    return Error{tr("there are no figures in the table"), std::string(name),
                 tr("Write a header line, and a row for each figure.")};
  return table;
}

Result<double> number_at(const CsvTable& table, const CsvTable::Row& row, std::size_t column) {
  const std::string& field = row.fields[column];
  if (field.empty()) return 0.0;
  double value = 0;
  const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc{} && stop == field.data() + field.size() && std::isfinite(value) && value > 0)
    return value;
  return Error{
      tr("`{field}` under {column} is no positive number", "field"_a = field,
         "column"_a = table.columns[column]),
      fmt::format("{}:{}", table.name, row.line),
      tr("Write it in digits, with a point where there is a fraction; leave it empty if it is not known.")};
}

}  // namespace warplens
