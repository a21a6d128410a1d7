// The command line, run within the test.
#pragma once

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/cli/cli.h"

namespace warplens::app {

struct Output {
  int status = 0;
  std::string out, err;
  [[nodiscard]] nlohmann::ordered_json json() const { return nlohmann::ordered_json::parse(out); }
};

inline Output run(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int status = run_cli(arguments, out, err);
  return {status, out.str(), err.str()};
}

}  // namespace warplens::app
