// The counters of whole kernels on an H200, from tests/data.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/golden.h"

namespace warplens::golden {

struct LadderRow {
  std::string kernel;  // The ladder's id
  Shape shape{};
  Count T = 0;  // 0: the kernel has none
  Count load_requests = 0, load_sectors = 0, store_requests = 0, store_sectors = 0, shared_store_requests = 0,
        shared_store_wavefronts = 0;
  Count shared_load_instructions = 0, shared_load_wavefronts = 0;  // As compiled; 0 where the table has none
  [[nodiscard]] std::string name() const {
    std::ostringstream text;
    text << kernel << " T=" << T << " " << shape.m << " x " << shape.p << " x " << shape.n;
    return text.str();
  }
};

/// Rows of a table without quotes, by column name. Lines that begin with # are comments.
inline std::vector<std::map<std::string, std::string>> read_table(const std::string& file) {
  std::ifstream stream(std::string(WARPLENS_TEST_DATA "/") + file);
  std::vector<std::string> columns;
  std::vector<std::map<std::string, std::string>> rows;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields;
    std::istringstream record(line);
    for (std::string field; std::getline(record, field, ',');) fields.push_back(field);
    if (columns.empty()) {
      columns = fields;
      continue;
    }
    rows.emplace_back();
    for (std::size_t i = 0; i < fields.size() && i < columns.size(); ++i) rows.back()[columns[i]] = fields[i];
  }
  return rows;
}

/// Our own kernels.
inline std::vector<LadderRow> ladder_counters() {
  std::vector<LadderRow> rows;
  for (auto& row : read_table("h200_ladder.csv")) {
    const auto count = [&](const char* column) { return Count{std::stoull(row.at(column))}; };
    rows.push_back({row.at("kernel"),
                    {count("m"), count("p"), count("n")},
                    count("T"),
                    count("global_ld_requests"),
                    count("global_ld_sectors"),
                    count("global_st_requests"),
                    count("global_st_sectors"),
                    count("shared_st_instructions"),
                    count("shared_st_wavefronts")});
  }
  return rows;
}

/// Kernels of the same ideas by another hand; T is 0 where ours has none. volkov_tp stores without conflicts,
/// and its compiled loads are those of our padded kernel to the last one: its tile has 17 words a row.
inline std::vector<LadderRow> independent_counters() {
  static const std::map<std::string, std::string> kIds = {
      {"naive_x_col", "naive"},     {"naive_x_row", "naive_uncoalesced"}, {"buf_col", "buffered_column"},
      {"buf_row", "buffered_row"},  {"tiled_dyn", "tiled_dynamic"},       {"padded_dyn", "tiled_padded"},
      {"tiled", "tiled"},           {"tiled_swap", "tiled_swapped"},      {"shared_a", "tiled_shared_a"},
      {"volkov", "volkov"},         {"volkov_tp", "volkov_padded"},       {"tiled_bounds", "tiled_guarded"},
      {"regtile2", "register_tile"}};
  std::vector<LadderRow> rows;
  for (auto& row : read_table("h200_kernels.csv")) {
    const auto count = [&](const char* column) { return Count{std::stoull(row.at(column))}; };
    const auto id = kIds.find(row.at("kernel"));
    LadderRow result;
    result.kernel = id == kIds.end() ? row.at("kernel") : id->second;
    std::istringstream(row.at("m p n")) >> result.shape.m >> result.shape.p >> result.shape.n;
    result.T = row.at("tile").empty() ? 0 : count("tile");
    if (row.at("kernel") == "regtile2") result.T = 2;
    result.load_requests = count("global_ld_requests");
    result.load_sectors = count("global_ld_sectors");
    result.store_requests = count("global_st_requests");
    result.store_sectors = count("global_st_sectors");
    result.shared_store_requests = count("shared_st_inst");
    result.shared_store_wavefronts = count("shared_st_wavefronts_sass");
    result.shared_load_instructions = count("shared_ld_inst");
    result.shared_load_wavefronts = count("shared_ld_wavefronts_sass");
    rows.push_back(std::move(result));
  }
  return rows;
}

}  // namespace warplens::golden
