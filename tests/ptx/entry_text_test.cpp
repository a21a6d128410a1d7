#include "kernels/ptx/entry_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/ptx/parser.h"
#include "kernels/ptx/target.h"

namespace warplens::ptx {
namespace {

constexpr const char* kModule = R"(.version 8.0
.target sm_80, debug
.address_size 64
.func (.param .b32 r) used(.param .b32 a);
.func unused() { ret; }
.func by_address() { ret; }
.global .align 8 .u64 table[1] = {by_address};
.func deeper() { ret; }
.func (.param .b32 r) used(.param .b32 a) {
  call deeper;
  ret;
}
.visible .entry other() { ret; }
.visible .entry wanted() {
  .reg .b32 %r<2>;
  { .param .b32 p; .param .b32 q; call (q), used, (p); }
  ret;
}
)";

TEST(EntryText, KeepsWhatTheEntryReaches) {
  const std::string text = text_of_entry(kModule, "wanted");
  const Result<Module> module = parse(text, "k.ptx");
  ASSERT_TRUE(module.ok()) << module.error().message();
  std::vector<std::string> names;
  for (const Function& function : module->functions) names.push_back(function.name);
  EXPECT_EQ(names, (std::vector<std::string>{"by_address", "deeper", "used", "wanted"}));
  EXPECT_EQ(std::ranges::count(text, '\n'), std::ranges::count(std::string(kModule), '\n'));
}

TEST(EntryText, UnknownEntryLeavesModuleUnchanged) {
  EXPECT_EQ(text_of_entry(kModule, "none"), kModule);
}

TEST(Target, IsReadWithoutParsing) {
  EXPECT_EQ(target_of(kModule), "sm_80");
  EXPECT_EQ(target_of(".version 8.0\n.target\tsm_90a\n"), "sm_90a");
  EXPECT_EQ(target_of("// .target sm_10\n"), "");
  EXPECT_EQ(target_of(""), "");
}

}  // namespace
}  // namespace warplens::ptx
