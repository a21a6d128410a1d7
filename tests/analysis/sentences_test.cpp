#include "viz/analysis/sentences.h"

#include <gtest/gtest.h>

#include <regex>

#include "analysis/accesses.h"
#include "base/pseudo_language.h"

namespace warplens::analysis {
namespace {

std::string hopper(const WarpAccess& access, const SharedArray* array = nullptr) {
  return describe(access, kHopper, array);
}
WarpAccess global_store(int bytes, std::uint64_t stride) {
  return access_of(Space::global, AccessOp::store, bytes,
                   [=](int k) { return stride * static_cast<std::uint64_t>(k); });
}

TEST(Sentences, GlobalLoads) {
  EXPECT_EQ(hopper(global_load(4, [](int k) { return 4 * k; })),
            "Consecutive lanes read consecutive words: 4 sectors, all bytes used");
  EXPECT_EQ(hopper(global_load(4, [](int k) { return 4 + 4 * k; })),
            "Consecutive lanes read consecutive words: 5 sectors, 128 of 160 bytes used");
  EXPECT_EQ(hopper(global_load(16, [](int k) { return 16 * k; })),
            "Consecutive lanes read consecutive 16-byte items: 16 sectors, all bytes used");
  EXPECT_EQ(hopper(global_load(4, [](int k) { return 1024 * k; })),
            "Neighbouring lanes are 1,024 bytes apart: every lane needs its own sector");
  EXPECT_EQ(hopper(global_load(4, [](int k) { return 8 * k; })),
            "Neighbouring lanes are 8 bytes apart: 8 sectors, 128 of 256 bytes used");
  EXPECT_EQ(hopper(global_load(4, [](int k) { return 4 * (31 - k); })),
            "Neighbouring lanes are 4 bytes apart, downwards: 4 sectors, all bytes used");
  EXPECT_EQ(hopper(global_load(4, [](int) { return 64; })),
            "32 lanes read the same word: a broadcast, 1 sector");
  EXPECT_EQ(hopper(global_load(4, [](int k) { return k / 16 * 1024; })),
            "32 lanes read 2 different words: 2 sectors, 8 of 64 bytes used");
  EXPECT_EQ(hopper(global_load(4, [](int k) { return k / 16 * 1024 + k % 16 * 4; })),
            "Each of 32 lanes reads its own word: 4 sectors, all bytes used");
  EXPECT_EQ(hopper(global_load(8, [](int k) { return k * k * 8; })),
            "Each of 32 lanes reads its own 8-byte item: 31 sectors, 256 of 992 bytes used");
  EXPECT_EQ(hopper(global_load(
                4, [](int k) { return 4 * k; }, 0x3ffu)),
            "Consecutive lanes read consecutive words: 2 sectors, 40 of 64 bytes used");
  EXPECT_EQ(hopper(global_load(
                4, [](int k) { return 4 * k; }, 0x5u)),
            "Neighbouring lanes are 4 bytes apart (2 active): 1 sector, 8 of 32 bytes used");
  EXPECT_EQ(hopper(global_load(4, [](int k) { return 4 * k; }, 0x10u)), "One lane reads one word: 1 sector");
  EXPECT_EQ(hopper(global_load(4, [](int k) { return 4 * k; }, 0u)), "No lane is active: nothing is moved");
}

TEST(Sentences, GlobalStoresAndAtomics) {
  EXPECT_EQ(hopper(global_store(4, 4)),
            "Consecutive lanes write consecutive words: 4 sectors, all bytes used");
  EXPECT_EQ(hopper(global_store(4, 0)), "32 lanes write the same word: one of the writes wins, 1 sector");
  const auto atomic = [](int words) {
    return access_of(Space::global, AccessOp::atomic, 4, [=](int k) { return k % words * 4; });
  };
  EXPECT_EQ(hopper(atomic(1)), "32 lanes update the same word, one after the other: 32 sector visits");
  EXPECT_EQ(
      hopper(atomic(2)),
      "32 lanes update 2 different words, and lanes with the same one are serialized: 16 sector visits");
  EXPECT_EQ(hopper(atomic(32)), "Every lane updates its own word: 4 sector visits");
}

TEST(Sentences, LocalMemory) {
  EXPECT_EQ(hopper(access_of(Space::local, AccessOp::store, 4, [](int) { return 8; })),
            "Every lane uses the same index of its local memory: 4 sectors, all bytes used");
  EXPECT_EQ(hopper(access_of(Space::local, AccessOp::load, 4, [](int k) { return 4 * k; })),
            "The lanes use different indices of their local memory: 32 sectors, 128 of 1,024 bytes used");
}

TEST(Sentences, OlderRulesSpeakOfTransactionsAndOfThePartsOfAWarp) {
  const ComputeCapability tesla13{1, 3}, fermi{2, 0}, kepler{3, 5};
  const WarpAccess consecutive = global_load(4, [](int k) { return 4 * k; });
  EXPECT_EQ(describe(consecutive, tesla13),
            "Consecutive lanes read consecutive words: 2 transactions of 64 bytes, one for each half-warp, "
            "all bytes used");
  EXPECT_EQ(describe(consecutive, fermi),
            "Consecutive lanes read consecutive words: 1 transaction of 128 bytes, all bytes used");
  EXPECT_EQ(describe(global_load(4, [](int k) { return 4 + 4 * k; }), tesla13),
            "Consecutive lanes read consecutive words: 3 transactions of 32 to 128 bytes, 1 for lanes "
            "0\u201315 and 2 for lanes 16\u201331, "
            "128 of 224 bytes used");
  EXPECT_EQ(describe(global_load(8, [](int k) { return 8 * k; }), fermi),
            "Consecutive lanes read consecutive 8-byte items: 2 transactions of 128 bytes, one for each "
            "half-warp, all bytes used");
  EXPECT_EQ(describe(global_load(16, [](int k) { return 16 * k; }), kepler),
            "Consecutive lanes read consecutive 16-byte items: 16 transactions of 32 bytes, 4 for each "
            "quarter-warp, all bytes used");
  EXPECT_EQ(describe(global_load(4, [](int k) { return 1024 * k; }), tesla13),
            "Neighbouring lanes are 1,024 bytes apart: every lane needs its own transaction, 16 for "
            "each half-warp");
  EXPECT_EQ(describe(global_load(
                         4, [](int k) { return 4 * k; }, 0x0000ffffu),
                     tesla13),
            "Consecutive lanes read consecutive words: 1 transaction of 64 bytes, all bytes used");
}

TEST(Sentences, TheOldestRulesSayWhyLanesDoNotJoin) {
  const ComputeCapability tesla10{1, 0};
  EXPECT_EQ(describe(global_load(4, [](int) { return 0; }), tesla10),
            "32 lanes read the same word: each by itself, 32 transactions of 32 bytes, 16 for each "
            "half-warp, as lane 1 does not access word 1");
  EXPECT_EQ(describe(global_load(4, [](int k) { return 8 * k; }), tesla10),
            "Neighbouring lanes are 8 bytes apart: 32 transactions of 32 bytes, 16 for each half-warp, as "
            "lane 1 does not access word 1");
  EXPECT_EQ(describe(global_load(4, [](int k) { return 4 * (k == 3   ? 4
                                                            : k == 4 ? 3
                                                                     : k); }), tesla10),
            "Each of 32 lanes reads its own word: 17 transactions of 32 to 64 bytes, 16 for lanes "
            "0\u201315 and 1 for lanes 16\u201331, "
            "as lane 3 does not access word 3");
  EXPECT_EQ(describe(global_load(4, [](int k) { return 4 * (k == 20 ? 0 : k); }), tesla10),
            "32 lanes read 31 different words: 17 transactions of 32 to 64 bytes, 1 for lanes 0\u201315 and "
            "16 for lanes 16\u201331, "
            "as lane 20 does not access word 4");
  EXPECT_EQ(describe(global_load(4, [](int k) { return 4 + 4 * k; }), tesla10),
            "Consecutive lanes read consecutive words: 32 transactions of 32 bytes, 16 for each half-warp, "
            "as the words start 4 bytes into a "
            "segment of 64");
  EXPECT_EQ(describe(global_load(2, [](int k) { return 2 * k; }), tesla10),
            "Consecutive lanes read consecutive 2-byte items: 32 transactions of 32 bytes, 16 for each "
            "half-warp, as lanes of 2 bytes never join");
}

TEST(Sentences, OlderSharedMemoryHasHalfWarps) {
  const ComputeCapability tesla{1, 3}, fermi{2, 0};
  EXPECT_EQ(describe(shared_load(4, [](int k) { return 4 * k; }), tesla),
            "Neighbouring lanes are 4 bytes apart: no bank conflicts, 2 wavefronts, one for each half-warp");
  EXPECT_EQ(describe(shared_load(4, [](int) { return 48; }), tesla),
            "32 lanes read the same word: a broadcast, 2 wavefronts, one for each half-warp");
  EXPECT_EQ(describe(shared_load(4, [](int k) { return 48 + 128 * k; }), tesla),
            "Neighbouring lanes are 128 bytes apart: all 32 words lie in bank 12, so the lanes are "
            "serialized into 32 wavefronts, 16 for each half-warp");
  EXPECT_EQ(describe(shared_load(4, [](int k) { return k % 2 * 4; }), tesla),
            "32 lanes read 2 different words: 4 wavefronts, 2 for each half-warp, 2 bank conflicts, as a "
            "pass broadcasts one word only");
  EXPECT_EQ(describe(shared_load(8, [](int k) { return 8 * k; }), tesla),
            "Neighbouring lanes are 8 bytes apart: 8 wavefronts, 4 for each half-warp, word by word, 4 bank "
            "conflicts");
  EXPECT_EQ(describe(shared_load(8, [](int k) { return 8 * k; }), fermi),
            "Neighbouring lanes are 8 bytes apart: no bank conflicts, 2 wavefronts, one for each half-warp");
}

TEST(Sentences, SharedMemory) {
  EXPECT_EQ(hopper(shared_load(4, [](int k) { return 4 * k; })),
            "Neighbouring lanes are 4 bytes apart: each has its own bank, 1 wavefront");
  EXPECT_EQ(hopper(shared_load(4, [](int k) { return 132 * k; })),
            "Neighbouring lanes are 132 bytes apart: each has its own bank, 1 wavefront");
  EXPECT_EQ(hopper(shared_load(4, [](int k) { return 8 * k; })),
            "Neighbouring lanes are 8 bytes apart: the 32 words lie in 16 banks, 2 in each, so the lanes are "
            "serialized into 2 wavefronts");
  EXPECT_EQ(hopper(shared_load(4, [](int k) { return 48 + 128 * k; })),
            "Neighbouring lanes are 128 bytes apart: all 32 words lie in bank 12, so the lanes are "
            "serialized into 32 wavefronts");
  EXPECT_EQ(hopper(shared_load(4, [](int) { return 48; })),
            "32 lanes read the same word: a broadcast, 1 wavefront");
  EXPECT_EQ(hopper(shared_load(16, [](int) { return 48; })),
            "32 lanes read the same 16-byte item: a broadcast, 2 wavefronts");
  EXPECT_EQ(hopper(shared_store(4, [](int) { return 48; })),
            "32 lanes write the same word: one of the writes wins, 1 wavefront");
  EXPECT_EQ(hopper(shared_load(4, [](int k) { return k / 16 * 4; })),
            "32 lanes read 2 different words: no bank conflicts, 1 wavefront");
  EXPECT_EQ(hopper(shared_load(16, [](int k) { return 16 * k; })),
            "Neighbouring lanes are 16 bytes apart: no bank conflicts, 4 wavefronts");
  EXPECT_EQ(hopper(access_of(Space::shared, AccessOp::atomic, 4, [](int) { return 0; })),
            "32 lanes update the same word: one after the other, 32 wavefronts");
}

TEST(Sentences, RowsOfAnArrayAreCalledRows) {
  SharedArray as{"as", 256, 4096, 4, 32, 32};
  EXPECT_EQ(hopper(shared_load(4, [](int k) { return 256 + 48 + 128 * k; }), &as),
            "Lane k reads row k of as: all 32 words lie in bank 12, so the lanes are serialized into 32 "
            "wavefronts");
  EXPECT_EQ(hopper(shared_load(
                       4, [](int k) { return 256 + 128 * (k + 1); }, 0x7fffffffu),
                   &as),
            "Each lane reads another row of as: all 31 words lie in bank 0, so the lanes are serialized into "
            "31 wavefronts");
  EXPECT_EQ(hopper(shared_load(4, [](int k) { return 8192 + 128 * k; }), &as).find("row"), std::string::npos)
      << "past the end of the array";
}

TEST(Sentences, MatricesAndAsynchronousCopies) {
  WarpAccess matrices = access_of(Space::shared, AccessOp::ldmatrix, 16, [](int k) { return 16 * k; });
  matrices.matrices = 4;
  EXPECT_EQ(hopper(matrices), "The rows of each of the 4 matrices lie in different banks: 4 wavefronts");
  for (std::size_t lane = 0; lane < 32; ++lane) matrices.address[lane] = 128 * lane;
  matrices.matrices = 1;
  EXPECT_EQ(hopper(matrices), "8 lanes name 16-byte rows that share banks: 8 wavefronts, 7 bank conflicts");
  WarpAccess copy = access_of(Space::shared, AccessOp::cp_async, 16, [](int k) { return 16 * k; });
  copy.bypass_l1 = true;
  EXPECT_EQ(hopper(copy), "The copy goes past the data stage: no wavefronts, no bank conflicts");
}

TEST(Sentences, PiecesOfBulkCopies) {
  EXPECT_EQ(hopper(access_of(Space::shared, AccessOp::bulk_load, 16, [](int k) { return 16 * k; })),
            "32 pieces of 16 bytes are written: no bank conflicts, 4 wavefronts");
  EXPECT_EQ(hopper(access_of(Space::shared, AccessOp::wgmma, 16, [](int k) { return 128 * k; })),
            "32 pieces of 16 bytes are read: 32 wavefronts, 28 bank conflicts");
  EXPECT_EQ(hopper(access_of(Space::global, AccessOp::bulk_load, 16, [](int k) { return 16 * k; })),
            "32 pieces of 16 bytes are read: 16 sectors, all bytes used");
  EXPECT_EQ(hopper(access_of(Space::global, AccessOp::bulk_reduction, 16, [](int k) { return 16 * k; })),
            "32 pieces of 16 bytes are updated: 16 sectors, all bytes used");
}

/// Whatever the access, each figure in its sentence is the one that the rules give.
TEST(Sentences, FiguresEqualTheMemoryRules) {
  const std::regex cost("([0-9,]+) (wavefront|sector visit|sector|transaction)");
  RandomAccesses accesses(20);
  for (int i = 0; i < 20000; ++i) {
    const WarpAccess access = accesses.next();
    const ComputeCapability cc = device_models()[static_cast<std::size_t>(i) % device_models().size()].cc;
    const std::string sentence = describe(access, cc);
    const AccessCost expected = access_cost(access, cc);
    const std::uint64_t figure = access.space == Space::shared ? expected.wavefronts : expected.sectors;
    std::smatch match;
    if (sentence.find("its own") != std::string::npos && access.space == Space::global &&
        !std::regex_search(sentence, cost)) {
      EXPECT_EQ(figure, static_cast<std::uint64_t>(__builtin_popcount(access.mask))) << sentence;
    } else if (figure > 0) {
      ASSERT_TRUE(std::regex_search(sentence, match, cost)) << sentence;
      EXPECT_EQ(match[1], std::to_string(figure)) << sentence;
    } else {
      EXPECT_TRUE(sentence.find("nothing is moved") != std::string::npos ||
                  sentence.find("no wavefronts") != std::string::npos)
          << sentence;
    }
  }
}

TEST(Sentences, AreTranslatedWhole) {
  const PseudoLanguage language;
  RandomAccesses accesses(20);
  for (int i = 0; i < 20000; ++i) {
    const WarpAccess access = accesses.next();
    const ComputeCapability cc = device_models()[static_cast<std::size_t>(i) % device_models().size()].cc;
    EXPECT_EQ(outside_brackets(describe(access, cc)), "") << describe(access, cc);
    if (access.space == Space::shared) continue;
    for (const LanePart& part : lane_parts(access, cc))
      EXPECT_EQ(outside_brackets(with_reason_apart(tr("So it is"), part, access.bytes)), "");
  }
}

}  // namespace
}  // namespace warplens::analysis
