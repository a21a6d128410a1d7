// The one description of a launch: arguments by name, and recordings that can be launched again.
#include "app/launch/launch.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kernels/recording/file.h"

namespace warplens::app {
namespace {

/// c[i] = a[i] + k, in PTX as one writes it by hand: its parameters have names.
constexpr const char* kAdd =
    ".version 9.0\n.target sm_75\n.address_size 64\n.file 1 \"add.cu\"\n"
    ".visible .entry add(.param .u64 c, .param .u64 a, .param .u32 k)\n{\n"
    ".reg .b32 %r<5>;\n.reg .b64 %rd<6>;\n"
    "ld.param.u64 %rd1, [c];\nld.param.u64 %rd2, [a];\nld.param.u32 %r1, [k];\n"
    "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd3, %r2, 4;\nadd.u64 %rd4, %rd2, %rd3;\nadd.u64 %rd5, %rd1, %rd3;\n"
    ".loc 1 1 0\nld.global.u32 %r3, [%rd4];\nadd.u32 %r4, %r3, %r1;\n.loc 1 2 0\nst.global.u32 [%rd5], "
    "%r4;\nret;\n}\n";

LaunchRequest launch_of_add(const std::vector<std::string>& arguments) {
  LaunchRequest request;
  request.origin = FileKernel{.file = "add.ptx",
                              .entry = "add",
                              .text = kAdd,
                              .sources = {{"add.cu", "line 1\nline 2\n"}},
                              .source_folders = {}};
  request.shape = {.grid = {1}, .block = {32}, .dynamic_shared_bytes = 64};
  request.event_blocks = BlockChoice{};
  for (const std::string& argument : arguments) request.arguments.push_back(*parse_named_argument(argument));
  return request;
}

std::string refusal(const LaunchRequest& request) {
  const Result<Recording> recording = record(request);
  return recording.ok() ? "accepted" : recording.error().message();
}

/// Two recordings of one launch differ in the time that they took.
Recording without_time(Recording recording) {
  recording.seconds = 0;
  return recording;
}

TEST(Launch, ArgumentsAreTakenByNameOrInOrder) {
  const Result<Recording> in_order = record(launch_of_add({"buf:i32:32", "buf:i32:32:iota", "u32:7"}));
  ASSERT_TRUE(in_order.ok()) << in_order.error().message();
  const std::vector<RecordedArgument> expected{{"c", "buf:i32:32"}, {"a", "buf:i32:32:iota"}, {"k", "u32:7"}};
  EXPECT_EQ(in_order->arguments, expected);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"k=u32:7", "a=buf:i32:32:iota", "c=buf:i32:32"},
        {"a=buf:i32:32:iota", "buf:i32:32", "u32:7"},
        {"k=u32:7", "buf:i32:32", "buf:i32:32:iota"}}) {
    const Result<Recording> by_name = record(launch_of_add(arguments));
    ASSERT_TRUE(by_name.ok()) << by_name.error().message();
    EXPECT_EQ(without_time(*by_name), without_time(*in_order));
  }
  EXPECT_NE(refusal(launch_of_add({"b=u32:7", "buf:i32:32", "buf:i32:32"})).find("there is no parameter `b`"),
            std::string::npos);
  EXPECT_NE(refusal(launch_of_add({"k=u32:7", "k=u32:8", "buf:i32:32"}))
                .find("two arguments for the parameter `k`"),
            std::string::npos);
  EXPECT_NE(refusal(launch_of_add({"k=u32:7"})).find("takes 3 arguments, 1 are given"), std::string::npos);
}

TEST(Launch, ValuesAreFoundByName) {
  LaunchRequest request = launch_of_kernel("tiled", {{"m", 64}});
  request.set("T", 16);
  request.set("m", 32);
  EXPECT_EQ(request.values, (std::vector<NamedValue>{{"m", 32}, {"T", 16}}));
  EXPECT_EQ(request.value("T"), 16);
  EXPECT_EQ(request.value("n"), std::nullopt);
  EXPECT_EQ(name_of(request), "tiled");
  EXPECT_EQ(name_of(launch_of_add({})), "add of add.ptx");
}

