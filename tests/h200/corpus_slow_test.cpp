// Kernels of the kind that courses and model training use, compiled by nvcc 13.0 for sm_90
// (tests/gpu/corpus): what they leave in memory after a replay is what they left in memory on an H200, bit
// for bit; where a kernel uses approximate functions, within a small relative error.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <sstream>

#include "h200/measured.h"
#include "kernels/ptx/parser.h"
#include "kernels/replay/replay.h"

namespace warplens {
namespace {

Dim3 parse_dim(const std::string& text) {
  std::istringstream in(text);
  Dim3 dim;
  char comma = 0;
  in >> dim.x >> comma >> dim.y >> comma >> dim.z;
  if (dim.y == 0) dim.y = 1;
  if (dim.z == 0) dim.z = 1;
  return dim;
}

template <class T>
replay::ScalarArgument scalar(T value) {
  replay::ScalarArgument argument{std::vector<std::byte>(sizeof(T))};
  std::memcpy(argument.bytes.data(), &value, sizeof(T));
  return argument;
}

replay::ScalarArgument parse_scalar(const std::string& text) {
  const std::string type = text.substr(0, 3), value = text.substr(4);
  if (type == "f32") return scalar(std::stof(value));
  if (type == "f64") return scalar(std::stod(value));
  if (type == "u32") return scalar(static_cast<std::uint32_t>(std::stoul(value)));
  return scalar(static_cast<std::int32_t>(std::stol(value)));
}

struct Expected {
  std::uint32_t buffer;
  std::string type;
  std::vector<std::byte> bytes;
};

double element(const std::vector<std::byte>& bytes, std::size_t i, const std::string& type) {
  if (type == "f64") {
    double value = 0;
    std::memcpy(&value, &bytes[i * 8], 8);
    return value;
  }
  float value = 0;
  std::memcpy(&value, &bytes[i * 4], 4);
  return value;
}

void expect_close(const Expected& expected, const std::vector<std::byte>& got, const std::string& kernel) {
  const std::size_t size = expected.type == "f64" ? 8 : 4;
  const double tolerance = expected.type == "f64" ? 1e-13 : 2e-5;
  for (std::size_t i = 0; i < got.size() / size; ++i) {
    const double a = element(got, i, expected.type), b = element(expected.bytes, i, expected.type);
    ASSERT_LE(std::fabs(a - b), tolerance * std::max(1.0, std::fabs(b))) << kernel << " element " << i;
  }
}

TEST(H200Corpus, ReplayEqualsTheHardware) {
  const std::string data = h200::read_compressed("corpus/data.bin.zst");
  std::map<std::string, ptx::Module> modules;
  for (const auto& row : h200::rows_of(h200::read_text("corpus/launches.txt"), ' ')) {
    const std::string& kernel = row[1];
    SCOPED_TRACE(kernel);
    if (!modules.contains(row[0])) {
      auto module = ptx::parse(h200::read_compressed("corpus/" + row[0] + ".ptx.zst"), row[0] + ".ptx");
      ASSERT_TRUE(module) << module.error().message();
      modules.emplace(row[0], std::move(*module));
    }
    auto program = replay::Program::decode(modules.at(row[0]), kernel);
    ASSERT_TRUE(program) << program.error().message();

    replay::Memory memory;
    replay::Launch launch{.grid = parse_dim(row[2]),
                          .block = parse_dim(row[3]),
                          .dynamic_shared_bytes = static_cast<std::uint32_t>(std::stoul(row[4])),
                          .arguments = {}};
    std::vector<Expected> expected;
    for (std::size_t i = 6; i < row.size(); ++i) {
      if (!row[i].starts_with("buf:")) {
        launch.arguments.emplace_back(parse_scalar(row[i]));
        continue;
      }
      const auto fields = h200::rows_of(row[i], ':')[0];
      const std::size_t size = std::stoul(fields[2]);
      const std::uint32_t buffer =
          memory.add({.name = std::to_string(i)}, h200::bytes_of(data, std::stoul(fields[3]), size));
      launch.arguments.emplace_back(replay::BufferArgument{buffer});
      expected.push_back({buffer, fields[1], h200::bytes_of(data, std::stoul(fields[4]), size)});
    }
    auto recording = replay::run(*program, launch, memory, {});
    if (!recording) {
      ADD_FAILURE() << recording.error().message();
      continue;
    }
    for (const Finding& finding : recording->findings)
      ADD_FAILURE() << "a finding in a sound kernel: " << finding.text;
    for (const Expected& buffer : expected) {
      if (row[5] == "exact") {
        EXPECT_TRUE(memory.contents(buffer.buffer) == buffer.bytes)
            << "buffer " << buffer.buffer << " differs";
      } else if (buffer.type == "f32" || buffer.type == "f64") {
        expect_close(buffer, memory.contents(buffer.buffer), kernel);
      }
    }
  }
}

}  // namespace
}  // namespace warplens
