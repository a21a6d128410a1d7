#include "kernels/gpu/run.h"

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>

#include "device/device.h"
#include "kernels/gpu/ladder_code.h"

namespace warplens::gpu {
namespace {

RunRequest request(const std::string& kernel, std::uint64_t m, std::uint64_t p, std::uint64_t n) {
  return {.kernel = kernel, .m = m, .p = p, .n = n, .launches = 3, .seconds = 0};
}

// With sizes near these: those that the kernel has.
RunRequest request(const KernelDescriptor& kernel, const std::string& type,
                   const std::array<unsigned, 3>& shape) {
  RunRequest wanted{.kernel = kernel.id, .value_type = type, .launches = 3, .seconds = 0};
  if (kernel.has_extent('m')) wanted.m = shape[0];
  if (kernel.has_extent('p')) wanted.p = shape[1];
  if (kernel.has_extent('n')) wanted.n = shape[2];
  return wanted;
}

TEST(CheckRequest, RefusesWhatCannotBeLaunched) {
  EXPECT_TRUE(check_request(request("tiled", 5, 6, 7)).ok());
  EXPECT_TRUE(check_request(request(kCublasId, 5, 6, 7)).ok());
  EXPECT_FALSE(check_request(request("tile", 5, 6, 7)).ok());
  EXPECT_FALSE(check_request(request("tiled", 0, 6, 7)).ok());
  EXPECT_FALSE(check_request(request(kCublasId, 5, 0, 7)).ok());
  EXPECT_FALSE(check_request(request("vector_add", 5, 6, 7)).ok()) << "it has no m";
  EXPECT_FALSE(check_request({.kernel = "barrier_divergence"}).ok()) << "it may hang the GPU";
  EXPECT_TRUE(check_request({.kernel = "missing_barrier"}).ok());
  RunRequest wrong = request("tiled", 5, 6, 7);
  wrong.parameters = {{"T", 7}};
  EXPECT_FALSE(check_request(wrong).ok());
  wrong = request("tiled", 5, 6, 7);
  wrong.launches = 0;
  EXPECT_FALSE(check_request(wrong).ok());
}

TEST(LadderCode, NamesEveryEntryOfThePlans) {
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    SCOPED_TRACE(kernel.id);
    const Result<Problem> problem =
        make_problem(kernel, std::nullopt, std::nullopt, std::nullopt, {}, kernel.value_types.front());
    ASSERT_TRUE(problem.ok()) << problem.error().message();
    const Result<std::string> name = mangled_entry(kernel, kernel.plan(*problem).entry);
    ASSERT_TRUE(name.ok()) << name.error().message();
    EXPECT_EQ(name->substr(0, 2), "_Z");
    EXPECT_FALSE(mangled_entry(kernel, "no_such_entry").ok());
  }
}

TEST(Run, SaysWhatIsMissingWithoutAGpu) {
  if (no_gpu().empty()) GTEST_SKIP() << "there is a GPU here";
  const Result<RunResult> result = run(request("tiled", 64, 64, 64));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().what, no_gpu());
  EXPECT_FALSE(result.error().hint.empty());
  EXPECT_FALSE(LiveRun::start(request("tiled", 64, 64, 64)).ok());
}

using RunOnGpu = OnGpu;

void expect_figures(const RunResult& result) {
  EXPECT_TRUE(result.verified);
  EXPECT_GT(result.times.min_ms, 0);
  EXPECT_LE(result.times.min_ms, result.times.p25_ms);
  EXPECT_LE(result.times.p25_ms, result.times.median_ms);
  EXPECT_LE(result.times.median_ms, result.times.p75_ms);
  EXPECT_GT(result.gbps, 0);
  EXPECT_GT(result.upload_ms, 0);
  EXPECT_GT(result.download_ms, 0);
  EXPECT_GE(result.total_ms, result.upload_ms);
  EXPECT_GE(result.total_ms, result.download_ms);
}

