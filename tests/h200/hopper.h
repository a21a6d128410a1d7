// wgmma on raw bits and copies by tensor maps, as tests/gpu/hopper.py and hopper_forms.py launch them.
#pragma once

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

namespace warplens::h200 {

inline constexpr std::uint32_t kThreads = 128, kSharedBytes = 131072;

/// `folder`: "hopper" or "hopper_forms".
inline ptx::Module module_of(const std::string& folder, const std::string& name) {
  auto module = ptx::parse(h200::read_compressed(folder + "/" + name + ".ptx.zst"), name);
  EXPECT_TRUE(module) << module.error().message();
  return module ? std::move(*module) : ptx::Module{};
}

inline Recording launch(const ptx::Module& module, const std::string& kernel, const replay::Launch& launch,
                        replay::Memory& memory) {
  auto program = replay::Program::decode(module, kernel);
  EXPECT_TRUE(program) << program.error().message();
  if (!program) return {};
  auto recording = replay::run(*program, launch, memory, {.threads = 1});
  EXPECT_TRUE(recording) << kernel << ": " << recording.error().message();
  return recording ? std::move(*recording) : Recording{};
}
/// The same of a kernel in which nothing is wrong.
inline void launch_correct(const ptx::Module& module, const std::string& kernel,
                           const replay::Launch& of_kernel, replay::Memory& memory) {
  const Recording recording = launch(module, kernel, of_kernel, memory);
  EXPECT_TRUE(recording.findings.empty()) << kernel << ": " << recording.findings.front().text;
}

/// Compares the results of every form of wgmma with the hardware's.
inline void expect_products(const std::string& folder) {
  const std::string pool = h200::read_compressed("hopper/pool.bin.zst"),
                    results = h200::read_compressed(folder + "/results.bin.zst"),
                    checks = h200::read_compressed(folder + "/checks.bin.zst");
  const ptx::Module module = module_of(folder, "wgmma");
  std::size_t kept_at = 0, check_at = 0;
  for (const auto& row : h200::rows_of(h200::read_text(folder + "/forms.csv"), ',')) {
    const std::string& name = row[0];
    const auto blocks = static_cast<std::uint32_t>(std::stoul(row[1]));
    const std::size_t bytes = std::stoul(row[3]), kept = std::stoul(row[2]) * bytes;
    replay::Memory memory;
    replay::Launch of_form{
        .grid = {blocks}, .block = {kThreads}, .dynamic_shared_bytes = kSharedBytes, .arguments = {}};
    of_form.arguments.emplace_back(
        replay::BufferArgument{memory.add({.name = "pool"}, h200::bytes_of(pool, 0, pool.size()))});
    const std::uint32_t out = memory.add({.name = "out"}, std::vector<std::byte>(blocks * bytes));
    of_form.arguments.emplace_back(replay::BufferArgument{out});
    launch_correct(module, name, of_form, memory);
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

/// A row of boxes.csv. Those of hopper_forms say more than the others.
inline TensorMap map_of(const std::vector<std::string>& row, bool is_of_forms) {
  TensorMap map;
  for (int element = 0; element < kTensorElements; ++element) {
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
  if (!is_of_forms) return map;
  constexpr std::size_t kInterleave = 12, kLower = 13, kUpper = 14, kPixels = 15;
  for (const auto interleave : {TensorInterleave::bytes16, TensorInterleave::bytes32}) {
    if (std::to_string(bytes_of(interleave)) == row[kInterleave]) map.interleave = interleave;
  }
  if (const auto pixels = numbers<std::uint32_t>(row[kPixels]); !pixels.empty()) {
    Im2col& im2col = map.im2col.emplace();
    std::ranges::copy(numbers<std::int32_t>(row[kLower]), im2col.lower.begin());
    std::ranges::copy(numbers<std::int32_t>(row[kUpper]), im2col.upper.begin());
    im2col.channels = pixels[0];
    im2col.pixels = pixels[1];
  }
  return map;
}

/// Ordinary numbers in every type; of those that round or flush, any bits, with subnormal numbers, infinities
/// and NaNs among them.
inline std::vector<std::byte> tensor_contents(std::size_t bytes, TensorElement element) {
  constexpr std::uint32_t kExponent = 0x7f800000;
  const bool any_bits = element >= TensorElement::f32_ftz;
  std::vector<std::uint32_t> words((bytes + 3) / 4);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = static_cast<std::uint32_t>(i * 2654435761 + 97);
    words[i] = !any_bits    ? word & 0x3effffff
               : i % 8 == 3 ? word & ~kExponent
               : i % 8 == 7 ? word | kExponent
                            : word;
  }
  std::vector<std::byte> contents(bytes);
  std::memcpy(contents.data(), words.data(), bytes);
  return contents;
}

/// A box of boxes.csv, in memory.
struct BoxLaunch {
  explicit BoxLaunch(const std::vector<std::string>& row, bool alone = false, bool is_of_forms = false)
      : map(map_of(row, is_of_forms)),
        start(numbers<std::int32_t>(row[11])),
        moved_bytes(std::stoul(row[10])) {
    const std::size_t tensor_bytes = std::stoul(row[8]), shared_bytes = std::stoul(row[9]);
    tensor = memory.add({.name = "tensor"}, tensor_contents(tensor_bytes, map.element));
    constexpr std::size_t kRoomForMap = 128, kOffsets = 16;
    out = memory.add({.name = "out"}, std::vector<std::byte>(shared_bytes + (is_of_forms ? kRoomForMap : 0)));
    launch = {.grid = {1},
              .block = {kThreads},
              .dynamic_shared_bytes = static_cast<std::uint32_t>(shared_bytes),
              .arguments = {}};
    const auto bytes = encode_tensor_map(map);
    launch.arguments.emplace_back(
        replay::ScalarArgument{{bytes.begin(), bytes.end()}, {{.at = 0, .buffer = tensor}}});
    launch.arguments.emplace_back(replay::BufferArgument{tensor});
    launch.arguments.emplace_back(replay::BufferArgument{out});
    add(alone ? 0 : static_cast<std::int32_t>(shared_bytes));
    add(static_cast<std::int32_t>(moved_bytes));
    for (const std::int32_t coordinate : start) add(coordinate);
    if (!map.im2col || !row[0].starts_with("load")) return;
    std::vector<std::uint16_t> offsets = numbers<std::uint16_t>(row[kOffsets]);
    offsets.resize(kMaxSpatialRank);
    for (const std::uint16_t offset : offsets) add(offset);
  }
  template <class Scalar>
  void add(Scalar scalar) {
    std::vector<std::byte> bytes(sizeof scalar);
    std::memcpy(bytes.data(), &scalar, sizeof scalar);
    launch.arguments.emplace_back(replay::ScalarArgument{bytes, {}});
  }
  /// Sectors that arrive for elements outside the tensor: as many as hold those of a row that lie in one line
  /// of shared memory.
  [[nodiscard]] std::uint64_t filled_sectors() const {
    std::array<std::int32_t, kMaxTensorRank> at{};
    std::ranges::copy(start, at.begin());
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> filled;
    for (const BoxPiece& piece : pieces_of_box(map, at, 0))
      filled[{piece.row, piece.shared / 128}] += kBoxPieceBytes - (piece.end - piece.begin);
    std::uint64_t sectors = 0;
    for (const auto& [part, bytes] : filled) sectors += (bytes + 31) / 32;
    return sectors;
  }

  TensorMap map;
  std::vector<std::int32_t> start;
  std::size_t moved_bytes;
  replay::Memory memory;
  std::uint32_t tensor = 0, out = 0;
  replay::Launch launch;
};

/// Compares tensor and shared memory after every copy with the hardware's.
inline void expect_boxes(const std::string& folder, bool is_of_forms) {
  const std::string results = h200::read_compressed(folder + "/boxes.bin.zst");
  const ptx::Module module = module_of(folder, "boxes");
  std::size_t at = 0;
  for (const auto& row : h200::rows_of(h200::read_text(folder + "/boxes.csv"), ';')) {
    SCOPED_TRACE(row[0] + " " + row[1] + " box " + row[4] + " swizzle " + row[6] + " at " + row[11]);
    BoxLaunch box(row, false, is_of_forms);
    launch_correct(module, row[0], box.launch, box.memory);
    for (const std::uint32_t buffer : {box.tensor, box.out}) {
      const std::vector<std::byte>& got = box.memory.contents(buffer);
      int differing = 0;
      for (std::size_t i = 0; i < got.size(); ++i) {
        const auto should_be = static_cast<std::byte>(results[at + i]);
        if (got[i] != should_be && ++differing == 1)
          ADD_FAILURE() << (buffer == box.tensor ? "tensor" : "shared memory") << ", byte " << i << ": "
                        << std::to_integer<int>(got[i]) << ", the H200 gives "
                        << std::to_integer<int>(should_be);
      }
      EXPECT_EQ(differing, 0) << "bytes of " << got.size();
      at += got.size();
    }
  }
  EXPECT_EQ(at, results.size());
}

}  // namespace warplens::h200
