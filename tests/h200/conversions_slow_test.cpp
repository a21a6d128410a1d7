// The forms of cvt of sm_90 that arithmetic_slow_test.cpp leaves out (tests/gpu/conversions.py): the replay's
// results are an H200's, bit for bit.
#include <gtest/gtest.h>

#include <cstring>

#include "h200/measured.h"
#include "kernels/ptx/parser.h"
#include "kernels/replay/replay.h"

namespace warplens {
namespace {

TEST(H200Conversions, EveryFormEqualsTheHardware) {
  constexpr std::size_t kWords = 1024, kBytesOfAll = kWords * 8;
  auto module = ptx::parse(h200::read_compressed("conversions.ptx.zst"), "conversions.ptx");
  ASSERT_TRUE(module) << module.error().message();
  const std::string measured = h200::read_compressed("conversions.bin.zst");
  std::size_t begin = 0;
  for (const auto& row : h200::rows_of(h200::read_text("conversions.csv"), ',')) {
    SCOPED_TRACE(row[0]);
    auto program = replay::Program::decode(*module, row[0]);
    ASSERT_TRUE(program) << program.error().message();
    replay::Memory memory;
    replay::Launch launch{.grid = {4}, .block = {256}, .dynamic_shared_bytes = 0, .arguments = {}};
    std::vector<std::string> inputs;
    for (const std::string operand : {"a", "b", "c"})
      inputs.push_back(h200::read_compressed(operand + row[2] + ".bin.zst"));
    for (const std::string& input : inputs) {
      launch.arguments.emplace_back(
          replay::BufferArgument{memory.add({.name = "in"}, h200::bytes_of(input, 0, kBytesOfAll))});
    }
    const std::uint32_t out = memory.add({.name = "out"}, std::vector<std::byte>(kBytesOfAll));
    launch.arguments.emplace_back(replay::BufferArgument{out});
    auto recording = replay::run(*program, launch, memory, {.threads = 1});
    ASSERT_TRUE(recording) << recording.error().message();
    const std::vector<std::byte>& got = memory.contents(out);
    int differing = 0;
    for (std::size_t i = 0; i < kWords; ++i) {
      std::uint64_t is = 0, should_be = 0, of = 0;
      std::memcpy(&is, &got[8 * i], 8);
      std::memcpy(&should_be, &measured[begin + 8 * i], 8);
      std::memcpy(&of, &inputs[0][8 * i], 8);
      if (is != should_be && ++differing <= 3)
        ADD_FAILURE() << i << " of " << std::hex << of << ": " << is << ", the H200 gives " << should_be;
    }
    if (differing > 3) ADD_FAILURE() << differing << " of " << kWords << " differ";
    begin += kBytesOfAll;
  }
  EXPECT_EQ(begin, measured.size());
}

}  // namespace
}  // namespace warplens