TEST_F(RunOnGpu, EveryKernelIsRightAtEveryShape) {
  constexpr std::array kLaunched{std::array{256u, 256u, 256u}, std::array{1021u, 1020u, 1022u},
                                 std::array{7u, 5u, 3u}, std::array{1u, 1u, 1u}};
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.fault) continue;
    for (const std::string& type : kernel.value_types) {
      for (const auto& shape : kLaunched) {
        SCOPED_TRACE(kernel.id + " " + type + " " + std::to_string(shape[0]));
        const Result<RunResult> result = run(request(kernel, type, shape));
        ASSERT_TRUE(result.ok()) << result.error().message();
        EXPECT_EQ(result->times.launches, 3u);
        EXPECT_GT(result->registers, 0);
        expect_figures(*result);
      }
    }
  }
}

TEST_F(RunOnGpu, EveryValueOfAParameterIsRight) {
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.fault) continue;
    for (const ParameterInfo& parameter : kernel.parameters) {
      for (const std::int64_t value : parameter.values) {
        SCOPED_TRACE(kernel.id + " " + parameter.name + " = " + std::to_string(value));
        RunRequest wanted = request(kernel, kernel.value_types.front(), {100, 51, 77});
        wanted.parameters = {{parameter.name, value}};
        const Result<RunResult> result = run(wanted);
        ASSERT_TRUE(result.ok()) << result.error().message();
        EXPECT_TRUE(result->verified);
      }
    }
  }
}

TEST_F(RunOnGpu, CublasIsRightAndComparedWith) {
  const Result<RunResult> alone = run(request(kCublasId, 1021, 1020, 1022));
  if (!alone.ok() && alone.error().what.find("there is no cuBLAS") == 0)
    GTEST_SKIP() << alone.error().message();
  ASSERT_TRUE(alone.ok()) << alone.error().message();
  expect_figures(*alone);
  EXPECT_TRUE(alone->create_ms.has_value());
  EXPECT_TRUE(run(request(kCublasId, 3, 1, 2))->verified);

  RunRequest both = request("tiled", 512, 512, 512);
  both.with_cublas = true;
  const Result<RunResult> result = run(both);
  ASSERT_TRUE(result.ok()) << result.error().message();
  ASSERT_TRUE(result->cublas.has_value()) << result->cublas_missing;
  EXPECT_TRUE(result->cublas->verified);
  EXPECT_EQ(result->cublas->times.launches, 3u);
  EXPECT_NEAR(result->cublas->percent, 100 * result->gflops / result->cublas->gflops, 1e-6);
}

