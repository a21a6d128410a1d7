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
#include "kernels/sass/symbolic_execution.h"
#include "viz/analysis/totals.h"

namespace warplens {
namespace {

constexpr std::uint32_t kThreads = 128, kSharedBytes = 131072;

ptx::Module module_of(const std::string& name) {
  auto module = ptx::parse(testing::read_compressed("hopper/" + name + ".ptx.zst"), name);
  EXPECT_TRUE(module) << module.error().message();
  return module ? std::move(*module) : ptx::Module{};
}

Recording launch(const ptx::Module& module, const std::string& kernel, const replay::Launch& launch,
                 replay::Memory& memory) {
  auto program = replay::Program::decode(module, kernel);
  EXPECT_TRUE(program) << program.error().message();
  if (!program) return {};
  auto recording = replay::run(*program, launch, memory, {.threads = 1});
  EXPECT_TRUE(recording) << kernel << ": " << recording.error().message();
  return recording ? std::move(*recording) : Recording{};
}
/// The same of a kernel in which nothing is wrong.
void launch_correct(const ptx::Module& module, const std::string& kernel, const replay::Launch& of_kernel,
                    replay::Memory& memory) {
  const Recording recording = launch(module, kernel, of_kernel, memory);
  EXPECT_TRUE(recording.findings.empty()) << kernel << ": " << recording.findings.front().text;
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

/// A box of boxes.csv, in memory.
struct BoxLaunch {
  explicit BoxLaunch(const std::vector<std::string>& row, bool alone = false)
      : map(map_of(row)), start(numbers<std::int32_t>(row[11])), moved_bytes(std::stoul(row[10])) {
    const std::size_t tensor_bytes = std::stoul(row[8]), shared_bytes = std::stoul(row[9]);
    tensor = memory.add({.name = "tensor"}, tensor_contents(tensor_bytes));
    out = memory.add({.name = "out"}, std::vector<std::byte>(shared_bytes));
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
  }
  void add(std::int32_t scalar) {
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

TEST(H200Hopper, EveryBoxEqualsTheHardware) {
  const std::string results = testing::read_compressed("hopper/boxes.bin.zst");
  const ptx::Module module = module_of("boxes");
  std::size_t at = 0;
  for (const auto& row : testing::rows_of(testing::read_text("hopper/boxes.csv"), ';')) {
    SCOPED_TRACE(row[0] + " " + row[1] + " box " + row[4] + " swizzle " + row[6] + " at " + row[11]);
    BoxLaunch box(row);
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

/// The same launch for machine code.
sass::Launch compiled_launch(const replay::Launch& launch, const replay::Memory& memory,
                             const ptx::Function& entry) {
  sass::Launch compiled{
      .grid = launch.grid, .block = launch.block, .parameters = {}, .blocks = {}, .threads = 1};
  const std::size_t first = sass::parameters_offset("sm_90a");
  std::vector<std::uint64_t> bases;
  for (const Buffer& buffer : memory.buffers()) bases.push_back(buffer.base);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    std::vector<std::byte> bytes(sizeof(std::uint64_t));
    if (const auto* const scalar = std::get_if<replay::ScalarArgument>(&launch.arguments[i])) {
      bytes = scalar->bytes;
      put_addresses(bytes, scalar->addresses, bases);
    } else {
      std::memcpy(bytes.data(), &bases[std::get<replay::BufferArgument>(launch.arguments[i]).buffer],
                  bytes.size());
    }
    const ptx::Variable& parameter = entry.variables[entry.parameters[i]];
    const std::size_t alignment =
                          std::max<std::size_t>(parameter.alignment, std::min<std::size_t>(bytes.size(), 8)),
                      end = first + compiled.parameters.size();
    compiled.parameters.resize((end + alignment - 1) / alignment * alignment - first);
    compiled.parameters.insert(compiled.parameters.end(), bytes.begin(), bytes.end());
  }
  return compiled;
}

/// Whether the kernel's machine code accesses in bulk what the recording has.
void expect_compiled_accesses(const sass::Listing& listing, const std::string& kernel,
                              const sass::Launch& launch, const Recording& recording) {
  const sass::Function* const function = listing.find(kernel);
  ASSERT_NE(function, nullptr);
  auto followed = sass::execute_symbolically(listing, *function, launch);
  ASSERT_TRUE(followed.ok()) << followed.error().message();
  Recording compiled;
  compiled.sites = std::move(followed->sites);
  compiled.shapes = std::move(followed->shapes);
  compiled.totals = std::move(followed->totals);
  const analysis::Report written = analysis::report(recording, {9, 0}),
                         report = analysis::report(compiled, {9, 0});
  for (const auto kind : {&analysis::Report::bulk_load_global, &analysis::Report::bulk_load_shared,
                          &analysis::Report::bulk_store_global, &analysis::Report::bulk_store_shared,
                          &analysis::Report::warpgroup_load}) {
    EXPECT_EQ((report.*kind).requests, (written.*kind).requests);
    EXPECT_EQ((report.*kind).requested_bytes, (written.*kind).requested_bytes);
    EXPECT_EQ((report.*kind).cost, (written.*kind).cost);
  }
}

// counted.sass is what ptxas 13.0 makes of counted.ptx.
TEST(H200Hopper, MachineCodeAccessesWhatTheReplayRecords) {
  const ptx::Module module = module_of("counted");
  const auto listing =
      sass::parse_listing(testing::read_compressed("hopper/counted.sass.zst"), "counted.sass");
  ASSERT_TRUE(listing.ok()) << listing.error().message();
  for (const auto& row : testing::rows_of(testing::read_text("hopper/counted.csv"), ';')) {
    SCOPED_TRACE(row[0]);
    const ptx::Function* const entry = module.find_entry(row[0]);
    ASSERT_NE(entry, nullptr);
    if (row.size() >= 15) {
      BoxLaunch box(row, true);
      const Recording recording = launch(module, row[0], box.launch, box.memory);
      expect_compiled_accesses(*listing, row[0], compiled_launch(box.launch, box.memory, *entry), recording);
    } else {
      replay::Memory memory;
      replay::Launch of_form{
          .grid = {1}, .block = {kThreads}, .dynamic_shared_bytes = kSharedBytes, .arguments = {}};
      for (const char* const name : {"pool", "out"})
        of_form.arguments.emplace_back(
            replay::BufferArgument{memory.add({.name = name}, std::vector<std::byte>(64))});
      const Recording recording = launch(module, row[0], of_form, memory);
      expect_compiled_accesses(*listing, row[0], compiled_launch(of_form, memory, *entry), recording);
    }
  }
}

TEST(H200Hopper, SectorsOfBulkCopiesAreThoseCounted) {
  const ptx::Module module = module_of("counted");
  for (const auto& row : testing::rows_of(testing::read_text("hopper/counted.csv"), ';')) {
    if (row.size() < 15) continue;
    SCOPED_TRACE(row[0] + " " + row[1] + " extents " + row[2] + " strides " + row[3] + " box " + row[4] +
                 " swizzle " + row[6] + " at " + row[11]);
    BoxLaunch box(row, true);
    const Recording recording = launch(module, row[0], box.launch, box.memory);
    const analysis::Report report = analysis::report(recording, {9, 0});
    const bool is_load = row[0].starts_with("load"), has_map = !row[0].ends_with("_0d");
    EXPECT_EQ(report.bulk_load_global.cost.sectors + (is_load && has_map ? box.filled_sectors() : 0),
              std::stoul(row[12]));
    EXPECT_EQ(report.bulk_store_global.cost.sectors, std::stoul(row[13]));
    const analysis::Totals& shared = is_load ? report.bulk_load_shared : report.bulk_store_shared;
    EXPECT_EQ(shared.requested_bytes / 4, std::stoul(row[14]));
  }
}

TEST(H200Hopper, WavefrontsOfProductsAreThoseCounted) {
  const ptx::Module module = module_of("counted");
  for (const auto& row : testing::rows_of(testing::read_text("hopper/counted.csv"), ';')) {
    if (row.size() > 3) continue;
    replay::Memory memory;
    replay::Launch of_form{
        .grid = {1}, .block = {kThreads}, .dynamic_shared_bytes = kSharedBytes, .arguments = {}};
    for (const char* const name : {"pool", "out"})
      of_form.arguments.emplace_back(
          replay::BufferArgument{memory.add({.name = name}, std::vector<std::byte>(64))});
    const Recording recording = launch(module, row[0], of_form, memory);
    EXPECT_EQ(analysis::report(recording, {9, 0}).warpgroup_load.cost.wavefronts, std::stoul(row[1]))
        << row[0];
  }
}

}  // namespace
}  // namespace warplens
