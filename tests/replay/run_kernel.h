// Runs a kernel of tests/data/ptx, or of PTX written in a test.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/tensor_map.h"
#include "kernels/ptx/parser.h"
#include "kernels/replay/block_details.h"
#include "kernels/replay/extrapolate.h"
#include "kernels/replay/replay.h"

namespace warplens::testing {

inline std::string read_ptx(const std::string& name) {
  std::ifstream file(std::string(WARPLENS_TEST_DATA "/ptx/") + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A kernel around `body`; it has the registers that a short test needs, and its parameters' addresses in
/// %rd0, %rd1, .. (buffers, up to 4).
inline std::string kernel_of(const std::string& body, int buffers = 1, const std::string& declarations = "") {
  std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(";
  for (int b = 0; b < buffers; ++b) text += (b > 0 ? ", .param .u64 p" : ".param .u64 p") + std::to_string(b);
  text +=
      ")\n{\n.reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .f32 %f<16>; .reg .f64 %fd<8>; .reg "
      ".b16 %rs<8>;\n" +
      declarations + "\n";
  for (int b = 0; b < buffers; ++b)
    text += "ld.param.u64 %rd" + std::to_string(b) + ", [p" + std::to_string(b) + "];\n";
  return text + body + "\nret;\n}\n";
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// A launch being put together, and what it left.
class Trial {
 public:
  Trial(std::string ptx, std::string entry, Dim3 grid, Dim3 block)
      : ptx_(std::move(ptx)), entry_(std::move(entry)), launch_{grid, block, 0, {}} {}

  template <class T>
  Trial& buffer(const std::vector<T>& values) {
    const std::string name(1, static_cast<char>('A' + memory_.buffers().size()));
    launch_.arguments.emplace_back(replay::BufferArgument{memory_.add({.name = name}, bytes_of(values))});
    return *this;
  }
  template <class T>
  Trial& scalar(T value) {
    launch_.arguments.emplace_back(replay::ScalarArgument{bytes_of(std::vector<T>{value})});
    return *this;
  }
  /// A tensor map of a buffer that was added.
  Trial& tensor_map(const TensorMap& map, std::uint32_t buffer) {
    const auto bytes = encode_tensor_map(map);
    launch_.arguments.emplace_back(
        replay::ScalarArgument{{bytes.begin(), bytes.end()}, {{.at = 0, .buffer = buffer}}});
    return *this;
  }
  Trial& dynamic_shared_bytes(std::uint32_t bytes) {
    launch_.dynamic_shared_bytes = bytes;
    return *this;
  }
  Trial& cluster(Dim3 blocks) {
    launch_.cluster = blocks;
    return *this;
  }
  replay::Options options{.threads = 1};

  Result<Recording> go() {
    auto module = ptx::parse(ptx_, "test.ptx");
    if (!module) return module.error();
    auto program = replay::Program::decode(*module, entry_);
    if (!program) return program.error();
    return replay::run(*program, launch_, memory_, options);
  }
  /// The same grid from the blocks that behave alike.
  Result<replay::Extrapolation> follow() {
    auto module = ptx::parse(ptx_, "test.ptx");
    if (!module) return module.error();
    auto program = replay::Program::decode(*module, entry_);
    if (!program) return program.error();
    return replay::extrapolate(*program, launch_, memory_, options);
  }
  Result<BlockDetails> details(Dim3 block, std::uint32_t warp) {
    auto module = ptx::parse(ptx_, "test.ptx");
    if (!module) return module.error();
    auto program = replay::Program::decode(*module, entry_);
    if (!program) return program.error();
    return replay::details_of_block(*program, launch_, memory_, options, block, warp);
  }
  /// Expects the run to succeed.
  Recording record() {
    auto recording = go();
    EXPECT_TRUE(recording) << (recording ? "" : recording.error().message());
    return recording ? std::move(*recording) : Recording{};
  }
  template <class T>
  [[nodiscard]] std::vector<T> contents(std::uint32_t buffer) const {
    const auto& bytes = memory_.contents(buffer);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }

 private:
  std::string ptx_, entry_;
  replay::Memory memory_;
  replay::Launch launch_;
};

inline std::vector<int> numbers(std::size_t count, unsigned seed = 1) {
  std::vector<int> values(count);
  for (int& value : values) value = static_cast<int>((seed = seed * 1664525u + 1013904223u) >> 20);
  return values;
}

}  // namespace warplens::testing
