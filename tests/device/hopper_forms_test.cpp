// What tests/gpu/hopper_forms.py measured on an H200, launched by Warplens: tensor maps of every mode that
// the driver encodes, maps that kernels change, sparse wgmma, st.async and red.async. The same bytes come
// back.
#include "device/device.h"
#include "h200/hopper.h"
#include "kernels/gpu/run.h"

namespace warplens::gpu {
namespace {

class HopperFormsOnGpu : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    constexpr int kHopper = 9;
    if (check_driver().gpus.front().cc_major != kHopper) GTEST_SKIP() << "compute capability 9.0 only";
  }
};

Workload workload_of(const replay::Launch& launch, const replay::Memory& memory) {
  Workload workload;
  for (std::uint32_t b = 0; b < memory.buffers().size(); ++b) {
    const std::vector<std::byte>& contents = memory.contents(b);
    workload.buffers.push_back({.name = memory.buffers()[b].name,
                                .type = ElementType::u8,
                                .columns = contents.size(),
                                .pitch = contents.size()});
    workload.contents.push_back(contents);
  }
  for (const auto& argument : launch.arguments) {
    const auto index = static_cast<std::uint32_t>(workload.arguments.size());
    if (const auto* const buffer = std::get_if<replay::BufferArgument>(&argument)) {
      workload.arguments.emplace_back(buffer->buffer);
      continue;
    }
    const auto& scalar = std::get<replay::ScalarArgument>(argument);
    workload.arguments.emplace_back(scalar.bytes);
    if (scalar.bytes.size() != kTensorMapBytes) continue;
    workload.scalar_addresses[index] = scalar.addresses;
  }
  return workload;
}

/// Launches the kernel, and expects that a buffer then holds these bytes.
void expect_bytes(const std::string& ptx, const std::string& entry, const replay::Launch& launch,
                  const replay::Memory& memory, std::uint32_t buffer, std::string bytes) {
  FileLaunch of_file{.ptx = ptx,
                     .entry = entry,
                     .grid = launch.grid,
                     .block = launch.block,
                     .dynamic_shared_bytes = launch.dynamic_shared_bytes,
                     .cluster = launch.cluster,
                     .workload = workload_of(launch, memory)};
  of_file.checks.push_back({buffer, [bytes = std::move(bytes)](std::span<const std::byte> got) {
                              return std::memcmp(got.data(), bytes.data(), bytes.size()) == 0;
                            }});
  RunRequest wanted{.kernel = entry, .launches = 1, .seconds = 0};
  wanted.of_file = std::make_shared<const FileLaunch>(std::move(of_file));
  const Result<RunResult> result = run(wanted);
  ASSERT_TRUE(result.ok()) << entry << ": " << result.error().message();
  EXPECT_TRUE(result->verified) << entry;
}

TEST_F(HopperFormsOnGpu, CopiesOfEveryTensorMapModeEqualTheMeasured) {
  const std::string ptx = h200::read_compressed("hopper_forms/boxes.ptx.zst"),
                    results = h200::read_compressed("hopper_forms/boxes.bin.zst");
  std::size_t at = 0;
  for (const auto& row : h200::rows_of(h200::read_text("hopper_forms/boxes.csv"), ';')) {
    h200::BoxLaunch box(row, false, true);
    const std::size_t of_tensor = box.memory.contents(box.tensor).size(),
                      of_out = box.memory.contents(box.out).size();
    SCOPED_TRACE(row[0] + " " + row[1] + " interleave " + row[12] + " at " + row[11]);
    const bool loads = !row[0].starts_with("store") && !row[0].starts_with("reduce");
    if (loads) {
      expect_bytes(ptx, row[0], box.launch, box.memory, box.out, results.substr(at + of_tensor, of_out));
    } else if (!row[0].starts_with("reduce")) {  // Each launch would reduce anew
      expect_bytes(ptx, row[0], box.launch, box.memory, box.tensor, results.substr(at, of_tensor));
    }
    at += of_tensor + of_out;
  }
}

TEST_F(HopperFormsOnGpu, AsynchronousStoresAndReductionsEqualTheMeasured) {
  constexpr std::size_t kBytes = 4096;
  const std::string ptx = h200::read_compressed("hopper_forms/asynchronous.ptx.zst"),
                    results = h200::read_compressed("hopper_forms/asynchronous.bin.zst");
  std::size_t at = 0;
  for (const auto& row : h200::rows_of(h200::read_text("hopper_forms/asynchronous.csv"), ',')) {
    replay::Memory memory;
    replay::Launch launch{.grid = {2}, .block = {64}, .arguments = {}, .cluster = {2, 1, 1}};
    launch.arguments.emplace_back(
        replay::BufferArgument{memory.add({.name = "out"}, std::vector<std::byte>(kBytes))});
    expect_bytes(ptx, row[0], launch, memory, 0, results.substr(at, kBytes));
    at += kBytes;
  }
}

TEST_F(HopperFormsOnGpu, SparseWarpgroupProductsEqualTheMeasured) {
  const std::string ptx = h200::read_compressed("hopper_forms/wgmma.ptx.zst"),
                    pool = h200::read_compressed("hopper/pool.bin.zst"),
                    results = h200::read_compressed("hopper_forms/results.bin.zst");
  std::size_t at = 0;
  for (const auto& row : h200::rows_of(h200::read_text("hopper_forms/forms.csv"), ',')) {
    const auto blocks = static_cast<std::uint32_t>(std::stoul(row[1]));
    const std::size_t bytes = std::stoul(row[3]), kept = std::stoul(row[2]) * bytes;
    replay::Memory memory;
    replay::Launch launch{.grid = {blocks},
                          .block = {h200::kThreads},
                          .dynamic_shared_bytes = h200::kSharedBytes,
                          .arguments = {}};
    launch.arguments.emplace_back(
        replay::BufferArgument{memory.add({.name = "pool"}, h200::bytes_of(pool, 0, pool.size()))});
    const std::uint32_t out = memory.add({.name = "out"}, std::vector<std::byte>(blocks * bytes));
    launch.arguments.emplace_back(replay::BufferArgument{out});
    expect_bytes(ptx, row[0], launch, memory, out, results.substr(at, kept));
    at += kept;
  }
}

}  // namespace
}  // namespace warplens::gpu
