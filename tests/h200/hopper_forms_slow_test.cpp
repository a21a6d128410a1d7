// Sparse wgmma on raw bits, copies by tensor maps of every mode, interleave and type, maps that kernels
// change, st.async and red.async (tests/gpu/hopper_forms.py): the replay's results are an H200's, bit for
// bit.
#include "h200/hopper.h"

namespace warplens::h200 {
namespace {

TEST(H200HopperForms, EverySparseProductEqualsTheHardware) {
  expect_products("hopper_forms");
}

TEST(H200HopperForms, EveryModeOfTensorMapsEqualsTheHardware) {
  expect_boxes("hopper_forms", true);
}

TEST(H200HopperForms, EveryAsynchronousStoreAndReductionEqualsTheHardware) {
  constexpr std::uint32_t kBytes = 4096, kThreadsOfBlock = 64;
  const std::string results = h200::read_compressed("hopper_forms/asynchronous.bin.zst");
  const ptx::Module module = module_of("hopper_forms", "asynchronous");
  std::size_t at = 0;
  for (const auto& row : h200::rows_of(h200::read_text("hopper_forms/asynchronous.csv"), ',')) {
    replay::Memory memory;
    replay::Launch of_kernel{.grid = {2}, .block = {kThreadsOfBlock}, .arguments = {}};
    const std::uint32_t out = memory.add({.name = "out"}, std::vector<std::byte>(kBytes));
    of_kernel.arguments.emplace_back(replay::BufferArgument{out});
    launch_correct(module, row[0], of_kernel, memory);
    EXPECT_EQ(std::memcmp(memory.contents(out).data(), results.data() + at, kBytes), 0) << row[0];
    at += kBytes;
  }
  EXPECT_EQ(at, results.size());
}

}  // namespace
}  // namespace warplens::h200
