// wgmma on raw bits in every layout, and boxes of tensor maps (tests/gpu/hopper.py): the replay's results are
// an H200's, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>

#include "h200/measured.h"
#include "kernels/base/crc32.h"
#include "kernels/base/tensor_map.h"
#include "kernels/ptx/parser.h"
#include "kernels/replay/replay.h"

namespace warplens {
namespace {

constexpr std::uint32_t kThreads = 128, kSharedBytes = 131072;

ptx::Module module_of(const std::string& name) {
  auto module = ptx::parse(testing::read_compressed("hopper/" + name + ".ptx.zst"), name);
  EXPECT_TRUE(module) << module.error().message();
  return module ? std::move(*module) : ptx::Module{};
}

void launch(const ptx::Module& module, const std::string& kernel, const replay::Launch& launch,
            replay::Memory& memory) {
  auto program = replay::Program::decode(module, kernel);
  ASSERT_TRUE(program) << program.error().message();
  const auto recording = replay::run(*program, launch, memory, {.threads = 1});
  ASSERT_TRUE(recording) << kernel << ": " << recording.error().message();
  EXPECT_TRUE(recording->findings.empty()) << kernel << ": " << recording->findings.front().text;
}

TEST(H200Hopper, EveryProductEqualsTheHardware) {
  const std::string pool = testing::read_compressed("hopper/pool.bin.zst"),
                    results = testing::read_compressed("hopper/results.bin.zst"),
                    checks = testing::read_compressed("hopper/checks.bin.zst");
  const ptx::Module module = module_of("wgmma");
  std::size_t kept_at = 0, check_at = 0;
  for (const auto& row : testing::rows_of(testing::read_text("hopper/forms.csv"), ',')) {
    const std::string& name = row[0];
    const auto blocks = static_cast<std::uint32_t>(std::stoul(row[1]));
    const std::size_t bytes = std::stoul(row[3]), kept = std::stoul(row[2]) * bytes;
    replay::Memory memory;
    replay::Launch of_form{
        .grid = {blocks}, .block = {kThreads}, .dynamic_shared_bytes = kSharedBytes, .arguments = {}};
    of_form.arguments.emplace_back(
        replay::BufferArgument{memory.add({.name = "pool"}, testing::bytes_of(pool, 0, pool.size()))});
    const std::uint32_t out = memory.add({.name = "out"}, std::vector<std::byte>(blocks * bytes));
    of_form.arguments.emplace_back(replay::BufferArgument{out});
    launch(module, name, of_form, memory);
    const std::vector<std::byte>& got = memory.contents(out);
    int differing = 0;
    for (std::size_t at = 0; at < kept; at += 4) {
      std::uint32_t is = 0, should_be = 0;
      std::memcpy(&is, &got[at], 4);
      std::memcpy(&should_be, &results[kept_at + at], 4);
      if (is != should_be && ++differing <= 3) {
        ADD_FAILURE() << name << ", block " << at / bytes << ", register " << at % (bytes / kThreads) / 4
                      << " of thread " << at % bytes / (bytes / kThreads) << ": " << std::hex << is
                      << ", the H200 gives " << should_be;
      }
    }
    if (differing > 3) ADD_FAILURE() << name << ": " << differing << " words differ";
    std::string blocks_that_differ;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      std::uint32_t check = 0;
      std::memcpy(&check, &checks[check_at + std::size_t{4} * block], 4);
      if (crc32(std::span(got).subspan(block * bytes, bytes)) != check)
        blocks_that_differ += " " + std::to_string(block);
    }
    EXPECT_EQ(blocks_that_differ, "") << name;
    kept_at += kept;
    check_at += std::size_t{4} * blocks;
  }
  EXPECT_EQ(kept_at, results.size());
  EXPECT_EQ(check_at, checks.size());
}

template <class Value>
std::vector<Value> numbers(const std::string& text) {
  std::istringstream words(text);
  std::vector<Value> values;
  for (Value value{}; words >> value;) values.push_back(value);
  return values;
}

TensorMap map_of(const std::vector<std::string>& row) {
  TensorMap map;
  for (int element = 0; element <= static_cast<int>(TensorElement::bf16); ++element) {
    if (name_of(static_cast<TensorElement>(element)) == row[1])
      map.element = static_cast<TensorElement>(element);
  }
  const auto extents = numbers<std::uint64_t>(row[2]), strides = numbers<std::uint64_t>(row[3]);
  const auto box = numbers<std::uint32_t>(row[4]), steps = numbers<std::uint32_t>(row[5]);
  map.rank = static_cast<std::uint32_t>(extents.size());
  std::ranges::copy(extents, map.extents.begin());
  std::ranges::copy(strides, map.strides.begin() + 1);
  std::ranges::copy(box, map.box.begin());
  std::ranges::copy(steps, map.element_strides.begin());
  for (const auto swizzle : {TensorSwizzle::bytes32, TensorSwizzle::bytes64, TensorSwizzle::bytes128}) {
    if (std::to_string(width_of(swizzle)) == row[6]) map.swizzle = swizzle;
  }
  map.fills_with_nan = row[7] == "1";
  return map;
}

/// Ordinary numbers in every type.
std::vector<std::byte> tensor_contents(std::size_t bytes) {
  std::vector<std::uint32_t> words((bytes + 3) / 4);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = static_cast<std::uint32_t>(i * 2654435761 + 97) & 0x3effffff;
  std::vector<std::byte> contents(bytes);
  std::memcpy(contents.data(), words.data(), bytes);
  return contents;
}

TEST(H200Hopper, EveryBoxEqualsTheHardware) {
  const std::string results = testing::read_compressed("hopper/boxes.bin.zst");
  const ptx::Module module = module_of("boxes");
  std::size_t at = 0;
  for (const auto& row : testing::rows_of(testing::read_text("hopper/boxes.csv"), ';')) {
    SCOPED_TRACE(row[0] + " " + row[1] + " box " + row[4] + " swizzle " + row[6] + " at " + row[11]);
    const std::size_t tensor_bytes = std::stoul(row[8]), shared_bytes = std::stoul(row[9]);
    replay::Memory memory;
    const std::uint32_t tensor = memory.add({.name = "tensor"}, tensor_contents(tensor_bytes)),
                        out = memory.add({.name = "out"}, std::vector<std::byte>(shared_bytes));
    const auto map = encode_tensor_map(map_of(row));
    replay::Launch of_box{.grid = {1},
                          .block = {kThreads},
                          .dynamic_shared_bytes = static_cast<std::uint32_t>(shared_bytes),
                          .arguments = {}};
    of_box.arguments.emplace_back(
        replay::ScalarArgument{{map.begin(), map.end()}, {{.at = 0, .buffer = tensor}}});
    of_box.arguments.emplace_back(replay::BufferArgument{tensor});
    of_box.arguments.emplace_back(replay::BufferArgument{out});
    std::vector<std::int32_t> scalars{static_cast<std::int32_t>(shared_bytes), std::stoi(row[10])};
    for (const std::int32_t coordinate : numbers<std::int32_t>(row[11])) scalars.push_back(coordinate);
    for (const std::int32_t scalar : scalars) {
      std::vector<std::byte> bytes(sizeof scalar);
      std::memcpy(bytes.data(), &scalar, sizeof scalar);
      of_box.arguments.emplace_back(replay::ScalarArgument{bytes, {}});
    }
    launch(module, row[0], of_box, memory);
    for (const std::uint32_t buffer : {tensor, out}) {
      const std::vector<std::byte>& got = memory.contents(buffer);
      int differing = 0;
      for (std::size_t i = 0; i < got.size(); ++i) {
        const auto should_be = static_cast<std::byte>(results[at + i]);
        if (got[i] != should_be && ++differing == 1)
          ADD_FAILURE() << (buffer == tensor ? "tensor" : "shared memory") << ", byte " << i << ": "
                        << std::to_integer<int>(got[i]) << ", the H200 gives "
                        << std::to_integer<int>(should_be);
      }
      EXPECT_EQ(differing, 0) << "bytes of " << got.size();
      at += got.size();
    }
  }
  EXPECT_EQ(at, results.size());
}

}  // namespace
}  // namespace warplens
