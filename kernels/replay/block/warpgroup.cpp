// What wgmma.mma_async reads: matrices in shared memory, in core matrices of 8 rows of 16 bytes. Each warp of
// a warpgroup reads its 16 rows of A. B is the same for all four, and is recorded once, of the first warp.
// The product is computed where it is issued.
#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/replay/block/block_runner.h"
#include "kernels/tensor/shared_matrix.h"

namespace warplens::replay {
namespace {

constexpr std::uint32_t kPiece = kBoxPieceBytes;
constexpr std::uint32_t kWarpsOfGroup = 4;
constexpr std::uint32_t kCoreRows = tensor::kCoreRows;

}  // namespace

std::uint32_t WarpgroupFlags::bits() const {
  const bool flags[] = {negates_a,         negates_b, a_is_mn_major, b_is_mn_major,
                        a_is_in_registers, c_negated, is_sparse};
  std::uint32_t bits = 0;
  for (std::size_t k = 0; k < std::size(flags); ++k) bits |= static_cast<std::uint32_t>(flags[k]) << k;
  return bits;
}

WarpgroupFlags WarpgroupFlags::of(std::uint32_t bits) {
  const auto flag = [&](int k) { return (bits >> k & 1) != 0; };
  return {.negates_a = flag(0),
          .negates_b = flag(1),
          .a_is_mn_major = flag(2),
          .b_is_mn_major = flag(3),
          .a_is_in_registers = flag(4),
          .c_negated = flag(5),
          .is_sparse = flag(6)};
}

void read_warpgroup_matrix(Machine& m, const Instr* i, bool is_b, std::byte* to) {
  m.runner->read_warpgroup_matrix(*i, is_b, to);
}

void BlockRunner::read_warpgroup_matrix(const Instr& i, bool is_b, std::byte* to) {
  const WarpgroupFlags flags = WarpgroupFlags::of(i.more[kWarpgroupFlags]);
  const Head& head =
      *reinterpret_cast<const Head*>(machine_.registers + i.more[is_b ? kDescriptorOfB : kDescriptorOfA]);
  const auto first_lane = static_cast<std::uint32_t>(std::countr_zero(machine_.active));
  const bool is_mn_major = is_b ? flags.b_is_mn_major : flags.a_is_mn_major;
  const auto matrix = tensor::SharedMatrix::of(value_of_lane(head, true, first_lane), is_mn_major);
  const std::uint32_t in_group = machine_.warp % kWarpsOfGroup;
  const std::uint32_t pieces = tensor::kPiecesOfRow * (is_b && flags.is_sparse ? 2 : 1),
                      row_bytes = pieces * kPiece,  // Of A, or of a column of B
      terms = row_bytes / 2;                        // Of halves, which alone may be MN-major
  check_shared_accesses();
  // Of A the warp's two blocks of eight rows, of B all blocks of eight columns.
  const std::uint32_t blocks = is_b ? i.count : 2, first_block = is_b ? 0 : 2 * in_group;
  PieceReader reader(*this, i, i.site + (is_b && !flags.a_is_in_registers ? 1u : 0u), !is_b || in_group == 0);
  tensor::for_each_piece(
      matrix, first_block, blocks,
      [&](std::uint32_t block, std::uint32_t core, std::uint32_t row, std::uint32_t address) {
        const std::uint32_t k_major = (block * kCoreRows + row) * row_bytes + core * kPiece,
                            mn_major = (block * terms + core * kCoreRows + row) * kPiece;
        reader.read(address, to + (is_mn_major ? mn_major : k_major));
      },
      pieces);
  reader.finish();
}

const Instr* commit_products(Machine& m, const Instr* i) {
  m.runner->commit_products();
  return i + 1;
}
const Instr* wait_for_products(Machine& m, const Instr* i) {
  m.runner->wait_for_products(i);
  return i + 1;
}

void BlockRunner::commit_products() {
  ++warps_[machine_.warp].product_groups;
}

void BlockRunner::wait_for_products(const Instr* i) {
  WarpState& warp = warps_[machine_.warp];
  const auto left = static_cast<std::uint32_t>(i->imm);
  const std::uint32_t waited = warp.product_groups - std::min(warp.product_groups, left);
  warp.products_waited = std::max(warp.products_waited, waited);
  if (shared_races_ == nullptr) return;
  check_shared_accesses();
  shared_races_->end_products(as_raced_.warps, machine_.warp, waited);
}

void BlockRunner::PieceReader::read(std::uint32_t address, std::byte* to) {
  addresses_[count_] = address;
  Machine& m = runner_.machine_;
  const std::uint32_t bit = 1u << count_++;
  if (address < m.shared.begin || address + kPiece > m.shared.end) {
    outside_ |= bit;
    std::memset(to, 0, kPiece);
  } else {
    std::memcpy(to, m.shared.data + address, kPiece);
    const std::uint64_t run = shadow_bits(address, kPiece);
    if ((m.shadow.bulk_in_flight[address >> 6] & run) != 0) {
      in_flight_ |= bit;
    } else if ((~m.shadow.initialised[address >> 6] & run) != 0) {
      unwritten_ |= bit;
    }
  }
  if (count_ == kWarpSize) finish();
}

void BlockRunner::PieceReader::finish() {
  if (count_ == 0) return;
  const std::uint32_t tried = count_ == kWarpSize ? 0xffffffffu : (1u << count_) - 1;
  const auto report = [&](Fault fault, std::uint32_t pieces) {
    if (pieces != 0) runner_.report_fault(&instr_, site_, fault, pieces, tried, addresses_);
  };
  if (runner_.shared_races_ != nullptr) find_races(tried & ~outside_ & ~in_flight_);
  if (is_recorded_) {
    report(Fault::out_of_bounds, outside_);
    report(Fault::in_flight, in_flight_);
    report(Fault::uninitialised, unwritten_);
    runner_.check_proxy(instr_, 0, tried & ~outside_ & ~unwritten_ & ~in_flight_, addresses_);
    if ((tried & ~outside_) != 0) runner_.record_pieces(site_, tried & ~outside_, addresses_);
  }
  count_ = outside_ = in_flight_ = unwritten_ = 0;
}

void BlockRunner::PieceReader::find_races(std::uint32_t pieces) {
  SharedRaces& races = *runner_.shared_races_;
  const Order& order = runner_.as_raced_.warps;
  const std::uint32_t w = runner_.machine_.warp;
  const SharedRaces::Place place{instr_.index, w, 0};
  const std::uint32_t may_conflict =
      races.begin_product(order, place, pieces, addresses_, runner_.warps_[w].product_groups);
  for_each_lane(may_conflict, [&](std::uint32_t k) {
    const auto address = static_cast<std::uint32_t>(addresses_[k]);
    runner_.report_proxy_conflict(place, address, races.conflict_of_product(order, place, address));
  });
}

}  // namespace warplens::replay
