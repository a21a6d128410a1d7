// wgmma on raw bits in every layout, and boxes of tensor maps (tests/gpu/hopper.py): the replay's results are
// an H200's, bit for bit.
#include "h200/hopper.h"

#include "kernels/sass/symbolic_execution.h"
#include "viz/analysis/totals.h"

namespace warplens::h200 {
namespace {

TEST(H200Hopper, EveryProductEqualsTheHardware) {
  expect_products("hopper");
}

TEST(H200Hopper, EveryBoxEqualsTheHardware) {
  expect_boxes("hopper", false);
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
  const ptx::Module module = module_of("hopper", "counted");
  const auto listing = sass::parse_listing(h200::read_compressed("hopper/counted.sass.zst"), "counted.sass");
  ASSERT_TRUE(listing.ok()) << listing.error().message();
  for (const auto& row : h200::rows_of(h200::read_text("hopper/counted.csv"), ';')) {
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
  const ptx::Module module = module_of("hopper", "counted");
  for (const auto& row : h200::rows_of(h200::read_text("hopper/counted.csv"), ';')) {
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
  const ptx::Module module = module_of("hopper", "counted");
  for (const auto& row : h200::rows_of(h200::read_text("hopper/counted.csv"), ';')) {
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
}  // namespace warplens::h200