/// Each thread adds 1 to its element.
constexpr const char* kIncrement =
    ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry increment(.param .u64 c)\n{\n.reg .b32 "
    "%r<4>;\n.reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [c];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, "
    "%rd2;\nld.global.u32 %r2, [%rd3];\n"
    "add.u32 %r3, %r2, 1;\nst.global.u32 [%rd3], %r3;\nret;\n}\n";

RunRequest request_of_file(std::uint32_t threads) {
  FileLaunch launch{.ptx = kIncrement,
                    .entry = "increment",
                    .grid = {1, 1, 1},
                    .block = {threads, 1, 1},
                    .dynamic_shared_bytes = 0,
                    .workload = {}};
  launch.workload.buffers.push_back({.name = "arg0", .type = ElementType::i32, .columns = 256, .pitch = 256});
  launch.workload.contents.emplace_back(1024);
  launch.workload.arguments.emplace_back(std::uint32_t{0});
  RunRequest wanted{.kernel = "increment", .launches = 3, .seconds = 0};
  wanted.of_file = std::make_shared<const FileLaunch>(std::move(launch));
  return wanted;
}

TEST_F(RunOnGpu, AKernelOfAFileIsTimedAndHasNoReference) {
  const Result<RunResult> result = run(request_of_file(256));
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(result->kernel, "increment");
  EXPECT_FALSE(result->has_reference);
  EXPECT_FALSE(failed(*result));
  EXPECT_EQ(result->times.launches, 3u);
  EXPECT_GT(result->times.median_ms, 0);
  EXPECT_GT(result->upload_ms, 0);
  EXPECT_GT(result->download_ms, 0);
  EXPECT_EQ(result->gflops, 0);
  EXPECT_GT(result->registers, 0);
  EXPECT_FALSE(run(request_of_file(2048)).ok()) << "no block is as large";
  RunRequest beside = request_of_file(256);
  beside.with_cublas = true;
  const Result<RunResult> alone = run(beside);
  ASSERT_TRUE(alone.ok()) << alone.error().message();
  EXPECT_NE(alone->cublas_missing.find("increment is not a product"), std::string::npos)
      << alone->cublas_missing;
}

/// Steps of diffusion, between which all blocks wait for each other: `diffuse` of tests/data/cu/grid_sync.cu.
RunRequest request_of_grid(std::uint32_t blocks, std::uint32_t threads, int steps) {
  std::ifstream file(WARPLENS_TEST_DATA "/ptx/grid_sync.sm_75.ptx", std::ios::binary);
  FileLaunch launch{.ptx = {std::istreambuf_iterator<char>(file), {}},
                    .entry = "diffuse",
                    .grid = {blocks, 1, 1},
                    .block = {threads, 1, 1},
                    .dynamic_shared_bytes = 0,
                    .waits_for_grid = true,
                    .workload = {}};
  const std::size_t n = std::size_t{blocks} * threads;
  std::vector<std::uint32_t> now(n), next(n);
  for (std::size_t i = 0; i < n; ++i) now[i] = static_cast<std::uint32_t>(i * i % 101);
  const auto add = [&](std::uint32_t index, const std::vector<std::uint32_t>& values) {
    launch.workload.buffers.push_back(
        {.name = index == 0 ? "a" : "b", .type = ElementType::i32, .columns = n, .pitch = n});
    const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
    launch.workload.contents.emplace_back(bytes, bytes + n * sizeof(std::uint32_t));
    launch.workload.arguments.emplace_back(index);
  };
  add(0, now);
  add(1, next);
  const auto* const count = reinterpret_cast<const std::byte*>(&steps);
  launch.workload.arguments.emplace_back(std::vector<std::byte>(count, count + sizeof steps));
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < n; ++i) next[i] = now[(i + n - 1) % n] + 2 * now[i] + now[(i + 1) % n];
    std::swap(now, next);
  }
  launch.checks.push_back({static_cast<std::uint32_t>(steps % 2), [now](std::span<const std::byte> bytes) {
                             return bytes.size() == now.size() * sizeof(std::uint32_t) &&
                                    std::memcmp(bytes.data(), now.data(), bytes.size()) == 0;
                           }});
  RunRequest wanted{.kernel = "diffuse", .launches = 3, .seconds = 0};
  wanted.of_file = std::make_shared<const FileLaunch>(std::move(launch));
  return wanted;
}

TEST_F(RunOnGpu, BlocksWaitForTheWholeGrid) {
  for (const std::uint32_t blocks : {1u, 13u, 64u}) {
    const Result<RunResult> result = run(request_of_grid(blocks, 128, 25));
    ASSERT_TRUE(result.ok()) << result.error().message();
    EXPECT_TRUE(result->verified) << blocks;
  }
  const Result<RunResult> too_many = run(request_of_grid(1u << 16, 1024, 1));
  ASSERT_FALSE(too_many.ok());
  EXPECT_NE(too_many.error().what.find("65536 blocks that wait for each other"), std::string::npos)
      << too_many.error().message();
}

