#include "app/worker/wire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "app/launch_form/arguments.h"
#include "app/messages/message.h"

namespace warplens::worker {
namespace {

using nlohmann::json;

app::LaunchRequest some_request() {
  app::LaunchRequest request =
      app::launch_of_kernel("tiled", {{"m", 100}, {"p", std::int64_t{1} << 40}, {"T", 16}, {"U", -1}});
  request.value_type = "f64";
  request.engine = app::Engine::gpu;
  request.replay_blocks = {.all = false, .blocks = {{1, 2, 3}, {0, 0, 0}}};
  request.event_blocks = app::BlockChoice{};
  request.cc = {7, 5};
  request.threads = 3;
  request.whole_result = true;
  return request;
}

app::LaunchRequest request_of_file() {
  app::LaunchRequest request;
  request.origin = app::FileKernel{.file = "/tmp/a b.ptx",
                                   .entry = "k",
                                   .text = ".version 9.0 // \"PTX\"\n",
                                   .sources = {{"k.cu", "__global__\n"}},
                                   .source_folders = {"/src", "include dir"}};
  request.shape = {.grid = {1, 2, 3}, .block = {32, 1, 1}, .dynamic_shared_bytes = 99};
  request.arguments = {
      {"n", app::ScalarSpec{"f64", std::vector<std::byte>(8, std::byte{0xfe})}},
      {"", app::BufferSpec{.type = ElementType::u8, .count = 7, .fill = app::Fill::file, .file = "in.bin"}}};
  for (const char* text : {"A=f32*[3][4,5]:ints", "p=&A[2][1]", "q=&A",
                           "s=bytes:00000000000000000000000000000000@8=&A[1]", "t=ptr[2]:&A,null"}) {
    request.arguments.push_back(*app::parse_named_argument(text));
  }
  request.expect = {"cpu:reference", "C:wanted.npy"};
  return request;
}

TEST(Wire, LaunchesToRecordComeOutAsTheyWentIn) {
  for (app::LaunchRequest request : {some_request(), request_of_file()}) {
    for (const bool events : {true, false}) {
      if (!events) request.event_blocks.reset();
      EXPECT_EQ(launch_request_from(json::parse(to_json(request).dump())), request);
    }
  }
}

/// From here to the worker: as a message, in a packet, out of a pipe that gives a few bytes at a time.
json through_the_pipe(const json& body) {
  const Packet sent = to_packet({.kind = MessageKind::request, .id = 7, .body = body, .bytes = {}});
  std::vector<std::byte> bytes = header_of(sent);
  std::ranges::transform(sent.text, std::back_inserter(bytes),
                         [](char c) { return static_cast<std::byte>(c); });
  PacketDecoder decoder;
  for (std::size_t at = 0; at < bytes.size(); at += 5)
    decoder.feed(std::span(bytes).subspan(at, std::min<std::size_t>(5, bytes.size() - at)));
  const auto packet = decoder.next();
  if (!packet.ok() || !*packet) return nullptr;
  const auto message = to_message(**packet);
  return message.ok() ? message->body : json(nullptr);
}

TEST(Wire, TexturesReachTheWorkerAsTheyAre) {
  app::LaunchRequest request = request_of_file();
  request.arguments.clear();
  for (const char* const text :
       {"tex2d:f32[9][16]", "tex2d:u8x4[9][10]:ints:3,linear,wrap,normalized,floats,memory",
        "tex3d:f32[2][3][4]", "texa1d:i16x2[5][7]:zero,border", "texa2d:f32[5][7][8]:uniform,mirror",
        "texcube:f32[6][8][8]:uniform,linear", "texacube:u8[12][3][3],border", "tex1d:f32[100]:iota,memory",
        "surf2d:i32[4][8]:iota", "tex1d:f32[8]:value:0.5", "f32[8]:iota"}) {
    const auto argument = app::parse_argument(text);
    ASSERT_TRUE(argument.ok()) << text;
    request.arguments.push_back({"t", *argument});
  }
  const app::LaunchRequest come = launch_request_from(through_the_pipe(to_json(request)));
  ASSERT_EQ(come.arguments.size(), request.arguments.size());
  for (std::size_t i = 0; i < come.arguments.size(); ++i) {
    EXPECT_EQ(come.arguments[i], request.arguments[i]) << app::text_of(request.arguments[i].value);
  }
  EXPECT_EQ(come, request);
  json odd = to_json(request);
  odd["arguments"][0]["texture"] = "tex9d:f32[1]";
  EXPECT_THROW(static_cast<void>(launch_request_from(odd)), json::exception);
}

TEST(Wire, DriverChecksComeOutAsTheyWentIn) {
  gpu::DriverCheck check;
  check.version = "13.0";
  check.gpus.push_back({.name = "NVIDIA H200",
                        .cc_major = 9,
                        .cc_minor = 0,
                        .memory_bytes = 141ull << 30,
                        .multiprocessors = 132});
  const gpu::DriverCheck again = driver_check_from(json::parse(to_json(check).dump()));
  EXPECT_EQ(again.version, check.version);
  ASSERT_EQ(again.gpus.size(), 1u);
  EXPECT_EQ(again.gpus[0].name, "NVIDIA H200");
  EXPECT_EQ(again.gpus[0].memory_bytes, 141ull << 30);
}

TEST(Wire, LaunchesComeOutAsTheyWentIn) {
  gpu::RunRequest request;
  request.kernel = "cublas";
  request.p.reset();
  request.parameters = {{"T", 8}};
  request.launches = 7;
  request.seconds = 0.125;
  request.with_cublas = true;
  const json sent = to_json(request);
  EXPECT_EQ(to_json(run_request_from(json::parse(sent.dump()))), sent);

  gpu::RunResult result;
  result.kernel = "tiled";
  result.times = {.launches = 20, .median_ms = 1.25, .min_ms = 1, .p25_ms = 1.125, .p75_ms = 2};
  result.gflops = 0.1;
  result.caches = "warm";
  for (const bool whole : {false, true}) {
    if (whole) {
      result.sm_mhz = 1980;
      result.create_ms = 3;
      result.cublas =
          gpu::RunResult::Cublas{.times = result.times, .gflops = 1e4, .verified = true, .percent = 12.5};
    }
    const json got = to_json(run_result_from(json::parse(to_json(result).dump())));
    EXPECT_EQ(got, to_json(result));
    EXPECT_EQ(got["cublas"].is_null(), !whole);
  }
}

TEST(Wire, CountersComeOutAsTheyWentIn) {
  const LaunchCounters counters{
      .global_load_requests = 32'768,
      .global_load_sectors = 131'072,
      .global_store_requests = {},
      .global_store_sectors = 8'192,
      .shared_load_wavefronts = {},
      .shared_store_wavefronts = {},
      .sectors_from_l2 = std::uint64_t{1} << 60,
      .sectors_to_l2 = 0,
      .dram_read_bytes = 528'896,
      .cc_major = 9,
      .cc_minor = 1,
      .instructions =
          {{.offset = 0x250, .requests = 16'384, .sectors = 524'288, .ideal_sectors = 65'536, .lines = 7},
           {.offset = 0x7d0, .wavefronts = 3, .ideal_wavefronts = 2}},
      .why_no_instructions = "none"};
  EXPECT_EQ(launch_counters_from(to_json(counters)), counters);
}

TEST(Wire, LiveSamplesComeOutAsTheyWentIn) {
  gpu::LiveSample sample{
      .median_ms = 0.3, .gflops = 9127, .gbps = 612, .launches = 12, .cublas = {}, .sm_mhz = 1755};
  EXPECT_EQ(to_json(live_sample_from(to_json(sample))), to_json(sample));
  sample.cublas = {.median_ms = 0.1, .gflops = 50'000, .gbps = 2000, .percent = 18};
  sample.sm_mhz.reset();
  EXPECT_EQ(to_json(live_sample_from(to_json(sample))), to_json(sample));
}

// json by itself cuts off what does not fit: a grid of 2^32 + 1 blocks would be one of 1.
TEST(Wire, NumbersThatDoNotFitAreRefused) {
  const json whole = to_json(some_request());
  for (const json& number : {json(-1), json(1.5), json(1e300), json(std::uint64_t{1} << 33)}) {
    json odd = whole;
    odd["threads"] = number;
    EXPECT_THROW(static_cast<void>(launch_request_from(odd)), json::exception) << number;
    odd = whole;
    odd["replay_blocks"]["blocks"] = json::array({json::array({0, number, 0})});
    EXPECT_THROW(static_cast<void>(launch_request_from(odd)), json::exception) << number;
    odd = whole;
    odd["cc"] = json::array({number, 0});
    EXPECT_THROW(static_cast<void>(launch_request_from(odd)), json::exception) << number;
  }
  json odd = whole;
  odd["values"][0]["value"] = UINT64_MAX;
  EXPECT_THROW(static_cast<void>(launch_request_from(odd)), json::exception);
}

void expect_parts_refused(const json& whole, const std::function<json(json part)>& request_with) {
  for (const auto& item : whole.items()) {
    json part = whole;
    part.erase(item.key());
    EXPECT_THROW(static_cast<void>(launch_request_from(request_with(part))), json::exception) << item.key();
    part[item.key()] = "?";
    if (item.value().is_string()) continue;
    EXPECT_THROW(static_cast<void>(launch_request_from(request_with(part))), json::exception) << item.key();
  }
}

TEST(Wire, WhatIsMissingOrOfAnotherTypeIsRefused) {
  for (const json& whole : {to_json(some_request()), to_json(request_of_file())}) {
    expect_parts_refused(whole, [](json part) { return part; });
    expect_parts_refused(whole["origin"], [&](json part) {
      json request = whole;
      request["origin"] = std::move(part);
      return request;
    });
  }
  EXPECT_THROW(static_cast<void>(launch_request_from(nullptr)), json::exception);
}

}  // namespace
}  // namespace warplens::worker
