// Blocks that are left out do nothing, the others what they always do. Needs no GPU: the replay runs the
// kernel.
#include "kernels/ptx/leave_out.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "kernels/ptx/parser.h"
#include "kernels/replay/replay.h"

namespace warplens {
namespace {

/// Every thread puts 1 at its place in the grid.
constexpr const char* kMark =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry other() { ret; }\n.visible .entry "
    "mark(.param .u64 p) {\n"
    ".reg .b32 %r<9>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %ctaid.x; mov.u32 %r2, "
    "%ctaid.y; mov.u32 %r3, %ctaid.z;\n"
    "mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y; mad.lo.u32 %r2, %r3, %r5, %r2; mad.lo.u32 %r1, %r2, "
    "%r4, %r1;\n"
    "mov.u32 %r6, %ntid.x; mov.u32 %r7, %tid.x; mad.lo.u32 %r1, %r1, %r6, %r7; mad.wide.u32 %rd2, %r1, 4, "
    "%rd1;\nmov.u32 %r8, 1;\n"
    "st.global.u32 [%rd2], %r8;\nret;\n}\n";

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

TEST(LeaveOut, ThoseBlocksLeaveAndTheOthersStay) {
  constexpr std::uint32_t kThreads = 40;
  const Dim3 grid{3, 2, 2};
  std::vector<std::uint32_t> left_out(grid.count());
  left_out[0] = left_out[4] = left_out[11] = 7;
  replay::Memory memory;
  const std::uint32_t marks =
      memory.add({.name = "marks"}, std::vector<std::byte>(grid.count() * kThreads * 4));
  const std::uint32_t table = memory.add({.name = "left_out"}, bytes_of(left_out));

  const Result<ptx::Module> plain = ptx::parse(kMark, "mark.ptx");
  ASSERT_TRUE(plain.ok()) << plain.error().message();
  Result<std::string> text = ptx::leave_out_blocks(*plain, *plain->find_entry("mark"), kThreads);
  ASSERT_TRUE(text.ok()) << text.error().message();
  EXPECT_EQ(text->find("other"), std::string::npos);
  const std::string declared =
      std::string(".u64 ") + ptx::kLeftOut;  // The driver would put the address there
  text->insert(text->find(declared) + declared.size(), " = " + std::to_string(memory.buffers()[table].base));

  const Result<ptx::Module> module = ptx::parse(*text, "left_out.ptx");
  ASSERT_TRUE(module.ok()) << module.error().message();
  const Result<replay::Program> program = replay::Program::decode(*module, "mark");
  ASSERT_TRUE(program.ok()) << program.error().message();
  const Result<Recording> recording = replay::run(
      *program, {grid, {kThreads, 1, 1}, 0, {replay::BufferArgument{marks}}}, memory, {.threads = 1});
  ASSERT_TRUE(recording.ok()) << recording.error().message();

  std::vector<std::uint32_t> marked(grid.count() * kThreads);
  std::memcpy(marked.data(), memory.contents(marks).data(), marked.size() * sizeof marked[0]);
  for (std::size_t t = 0; t < marked.size(); ++t)
    EXPECT_EQ(marked[t], left_out[t / kThreads] == 0 ? 1 : 0) << t;
}

TEST(LeaveOut, AnEntryWithoutCodeIsAnError) {
  const Result<ptx::Module> module = ptx::parse(kMark, "mark.ptx");
  ASSERT_TRUE(module.ok());
  ptx::Function missing = *module->find_entry("mark");
  missing.name = missing.plain_name = "missing";
  const Result<std::string> text = ptx::leave_out_blocks(*module, missing, 32);
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.error().message().find("missing"), std::string::npos);
}

}  // namespace
}  // namespace warplens
