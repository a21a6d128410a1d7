// Occupancy against NVIDIA's calculator, and by hand.
#include "viz/analysis/occupancy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cctype>

#include "analysis/counter_tables.h"
#include "base/pseudo_language.h"

namespace warplens::analysis {
namespace {

std::optional<std::uint32_t> number(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(static_cast<std::uint32_t>(std::stoul(text)));
}

LaunchNeeds tile(std::uint32_t edge) {
  return {
      .threads = edge * edge, .registers = std::nullopt, .shared_bytes = 2 * edge * edge * 4, .blocks = 64};
}

/// The multiprocessor with 16 KiB set aside for shared memory: Fermi gives the other 48 to its L1 cache then.
MultiprocessorModel with_16_kib(ComputeCapability cc) {
  MultiprocessorModel model = multiprocessor_model(cc);
  model.shared_bytes = model.shared_bytes_a_block = 16 * 1024;
  return model;
}

TEST(Occupancy, EqualsCudaOccupancy) {
  std::size_t rows = 0, models = 0;
  std::string before;
  for (const auto& row : golden::read_table("occupancy.csv")) {
    SCOPED_TRACE(row.at("cc") + ": " + row.at("threads") + " threads, " + row.at("registers") +
                 " registers, " + row.at("shared_bytes") + " bytes");
    const auto cc = parse_compute_capability(row.at("cc"));
    ASSERT_TRUE(cc.ok());
    const Occupancy found =
        occupancy(multiprocessor_model(*cc), {.threads = *number(row.at("threads")),
                                              .registers = number(row.at("registers")),
                                              .shared_bytes = *number(row.at("shared_bytes")),
                                              .blocks = 1});
    EXPECT_EQ(found.limit(OccupancyLimit::threads).blocks, number(row.at("by_threads")));
    EXPECT_EQ(found.limit(OccupancyLimit::registers).blocks, number(row.at("by_registers")));
    EXPECT_EQ(found.limit(OccupancyLimit::shared).blocks, number(row.at("by_shared")));
    EXPECT_EQ(found.limit(OccupancyLimit::blocks).blocks, number(row.at("by_blocks")));
    EXPECT_EQ(found.blocks, *number(row.at("blocks")));
    ++rows;
    models += row.at("cc") != before ? 1 : 0;
    before = row.at("cc");
  }
  EXPECT_EQ(rows, 312u);
  EXPECT_EQ(models, multiprocessor_models().size());
}

TEST(Occupancy, HasAModelForEveryComputeCapability) {
  ASSERT_EQ(multiprocessor_models().size(), device_models().size());
  for (std::size_t i = 0; i < device_models().size(); ++i) {
    const MultiprocessorModel& model = multiprocessor_models()[i];
    EXPECT_EQ(model.cc, device_models()[i].cc);
    EXPECT_STREQ(model.architecture, device_models()[i].architecture);
    EXPECT_GT(model.multiprocessors, 0u);
    EXPECT_LE(model.registers_a_block, model.registers);
    EXPECT_LE(model.shared_bytes_a_block, model.shared_bytes);
  }
}

/// The lecture's figures: tiles of A and B of 16 x 16 and 32 x 32 floats.
TEST(Occupancy, OfTheTextbooksTiles) {
  EXPECT_EQ(tile(16).shared_bytes, 2u * 1024);
  EXPECT_EQ(occupancy(with_16_kib({2, 0}), tile(16)).limit(OccupancyLimit::shared).blocks, 8u);
  EXPECT_EQ(occupancy(multiprocessor_model({1, 3}), tile(16)).limit(OccupancyLimit::shared).blocks, 8u);
  EXPECT_EQ(tile(32).shared_bytes, 8u * 1024);
  const Occupancy large = occupancy(with_16_kib({2, 0}), tile(32));
  EXPECT_EQ(large.limit(OccupancyLimit::shared).blocks, 2u);
  EXPECT_EQ(multiprocessor_model({2, 0}).threads(), 1536u);
  EXPECT_EQ(large.limit(OccupancyLimit::threads).blocks, 1u);
  EXPECT_EQ(large.blocks, 1u);
  EXPECT_TRUE(large.limit(OccupancyLimit::threads).binds);
  EXPECT_FALSE(large.limit(OccupancyLimit::shared).binds);
}

TEST(Occupancy, CountsWaves) {
  const MultiprocessorModel& hopper = multiprocessor_model({9, 0});
  LaunchNeeds needs{.threads = 256, .registers = 255, .shared_bytes = 0, .blocks = 64};
  Occupancy one = occupancy(hopper, needs);
  EXPECT_EQ(one.blocks, 1u);
  EXPECT_EQ(one.warps, 8u);
  EXPECT_DOUBLE_EQ(one.share(), 0.125);
  EXPECT_EQ(one.waves, 1u);
  EXPECT_EQ(one.blocks_in_last_wave, 64u);
  EXPECT_EQ(describe(hopper, needs, one),
            "Registers allow 1 block per SM: 8 of Hopper's 64 warps, 12.5 %; 64 blocks over the 132 SMs of "
            "the H200: 1 wave, 48.5 % full");
  needs.blocks = 133;
  one = occupancy(hopper, needs);
  EXPECT_EQ(one.waves, 2u);
  EXPECT_EQ(one.blocks_in_last_wave, 1u);
  EXPECT_TRUE(describe(hopper, needs, one)
                  .ends_with("133 blocks over the 132 SMs of the H200: 2 waves, the last 0.8 % full"))
      << describe(hopper, needs, one);
  needs.blocks = 264;
  EXPECT_EQ(occupancy(hopper, needs).blocks_in_last_wave, 132u);
}

TEST(Occupancy, LeavesUnknownRegistersOut) {
  const Occupancy found =
      occupancy(multiprocessor_model({9, 0}),
                {.threads = 1024, .registers = std::nullopt, .shared_bytes = 0, .blocks = 1});
  EXPECT_FALSE(found.limit(OccupancyLimit::registers).blocks);
  EXPECT_FALSE(found.limit(OccupancyLimit::registers).binds);
  EXPECT_EQ(found.blocks, 2u);
}

TEST(Occupancy, SaysWhyABlockDoesNotFit) {
  const auto sentence = [](ComputeCapability cc, const LaunchNeeds& needs) {
    const MultiprocessorModel& model = multiprocessor_model(cc);
    return describe(model, needs, occupancy(model, needs));
  };
  EXPECT_EQ(sentence({1, 3}, tile(32)),
            "A block does not fit on Tesla 1.3: it has 1,024 threads, and may have 512");
  EXPECT_EQ(
      sentence({8, 6}, {.threads = 32, .registers = 32, .shared_bytes = 102400, .blocks = 1}),
      "A block does not fit on Ampere 8.6: it takes 102,400 bytes of shared memory, and may take 101,376");
  EXPECT_EQ(sentence({3, 0}, {.threads = 32, .registers = 64, .shared_bytes = 0, .blocks = 1}),
            "A block does not fit on Kepler 3.0: a thread takes 64 registers, and may take 63; compiled for "
            "it, the kernel would spill some");
  EXPECT_EQ(sentence({9, 0}, {.threads = 1024, .registers = 72, .shared_bytes = 0, .blocks = 1}),
            "A block does not fit on Hopper 9.0: it takes 73,728 registers, and may take 65,536");
  EXPECT_EQ(sentence({9, 0}, {}), "A block without threads takes nothing");
}

TEST(Occupancy, NamesEveryLimit) {
  const MultiprocessorModel& hopper = multiprocessor_model({9, 0});
  const LaunchNeeds needs{.threads = 1024, .registers = 32, .shared_bytes = 8192, .blocks = 64};
  EXPECT_TRUE(describe(hopper, needs, occupancy(hopper, needs))
                  .starts_with("Threads and registers allow 2 blocks per SM: 64 of Hopper's 64 warps"));
  const LaunchNeeds small{.threads = 32, .registers = 32, .shared_bytes = 0, .blocks = 64};
  EXPECT_TRUE(describe(hopper, small, occupancy(hopper, small))
                  .starts_with("Places for blocks allow 32 blocks per SM: 32 of Hopper's 64 warps"));
  const LaunchNeeds shared{.threads = 32, .registers = 32, .shared_bytes = 100000, .blocks = 64};
  EXPECT_TRUE(describe(hopper, shared, occupancy(hopper, shared))
                  .starts_with("Shared memory allows 2 blocks per SM"));
}

/// Each set of limits has a sentence of its own, in English the one that this puts together.
TEST(Occupancy, NamesEverySetOfLimits) {
  const std::array<std::string, 4> names{"threads", "registers", "shared memory", "places for blocks"};
  const MultiprocessorModel& hopper = multiprocessor_model({9, 0});
  for (std::size_t set = 1; set < 16; ++set) {
    Occupancy found{.limits = {}, .blocks = 2, .warps = 64, .max_warps = 64};
    std::string expected;
    const std::size_t last = std::bit_width(set) - 1;
    for (std::size_t limit = 0; limit < 4; ++limit) {
      found.limits[limit].binds = (set >> limit & 1) != 0;
      if (!found.limits[limit].binds) continue;
      expected += (expected.empty() ? "" : limit == last ? " and " : ", ") + names[limit];
    }
    expected[0] = static_cast<char>(std::toupper(expected[0]));
    expected +=
        std::string(set == 4 ? " allows" : " allow") + " 2 blocks per SM: 64 of Hopper's 64 warps, 100 %";
    EXPECT_EQ(describe(hopper, {.threads = 1024}, found), expected);
  }
}

TEST(Occupancy, ClustersAreAtMostWhatAllMultiprocessorsHold) {
  const MultiprocessorModel& hopper = multiprocessor_model({9, 0});
  const LaunchNeeds needs{
      .threads = 384, .registers = 168, .shared_bytes = 214016, .blocks = 256, .cluster_blocks = 5};
  const Occupancy found = occupancy(hopper, needs);
  EXPECT_EQ(found.clusters, 26u) << "132 / 5";
  EXPECT_EQ(found.blocks_a_wave, 130u);
  EXPECT_EQ(found.waves, 2u);
  EXPECT_EQ(
      describe(hopper, needs, found),
      "Registers and shared memory allow 1 block per SM: 12 of Hopper's 64 warps, 18.8 %; 256 blocks over "
      "the 132 SMs of the H200: 2 waves, the last 96.9 % full; at most 26 clusters of 5 blocks at a time: "
      "the blocks of each lie in one GPC, whose SMs may not divide evenly, and then there are more waves");
}

TEST(Occupancy, LaunchWithoutClustersHasNoLimitOfThem) {
  const LaunchNeeds needs{
      .threads = 384, .registers = std::nullopt, .shared_bytes = 0, .blocks = 256, .cluster_blocks = 1};
  EXPECT_FALSE(occupancy(multiprocessor_model({9, 0}), needs).clusters);
}

TEST(Occupancy, ClustersBeforeComputeCapability9AreLeftOut) {
  const LaunchNeeds needs{
      .threads = 384, .registers = std::nullopt, .shared_bytes = 0, .blocks = 256, .cluster_blocks = 2};
  EXPECT_FALSE(occupancy(multiprocessor_model({8, 0}), needs).clusters);
}

TEST(Occupancy, IsTranslatedWhole) {
  const PseudoLanguage language;
  for (const MultiprocessorModel& model : multiprocessor_models()) {
    for (const std::uint32_t threads : {0u, 32u, 512u, 2048u}) {
      for (const std::uint32_t shared_bytes : {0u, 40000u, 300000u}) {
        for (const std::uint32_t registers : {16u, 128u, 300u}) {
          for (const std::uint64_t blocks : {1u, 5000u}) {
            const LaunchNeeds needs{.threads = threads,
                                    .registers = registers,
                                    .shared_bytes = shared_bytes,
                                    .blocks = blocks,
                                    .cluster_blocks = blocks == 1 ? 1u : 4u};
            EXPECT_EQ(outside_brackets(describe(model, needs, occupancy(model, needs))), "");
          }
        }
      }
    }
  }
}

OccupancySubject compiled_for_two() {
  OccupancySubject subject;
  subject.launch = {.threads = 256, .registers = std::nullopt, .shared_bytes = 0, .blocks = 4};
  for (const auto& [architecture, cc, registers] :
       {std::tuple{"sm_75", ComputeCapability{7, 5}, 66u}, {"sm_90", ComputeCapability{9, 0}, 58u}}) {
    CompiledVariant variant;
    variant.recorded = true;
    variant.needs = subject.launch;
    variant.needs.registers = registers;
    subject.compiled.push_back({.architecture = architecture, .cc = cc, .terms = 0, .variants = {variant}});
  }
  return subject;
}

TEST(OccupancySubject, TakesTheNearestMachineCodeAndSaysSo) {
  const OccupancySubject subject = compiled_for_two();
  EXPECT_EQ(subject.needs_for({9, 0}).registers, 58u);
  EXPECT_EQ(subject.registers_note({9, 0}), "registers as compiled for sm_90");
  for (const DeviceModel& model : device_models())
    EXPECT_EQ(subject.registers_sentence(model.cc), "The " + subject.registers_note(model.cc) + ".")
        << model.cc.name();
  EXPECT_EQ(subject.needs_for({12, 0}).registers, 58u);
  EXPECT_EQ(subject.registers_note({12, 0}),
            "registers as compiled for sm_90; code for 12.0 may take others");
  EXPECT_EQ(subject.needs_for({8, 6}).registers, 66u);
  EXPECT_EQ(subject.needs_for({7, 0}).registers, 66u);
  EXPECT_EQ(subject.needs_for({2, 0}).registers, 66u);
  EXPECT_EQ(
      subject.registers_note({2, 0}),
      "registers as compiled for sm_75, the oldest there is code for; a compiler for 2.0 may take others");
  OccupancySubject none = subject;
  none.compiled.clear();
  none.why_no_registers = "only the kernels of the ladder have listings";
  EXPECT_FALSE(none.needs_for({9, 0}).registers);
  EXPECT_EQ(none.registers_note({9, 0}), "registers not known: only the kernels of the ladder have listings");
}

}  // namespace
}  // namespace warplens::analysis
