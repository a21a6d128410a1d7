// Launches that hardware refuses.
#include <gtest/gtest.h>

#include "app/launch/launch.h"

namespace warplens::app {
namespace {

LaunchRequest launch_with(const std::string& directives, Dim3 grid, Dim3 block,
                          std::uint32_t shared_bytes = 0) {
  LaunchRequest result;
  result.origin = FileKernel{.file = "k.ptx",
                             .entry = "k",
                             .text = ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n" +
                                     directives + "\n{\n.shared .align 4 .b8 s[1024];\nret;\n}\n"};
  result.shape = {.grid = grid, .block = block, .dynamic_shared_bytes = shared_bytes};
  return result;
}

/// What is said of it in one line; empty: it is launched.
std::string refusal_at_limits(const LaunchRequest& request) {
  const Result<LaunchResult> result = launch(request);
  const Result<gpu::RunRequest> run = run_request_of(request);
  if (result.ok()) {
    EXPECT_TRUE(run.ok()) << run.error().message();
    return "";
  }
  EXPECT_FALSE(run.ok());
  EXPECT_FALSE(result.error().hint.empty());
  EXPECT_EQ(result.error().where, "k");
  return result.error().message();
}

TEST(LaunchOnGpu, BuffersOfZerosHaveTheirWholeLength) {
  LaunchRequest request;
  request.origin = FileKernel{.file = "k.ptx",
                              .entry = "k",
                              .text =
                                  ".version 9.0\n.target sm_75\n.address_size 64\n"
                                  ".visible .entry k(.param .u64 A)\n{\nret;\n}\n"};
  request.shape = {.grid = {1}, .block = {32}, .dynamic_shared_bytes = 0};
  request.arguments = {{"A", BufferSpec{.type = ElementType::f32, .count = 1000}}};
  const Result<gpu::RunRequest> run = run_request_of(request);
  ASSERT_TRUE(run.ok()) << run.error().message();
  EXPECT_EQ(run->of_file->workload.contents.at(0).size(), 4000u);
}

TEST(LaunchLimits, LaunchBoundsAreEnforced) {
  EXPECT_EQ(refusal_at_limits(launch_with(".maxntid 64, 2, 1", {1}, {128})), "");
  EXPECT_EQ(refusal_at_limits(launch_with(".maxntid 64, 2, 1", {1}, {8, 16})), "") << "the product counts";
  EXPECT_NE(refusal_at_limits(launch_with(".maxntid 64, 2, 1", {1}, {129}))
                .find("compiled for 128 at most (__launch_bounds__"),
            std::string::npos);
  EXPECT_EQ(refusal_at_limits(launch_with(".reqntid 64, 2", {1}, {64, 2})), "");
  EXPECT_NE(
      refusal_at_limits(launch_with(".reqntid 64, 2", {1}, {128})).find("compiled for blocks of 64 x 2 x 1"),
      std::string::npos);
  EXPECT_NE(refusal_at_limits(launch_with(".reqntid 64, 2", {1}, {32, 2}))
                .find("compiled for blocks of 64 x 2 x 1"),
            std::string::npos);
}

TEST(LaunchLimits, CudaExtentsAreEnforced) {
  EXPECT_NE(refusal_at_limits(launch_with("", {1}, {1025})).find("a block of 1025 x 1 x 1 threads"),
            std::string::npos);
  EXPECT_NE(refusal_at_limits(launch_with("", {1}, {1, 1, 65})).find("at most 64 in z"), std::string::npos);
  EXPECT_NE(refusal_at_limits(launch_with("", {1, 65536}, {32})).find("a grid of 1 x 65536 x 1 blocks"),
            std::string::npos);
  EXPECT_NE(refusal_at_limits(launch_with("", {1, 1, 65536}, {32})).find("2147483647 x 65535 x 65535"),
            std::string::npos);
}

TEST(LaunchLimits, CooperativeBlocksMustBeResident) {
  const auto with = [](std::uint32_t blocks, std::uint32_t threads, int major,
                       std::uint32_t shared_bytes = 0) {
    LaunchRequest asked;
    asked.origin = FileKernel{
        .file = "k.ptx",
        .entry = "k",
        .text =
            ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<2>;\n"
            "mov.u32 %r1, %envreg1;\nret;\n}\n"};
    asked.shape = {.grid = {blocks}, .block = {threads}, .dynamic_shared_bytes = shared_bytes};
    asked.cc = {major, 0};
    const Result<LaunchResult> result = launch(asked);
    return result.ok() ? std::string() : result.error().message();
  };
  EXPECT_EQ(with(132 * 8, 256, 9), "") << "2,048 threads on each of the H200's 132 multiprocessors";
  EXPECT_NE(with(132 * 8 + 1, 256, 9).find("a grid of 1057 blocks that wait for each other"),
            std::string::npos);
  EXPECT_NE(with(132 * 8 + 1, 256, 9)
                .find("holds at most 1056 of them at a time, 8 on each of its 132 multiprocessors"),
            std::string::npos);
  EXPECT_EQ(with(132 * 32, 32, 9), "");
  EXPECT_NE(with(132 * 32 + 1, 32, 9), "");
  EXPECT_NE(with(133, 32, 9, 150 * 1024), "") << "one block's shared memory on each";
  EXPECT_NE(with(132 * 8, 256, 8), "") << "an A100 has fewer";
}

TEST(LaunchLimits, SharedMemoryDependsOnComputeCapability) {
  const auto with = [](int major, int minor, std::uint32_t bytes) {
    LaunchRequest asked = launch_with("", {1}, {32}, bytes - 1024);
    asked.cc = {major, minor};
    const Result<LaunchResult> result = launch(asked);
    return result.ok() ? std::string() : result.error().message();
  };
  EXPECT_EQ(with(9, 0, 227 * 1024), "");
  EXPECT_NE(with(9, 0, 227 * 1024 + 1), "");
  EXPECT_EQ(with(8, 0, 163 * 1024), "");
  EXPECT_NE(with(8, 0, 163 * 1024 + 1).find("Compute capability 8.0 has at most 166912 for a block"),
            std::string::npos);
  EXPECT_NE(with(8, 6, 100 * 1024), "");
  EXPECT_EQ(with(7, 5, 64 * 1024), "");
  EXPECT_NE(with(7, 5, 64 * 1024 + 1), "");
  EXPECT_NE(with(6, 1, 48 * 1024 + 1), "");
}

}  // namespace
}  // namespace warplens::app
