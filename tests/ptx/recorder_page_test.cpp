// docs/recorder.md shows a kernel's PTX before and after: what it shows is what is made.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/ptx/instrument/instrument.h"
#include "kernels/ptx/parser.h"

namespace warplens::ptx {
namespace {

const std::filesystem::path kTop = std::filesystem::path(WARPLENS_TEST_DATA) / ".." / "..";

std::string text_of(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// The lines between "```ptx" and "```", one listing after the other.
std::vector<std::vector<std::string>> listings(const std::string& page) {
  std::vector<std::vector<std::string>> found;
  bool inside = false;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line == "```ptx") found.emplace_back();
    if (inside && line != "```") found.back().push_back(line);
    inside = line == "```ptx" || (inside && line != "```");
  }
  return found;
}

/// Every line stands in the text, each behind the one before it.
void expect_in_order(const std::vector<std::string>& lines, const std::string& text) {
  std::size_t at = 0;
  for (const std::string& line : lines) {
    const std::size_t found = text.find("\n" + line + "\n", at);
    EXPECT_NE(found, std::string::npos) << line;
    if (found != std::string::npos) at = found + line.size() + 1;
  }
}

TEST(RecorderPage, ShowsWhatIsMade) {
  const std::string ptx = text_of(kTop / "assets" / "ptx" / "vector_add.ptx");
  const Result<Module> module = parse(ptx, "vector_add.ptx");
  ASSERT_TRUE(module.ok()) << module.error().message();
  const Result<Instrumented> made =
      instrument(*module, module->functions.front(),
                 {.mode = RecordMode::events, .threads_per_block = 256, .one_window = true});
  ASSERT_TRUE(made.ok()) << made.error().message();
  const auto shown = listings(text_of(kTop / "docs" / "recorder.md"));
  ASSERT_EQ(shown.size(), 5u);
  expect_in_order(shown[0], ptx);
  for (std::size_t i = 1; i < shown.size(); ++i) expect_in_order(shown[i], made->text);
}

}  // namespace
}  // namespace warplens::ptx