/// Reads the texel of each thread and writes it to a surface, doubled.
constexpr const char* kThroughTexture =
    ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 t, .param .u64 s)\n{\n.reg "
    ".b64 %rd<3>; .reg .b32 %r<8>; .reg .f32 "
    "%f<8>;\nld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [s];\nmov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; "
    "cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, "
    "%r2;\ntex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];\nadd.f32 %f3, %f3, %f3;\nshl.b32 %r3, "
    "%r1, 2; mov.b32 %r4, "
    "%f3;\nsust.b.2d.b32.trap [%rd2, {%r3, %r2}], {%r4};\nret;\n}\n";

TEST_F(RunOnGpu, TexturesAreReadAndSurfacesWritten) {
  constexpr std::size_t kColumns = 24, kRows = 8;
  for (const bool in_memory : {false, true}) {
    FileLaunch launch{.ptx = kThroughTexture,
                      .entry = "k",
                      .grid = {1, 1, 1},
                      .block = {kColumns, kRows, 1},
                      .dynamic_shared_bytes = 0,
                      .workload = {}};
    std::vector<float> texels(kColumns * kRows), doubled(kColumns * kRows);
    for (std::size_t i = 0; i < texels.size(); ++i)
      doubled[i] = 2 * (texels[i] = static_cast<float>(i * i % 97));
    for (const std::uint32_t index : {0u, 1u}) {
      Texture texture{.width = kColumns,
                      .height = kRows,
                      .pitch_bytes = kColumns * sizeof(float),
                      .is_surface = index == 1};
      texture.in_memory = in_memory && index == 0;
      launch.workload.buffers.push_back({.name = index == 0 ? "t" : "s",
                                         .type = ElementType::f32,
                                         .rows = kRows,
                                         .columns = kColumns,
                                         .pitch = kColumns});
      const auto* const bytes = reinterpret_cast<const std::byte*>(texels.data());
      launch.workload.contents.emplace_back(bytes, bytes + texels.size() * sizeof(float));
      launch.workload.arguments.emplace_back(index);
      launch.workload.textures.emplace(index, texture);
    }
    launch.checks.push_back({1, [doubled](std::span<const std::byte> bytes) {
                               return bytes.size() == doubled.size() * sizeof(float) &&
                                      std::memcmp(bytes.data(), doubled.data(), bytes.size()) == 0;
                             }});
    RunRequest wanted{.kernel = "k", .launches = 3, .seconds = 0};
    wanted.of_file = std::make_shared<const FileLaunch>(std::move(launch));
    const Result<RunResult> result = run(wanted);
    ASSERT_TRUE(result.ok()) << result.error().message();
    EXPECT_TRUE(result->verified) << (in_memory ? "of pitched memory" : "of an array");
  }
}

TEST_F(RunOnGpu, LargeProductsAreVerifiedSoon) {
  const Result<RunResult> result = run(request("tiled", 4096, 4096, 4096));
  ASSERT_TRUE(result.ok()) << result.error().message();
  expect_figures(*result);
}

TEST_F(RunOnGpu, TooLargeMatricesAreRefused) {
  RunRequest wanted = request("naive", 46340, 46340, 46340);
  if (check_driver().gpus.front().memory_bytes > 3ull * 46340 * 46340 * 4)
    GTEST_SKIP() << "the GPU holds them";
  const Result<RunResult> result = run(wanted);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().what.find("GiB"), std::string::npos) << result.error().message();
}

TEST_F(RunOnGpu, IsCancelled) {
  Progress progress;
  progress.cancel = true;
  const Result<RunResult> result = run(request("tiled", 64, 64, 64), &progress);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().what, "cancelled");
}

TEST_F(RunOnGpu, TheLiveLoopSamples) {
  RunRequest wanted = request("tiled", 512, 512, 512);
  wanted.with_cublas = true;
  const Result<std::unique_ptr<LiveRun>> live = LiveRun::start(wanted);
  ASSERT_TRUE(live.ok()) << live.error().message();
  for (int i = 0; i < 3; ++i) {
    const Result<LiveSample> sample = (*live)->sample(0.02);
    ASSERT_TRUE(sample.ok()) << sample.error().message();
    EXPECT_GT(sample->median_ms, 0);
    EXPECT_GT(sample->gflops, 0);
    EXPECT_GE(sample->launches, 1u);
    EXPECT_EQ(sample->cublas.has_value(), (*live)->cublas_missing().empty());
  }
}

TEST_F(RunOnGpu, OtherDevicesAreAskedFor) {
  RunRequest wanted = request("tiled", 64, 64, 64);
  wanted.device = 999;
  const Result<RunResult> result = run(wanted);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().what, "there is no GPU 999");
}

}  // namespace
}  // namespace warplens::gpu
