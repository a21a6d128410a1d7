// A folder for each test of the command line, and what they read out of its JSON.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/run.h"

namespace warplens::app {

using nlohmann::ordered_json;

inline std::vector<std::string> keys(const ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

inline const std::string kPtx = std::string(WARPLENS_TEST_DATA) + "/ptx/user_kernels.sm_75.ptx";

inline std::vector<std::string> column(const ordered_json& rows, const std::string& name) {
  std::vector<std::string> values;
  for (const ordered_json& row : rows) values.push_back(row[name]);
  return values;
}

/// The row of that id, which must be there.
inline const ordered_json& with_id(const ordered_json& rows, const std::string& id) {
  const auto found = std::ranges::find_if(rows, [&](const ordered_json& row) { return row["id"] == id; });
  if (found == rows.end()) throw std::runtime_error("no row " + id);
  return *found;
}

/// A folder of its own for each test, gone afterwards.
class Cli : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("warplens_cli_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string contents(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace warplens::app
