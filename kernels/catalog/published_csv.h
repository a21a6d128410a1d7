// Tables of comma-separated values with a header line, without quotes: what assets/reference holds. Private
// to kernels/catalog.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"

namespace warplens {

struct CsvTable {
  std::string name;  ///< Of the file, for errors
  std::vector<std::string> columns;
  struct Row {
    std::size_t line = 0;  ///< From 1
    std::vector<std::string> fields;
  };
  std::vector<Row> rows;
};

/// Errors: no header, no rows, a row with more or fewer fields than the header.
[[nodiscard]] Result<CsvTable> parse_csv(std::string_view name, std::string_view text);

/// A field as a positive number; an empty one is 0.
[[nodiscard]] Result<double> number_at(const CsvTable& table, const CsvTable::Row& row, std::size_t column);

}  // namespace warplens
