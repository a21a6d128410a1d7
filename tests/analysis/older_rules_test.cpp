// Compute capabilities before 5.0, on the well-known figures of the CUDA C Programming Guide: one warp,
// 4-byte words unless said otherwise.
#include <gtest/gtest.h>

#include "analysis/accesses.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {
namespace {

constexpr ComputeCapability kTesla10{1, 0}, kTesla13{1, 3}, kFermi{2, 0}, kKepler{3, 0};

struct Piece {
  std::uint64_t address;
  std::uint32_t bytes;
  friend bool operator==(const Piece&, const Piece&) = default;
};
void PrintTo(const Piece& piece, std::ostream* out) {
  *out << piece.bytes << " bytes at " << piece.address;
}

std::vector<Piece> pieces(const WarpAccess& access, ComputeCapability cc) {
  std::vector<Piece> found;
  for (const Transaction& transaction : coalesce(access, cc).transactions)
    found.push_back({transaction.address, transaction.bytes});
  EXPECT_EQ(found.size(), access_cost(access, cc).sectors);
  return found;
}

std::vector<Piece> run_of(std::size_t count, std::uint64_t address, std::uint32_t bytes) {
  std::vector<Piece> run;
  for (std::size_t i = 0; i < count; ++i) run.push_back({address + i * bytes, bytes});
  return run;
}

TEST(OlderGlobalMemory, AlignedAndSequential) {
  const WarpAccess access = global_load(4, [](int k) { return 128 + 4 * k; });
  EXPECT_EQ(pieces(access, kTesla10), run_of(2, 128, 64));
  EXPECT_EQ(pieces(access, kTesla13), run_of(2, 128, 64));
  EXPECT_EQ(pieces(access, kFermi), run_of(1, 128, 128));
  EXPECT_EQ(pieces(access, kKepler), run_of(4, 128, 32));
  WarpAccess uncached = access;
  uncached.bypass_l1 = true;
  EXPECT_EQ(pieces(uncached, kFermi), run_of(4, 128, 32));
}

TEST(OlderGlobalMemory, AlignedAndPermuted) {
  const WarpAccess access = global_load(4, [](int k) { return 128 + 4 * (k ^ 1); });
  EXPECT_EQ(pieces(access, kTesla10).size(), 32u) << "lane k is not on word k: every lane by itself";
  EXPECT_EQ(pieces(access, kTesla13), run_of(2, 128, 64));
  EXPECT_EQ(pieces(access, kFermi), run_of(1, 128, 128));
}

TEST(OlderGlobalMemory, MisalignedByOneWord) {
  const WarpAccess access = global_load(4, [](int k) { return 132 + 4 * k; });
  EXPECT_EQ(pieces(access, kTesla10).size(), 32u);
  // The first half-warp spans 132..195, over both halves of its 128 bytes; the second has 15 words left there
  // and one in the next segment.
  EXPECT_EQ(pieces(access, kTesla13), (std::vector<Piece>{{128, 128}, {192, 64}, {256, 32}}));
  EXPECT_EQ(pieces(access, kFermi), run_of(2, 128, 128));
  EXPECT_EQ(pieces(access, kKepler), run_of(5, 128, 32));
}

TEST(OlderGlobalMemory, Strided) {
  const WarpAccess access = global_load(4, [](int k) { return 8 * k; });
  EXPECT_EQ(pieces(access, kTesla10).size(), 32u);
  EXPECT_EQ(pieces(access, kTesla13), run_of(2, 0, 128));
  EXPECT_EQ(pieces(access, kFermi), run_of(2, 0, 128));
  EXPECT_EQ(pieces(access, kKepler), run_of(8, 0, 32));
}

TEST(OlderGlobalMemory, Broadcast) {
  const WarpAccess access = global_load(4, [](int) { return 192; });
  EXPECT_EQ(pieces(access, kTesla10).size(), 32u);
  EXPECT_EQ(pieces(access, kTesla13), (std::vector<Piece>{{192, 32}, {192, 32}})) << "once a half-warp";
  EXPECT_EQ(pieces(access, kFermi), run_of(1, 128, 128));
  EXPECT_EQ(pieces(access, kKepler), run_of(1, 192, 32));
}

TEST(OlderGlobalMemory, InactiveLanesDoNotKeepAHalfWarpFromJoining) {
  const WarpAccess access = global_load(4, [](int k) { return 4 * k; }, 0x0000fff7u);
  EXPECT_EQ(pieces(access, kTesla10), run_of(1, 0, 64));
  EXPECT_EQ(pieces(access, kTesla13), run_of(1, 0, 64));
}

TEST(OlderGlobalMemory, WidthsOf10And13) {
  const auto sequential = [](int bytes) { return global_load(bytes, [=](int k) { return bytes * k; }); };
  EXPECT_EQ(pieces(sequential(8), kTesla10), run_of(2, 0, 128));
  EXPECT_EQ(pieces(sequential(16), kTesla10), run_of(4, 0, 128));
  EXPECT_EQ(pieces(sequential(2), kTesla10).size(), 32u);
  EXPECT_EQ(pieces(global_load(8, [](int k) { return 64 + 8 * k; }), kTesla10).size(), 32u)
      << "8-byte lanes need 128-byte alignment";
  EXPECT_EQ(pieces(sequential(8), kTesla13), run_of(2, 0, 128));
  EXPECT_EQ(pieces(sequential(16), kTesla13), run_of(4, 0, 128));
  EXPECT_EQ(pieces(sequential(2), kTesla13), run_of(2, 0, 32)) << "64-byte segments, of which a half is used";
  EXPECT_EQ(pieces(sequential(1), kTesla13), (std::vector<Piece>{{0, 32}, {0, 32}}));
}

TEST(OlderGlobalMemory, WideLanesGoInParts) {
  // 32 lanes on the same item: a transaction for each half-warp of 8-byte lanes, for each quarter-warp of
  // 16-byte lanes.
  for (const ComputeCapability cc : {kFermi, kKepler}) {
    EXPECT_EQ(access_cost(global_load(8, [](int) { return 0; }), cc).sectors, 2u);
    EXPECT_EQ(access_cost(global_load(16, [](int) { return 0; }), cc).sectors, 4u);
    EXPECT_EQ(access_cost(global_load(16, [](int) { return 0; }), cc).lines, 1u);
  }
  EXPECT_EQ(access_cost(global_load(16, [](int k) { return 16 * k; }), kFermi).sectors, 4u);
  EXPECT_EQ(access_cost(global_load(16, [](int k) { return 16 * k; }), kKepler).sectors, 16u);
}

TEST(OlderGlobalMemory, PerfectAddressesReachTheIdeal) {
  for (const DeviceModel& model : device_models()) {
    for (const int bytes : {1, 2, 4, 8, 16}) {
      const AccessCost cost = access_cost(global_load(bytes, [=](int k) { return bytes * k; }), model.cc);
      EXPECT_EQ(cost.sectors, cost.ideal_sectors) << model.cc.name() << ", " << bytes << " bytes";
    }
    const AccessCost local =
        access_cost(access_of(Space::local, AccessOp::load, 8, [](int) { return 40; }), model.cc);
    EXPECT_EQ(local.sectors, local.ideal_sectors) << model.cc.name();
  }
}

std::uint64_t wavefronts(const WarpAccess& access, ComputeCapability cc) {
  return access_cost(access, cc).wavefronts;
}
std::uint64_t conflicts(const WarpAccess& access, ComputeCapability cc) {
  return access_cost(access, cc).bank_conflicts;
}
WarpAccess strided(int words) {
  return shared_load(4, [=](int k) { return 4 * words * k; });
}

TEST(OlderSharedMemory, StridesOnSixteenBanks) {
  EXPECT_EQ(wavefronts(strided(1), kTesla10), 2u) << "one pass a half-warp";
  EXPECT_EQ(conflicts(strided(1), kTesla10), 0u);
  EXPECT_EQ(wavefronts(strided(2), kTesla10), 4u);
  EXPECT_EQ(wavefronts(strided(3), kTesla10), 2u) << "odd strides never conflict";
  EXPECT_EQ(wavefronts(strided(16), kTesla10), 32u);
  EXPECT_EQ(conflicts(strided(16), kTesla10), 30u);
}

TEST(OlderSharedMemory, OneWordIsBroadcastInAPass) {
  EXPECT_EQ(wavefronts(strided(0), kTesla10), 2u);
  // Two words of one bank, 8 lanes of a half-warp each: the first pass broadcasts one of them, the second the
  // other.
  EXPECT_EQ(wavefronts(shared_load(4, [](int k) { return k % 2 * 64; }), kTesla10), 4u);
  // Two words of different banks: the broadcast one goes to 8 lanes at once, the other to one lane in each
  // pass.
  EXPECT_EQ(wavefronts(shared_load(4, [](int k) { return k % 2 * 4; }, 0x0000ffffu), kTesla10), 2u);
  // Bytes: lanes 0-3 share a word, and so on.
  EXPECT_EQ(wavefronts(shared_load(1, [](int k) { return k; }, 0x0000ffffu), kTesla10), 4u);
  // 8-byte lanes are two requests with a stride of two words.
  EXPECT_EQ(wavefronts(shared_load(8, [](int k) { return 8 * k; }, 0x0000ffffu), kTesla10), 4u);
  EXPECT_EQ(conflicts(shared_load(8, [](int k) { return 8 * k; }, 0x0000ffffu), kTesla10), 2u);
}

TEST(OlderSharedMemory, Fermi) {
  EXPECT_EQ(wavefronts(strided(1), kFermi), 1u);
  EXPECT_EQ(wavefronts(strided(2), kFermi), 2u);
  EXPECT_EQ(wavefronts(strided(3), kFermi), 1u);
  EXPECT_EQ(wavefronts(strided(32), kFermi), 32u);
  EXPECT_EQ(wavefronts(shared_load(4, [](int k) { return k % 2 * 4; }), kFermi), 1u)
      << "any number of words is broadcast";
  EXPECT_EQ(wavefronts(shared_load(8, [](int k) { return 8 * k; }), kFermi), 2u)
      << "doubles conflict only inside half-warps";
  EXPECT_EQ(conflicts(shared_load(8, [](int k) { return 8 * k; }), kFermi), 0u);
  EXPECT_EQ(wavefronts(shared_load(
                           16, [](int k) { return 16 * k; }, 0xffu),
                       kFermi),
            2u)
      << "16-byte lanes take at least two";
}

TEST(OlderSharedMemory, KeplerBanksAreEightBytesWide) {
  EXPECT_EQ(wavefronts(strided(2), kKepler), 1u) << "words i and i + 32 of 64 pass together";
  EXPECT_EQ(wavefronts(strided(4), kKepler), 2u);
  EXPECT_EQ(wavefronts(shared_load(4, [](int k) { return k % 2 == 0 ? 4 * k : 4 * k + 124; }), kKepler), 1u);
  // Words 32 and 64 share bank 0, but lie in different runs of 64.
  EXPECT_EQ(wavefronts(shared_load(4, [](int k) { return 128 + 128 * k; }, 0x3u), kKepler), 2u);
  EXPECT_EQ(wavefronts(shared_load(4, [](int k) { return 128 * k; }, 0x3u), kKepler), 1u);
  EXPECT_EQ(wavefronts(shared_load(8, [](int k) { return 8 * k; }), kKepler), 1u) << "doubles at full width";

  WarpAccess wide_banks = strided(2);
  wide_banks.eight_byte_banks = true;
  EXPECT_EQ(wavefronts(wide_banks, kKepler), 1u) << "bank = word / 2 % 32";
  wide_banks = strided(3);
  wide_banks.eight_byte_banks = true;
  EXPECT_EQ(wavefronts(wide_banks, kKepler), 2u) << "32 words over 48 eight-byte rows of 32 banks";
}

}  // namespace
}  // namespace warplens::analysis