TEST(Launch, ArgumentsRoundTrip) {
  for (const char* text : {"i32:-5", "u32:4294967295", "i64:-9223372036854775808", "u64:18446744073709551615",
                           "f32:0.1", "f64:-1e-300", "f32:inf", "buf:f32:65536", "buf:u8:100:iota",
                           "buf:f64:3:random", "buf:i32:8:file=in.bin"}) {
    EXPECT_EQ(text_of(*parse_argument(text)), text);
  }
  EXPECT_EQ(text_of(*parse_argument("buf:i32:8:file=/home/someone/in.bin")), "buf:i32:8:file=in.bin")
      << "where it lies is the user's own";
}

class EveryKernelAgain : public testing::TestWithParam<std::string> {};

TEST_P(EveryKernelAgain, IsTheSameLaunch) {
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  LaunchRequest request = launch_of_kernel(kernel.id);
  for (const ExtentInfo& extent : kernel.extents)
    request.set(std::string(1, extent.name), extent.name == 'n' ? 40 : 33);
  for (const ParameterInfo& parameter : kernel.parameters)
    request.set(parameter.name, parameter.values.front());
  request.value_type = kernel.value_types.back();
  request.event_blocks = BlockChoice{.all = false, .blocks = {{0, 0, 0}}};
  for (const bool part : {false, true}) {
    if (part) request.replay_blocks = *request.event_blocks;
    const Result<Recording> first = record(request);
    ASSERT_TRUE(first.ok()) << first.error().message();
    const Result<Recording> again = record(launch_of(*first));
    ASSERT_TRUE(again.ok()) << again.error().message();
    EXPECT_EQ(without_time(*again), without_time(*first));
  }
}

std::vector<std::string> every_id() {
  std::vector<std::string> ids;
  for (const KernelDescriptor& kernel : catalog().kernels()) ids.push_back(kernel.id);
  return ids;
}
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernelAgain, testing::ValuesIn(every_id()),
                         [](const auto& test) { return test.param; });

TEST(LaunchAgain, RecordingFileSuffices) {
  const Result<Recording> first = record(launch_of_add({"buf:i32:32", "buf:i32:32:random", "u32:7"}));
  ASSERT_TRUE(first.ok()) << first.error().message();
  const Result<Recording> kept = decode(encode(*first));
  ASSERT_TRUE(kept.ok()) << kept.error().message();
  EXPECT_EQ(*kept, *first);
  const Result<Recording> again = record(launch_of(*kept));
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(without_time(*again), without_time(*first));
  EXPECT_EQ(again->files.at(1).text, "line 1\nline 2\n");
}

TEST(LaunchAgain, OldRecordingsAreRefused) {
  Result<Recording> old = record(launch_of_add({"buf:i32:32", "buf:i32:32", "u32:7"}));
  ASSERT_TRUE(old.ok()) << old.error().message();
  old->arguments.clear();
  EXPECT_NE(refusal(launch_of(*old)).find("before version 1.2"), std::string::npos);
}

// PTX that came with a recording must not make this machine's files part of the next one.
TEST(LaunchAgain, ReadsNoSourcesFromThisMachine) {
  const std::filesystem::path source = std::filesystem::current_path() / "add.cu";
  std::ofstream(source) << "this machine's own";
  LaunchRequest request = launch_of_add({"buf:i32:32", "buf:i32:32", "u32:7"});
  std::get<FileKernel>(request.origin).sources.clear();
  const Result<LaunchResult> result = launch(request);
  std::filesystem::remove(source);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(result->recording.files.at(1).text, "");
  ASSERT_EQ(result->unread_sources.size(), 1u);
  EXPECT_EQ(result->unread_sources[0].named, "add.cu");
}

}  // namespace
}  // namespace warplens::app
