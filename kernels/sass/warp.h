// One warp on its way through decoded machine code. Private to kernels/sass.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/sass/access_counts.h"
#include "kernels/sass/mbarrier.h"
#include "kernels/sass/memory.h"
#include "kernels/sass/moves.h"
#include "kernels/sass/program.h"

namespace warplens::sass {

constexpr std::uint32_t kAllLanes = 0xffffffffu;
constexpr std::uint32_t kBlockBarriers = 16;
/// Bits of an address in shared memory within a block; above them stands the block's rank in its cluster.
constexpr int kRankBit = 24;
constexpr std::uint32_t kWithinBlock = (1u << kRankBit) - 1;

/// What one thread of the host has counted, over all its warps.
struct Tally {
  explicit Tally(const Program& program) : accesses(program.sites.size()), executed(program.blocks.size()) {}
  ShapeTable shapes;
  std::vector<AccessCounts> accesses;   ///< By site
  std::vector<std::uint64_t> executed;  ///< By block
};

/// What all of them together may still execute.
class Allowance {
 public:
  Allowance(std::uint64_t instructions, const std::atomic<bool>* cancelled)
      : left_(instructions), cancelled_(cancelled) {}

  /// Whether so many more may be executed, and following is still wanted.
  [[nodiscard]] bool take(std::uint64_t instructions) {
    if (cancelled_ != nullptr && cancelled_->load(std::memory_order_relaxed)) return false;
    std::uint64_t left = left_.load(std::memory_order_relaxed);
    while (left >= instructions) {
      if (left_.compare_exchange_weak(left, left - instructions, std::memory_order_relaxed)) return true;
    }
    spent_ = true;
    return false;
  }
  [[nodiscard]] bool spent() const { return spent_; }

 private:
  std::atomic<std::uint64_t> left_;
  const std::atomic<bool>* cancelled_;
  std::atomic<bool> spent_{false};
};

struct Stop {
  std::uint32_t instruction = 0;
  const char* why = "";  ///< In English: shown by tr()
};

/// What the warps of a block see.
struct Memories {
  Memory* global = nullptr;
  Memory shared;
  std::map<std::uint32_t, Mbarrier> mbarriers;  ///< By address in shared memory
  std::array<std::uint32_t, kBlockBarriers>
      arrived{};                   ///< Threads that do not wait at a barrier of the block
  std::vector<Memories*> cluster;  ///< Of its blocks, by rank
};

template <class F>
std::uint32_t lanes_that(F&& holds) {
  std::uint32_t lanes = 0;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane)
    lanes |= static_cast<std::uint32_t>(holds(lane)) << lane;
  return lanes;
}

/// Lanes where both, either, or one of the two holds.
[[nodiscard]] std::uint32_t combined(Combination combination, std::uint32_t a, std::uint32_t b);

class Warp {
 public:
  /// `moves`: told how what is computed moves from block to block; may be null.
  Warp(const Program& program, const Launch& launch, Tally& tally, Allowance& allowance,
       Moves* moves = nullptr);
  /// Makes a warp of a program that was decoded with Launch::memory.
  Warp(const Program& program, const Launch& launch, Tally& tally, Allowance& allowance, Memories& memories);

  /// Follows warp `warp` of a block to its end.
  [[nodiscard]] std::optional<Stop> run(Dim3 block, std::uint32_t warp);

  // The same step by step, for warps that wait for each other.
  void begin(Dim3 block, std::uint32_t warp);
  /// Executes to the end, or to where all that is left of the warp waits for other warps.
  [[nodiscard]] std::optional<Stop> go_on();
  [[nodiscard]] bool has_ended() const { return paths_.empty(); }
  /// Whether it has executed anything since it was asked last.
  [[nodiscard]] bool take_progress() { return std::exchange(has_progressed_, false); }
  /// Where it waits, if anywhere.
  [[nodiscard]] std::optional<Stop> waits_where() const;

  /// What lanes bring to a barrier of the block.
  struct Brought {
    std::uint32_t holds = 0, lanes = 0;
  };
  [[nodiscard]] Brought brought() const { return brought_; }
  /// Lanes that wait at a barrier of the block, and how many threads it is of; 0: all.
  struct AtBarrier {
    std::uint32_t lanes = 0, threads = 0;
  };
  [[nodiscard]] AtBarrier at_block_barrier(std::uint32_t number) const;
  /// `all`: what the block's lanes have brought.
  void pass_block_barrier(std::uint32_t number, Brought all);
  /// How often it has arrived at the cluster's barrier; as often as any where it has ended.
  [[nodiscard]] std::uint64_t cluster_arrivals() const {
    return has_ended() ? ~std::uint64_t{0} : cluster_arrivals_;
  }
  /// `arrivals`: of the warp of the cluster that has arrived least often.
  void pass_cluster_barrier(std::uint64_t arrivals);

 private:
  using Lanes = std::array<std::uint32_t, kWarpSize>;

  /// Lanes that go together: those that parted and have not met again are several.
  struct Path {
    std::uint32_t block = 0, mask = 0;
    enum class Awaits : std::uint8_t { nothing, lanes, block, cluster, phase } awaits = Awaits::nothing;
    std::uint32_t number = 0, threads = 0;  ///< Of a barrier of lanes, or of the block
    const Op* at = nullptr;                 ///< What it waits at: of the block, the cluster, a phase
    [[nodiscard]] bool waits() const { return awaits != Awaits::nothing; }
    [[nodiscard]] bool waits_for_others() const { return waits() && awaits != Awaits::lanes; }
  };
  using Awaits = Path::Awaits;

  /// An access's address registers when it was last made: as long as nobody writes them, the pattern is the
  /// same.
  struct Made {
    std::array<std::uint64_t, 4> versions{};
    std::uint32_t mask = 0, active = 0;
    std::uint64_t* count = nullptr;
  };

  [[nodiscard]] std::size_t next_path();
  std::optional<Stop> run_block(Path path);
  std::optional<Stop> finish_block(const Op& op, Path path);
  std::optional<Stop> branch(const Op& op, Path path);
  std::optional<Stop> call(const Op& op, Path path);
  std::optional<Stop> indirect_return(const Op& op, Path path);
  std::optional<Stop> access_by(const Op& op, std::uint32_t mask);
  std::optional<Stop> access(const Op& op, std::uint32_t mask);
  std::optional<Stop> access_anywhere(const Op& op, std::uint32_t mask);
  std::optional<Stop> access_cluster(const Op& op, std::uint32_t mask,
                                     const AccessCounts::Addresses& addresses);
  std::optional<Stop> copy_to_shared(const Op& op, std::uint32_t mask);

  // In warp_asynchronous.cpp.
  std::optional<Stop> copy_in_bulk(const Op& op, std::uint32_t mask);
  std::optional<Stop> multiply_matrices(const Op& op, std::uint32_t mask);
  /// The tensor map at an address; nullopt: it is not known.
  [[nodiscard]] std::optional<TensorMap> tensor_map_at(std::uint64_t address);
  [[nodiscard]] std::uint32_t ranks_of(const Op& op) const;
  /// What a bulk copy moves, and the blocks of the cluster that it goes to, a bit each.
  struct MovedPieces {
    std::uint32_t ranks = 0;
    std::vector<BoxPiece> pieces = {};
    bool fills_with_nan = false;
  };
  std::optional<Stop> find_box(const Op& op, MovedPieces& moved);
  /// What uniform registers hold decides on accesses: it stops where that is not known, and blocks that have
  /// something else there are not alike.
  std::optional<Stop> read_of_warp(const Op& op, std::initializer_list<Source> sources);
  std::optional<Stop> change_mbarriers(const Op& op, std::uint32_t mask);
  /// Lets paths go on whose phases have ended.
  std::optional<Stop> look_at_phases();
  /// What a copy moves is there at once: who reads it waits for it.
  std::optional<Stop> move_in_bulk(const Op& op, const MovedPieces& moved);
  /// The mbarrier at an address in shared memory of a block of the cluster; null: there is none.
  [[nodiscard]] static Mbarrier* mbarrier_at(Memories* block, std::uint64_t address);
  [[nodiscard]] Memories* block_of_rank(std::uint32_t rank) const;
  void find_at_first_look(const Op& op, std::uint32_t mask);
  /// Whether a warp that goes to a block comes to `until`, whatever it finds, without accesses on its way.
  [[nodiscard]] bool only_waits(std::uint32_t from, std::uint32_t until);
  void count_pieces(std::uint32_t site, std::uint32_t mask, const AccessCounts::Addresses& addresses);
  [[nodiscard]] std::uint32_t word_of_warp(const Source& source) const { return registers_[source.index][0]; }
  [[nodiscard]] std::uint64_t pair_of_warp(const Source& low, const Source& high) const {
    return std::uint64_t{word_of_warp(high)} << 32 | word_of_warp(low);
  }
  [[nodiscard]] std::uint32_t rank_in_cluster() const;
  /// Counts what a site accesses in lanes `mask` of those that ask for it, `active`; what stops it: an
  /// address that is not known.
  std::optional<Stop> count_access(const Op& op, std::uint32_t site, const Address& address,
                                   std::uint32_t mask, std::uint32_t active);
  [[nodiscard]] AccessCounts::Addresses addresses_of(const Op& op) const {
    return addresses_of(op.address, program_.sites[op.site].space);
  }
  [[nodiscard]] AccessCounts::Addresses addresses_of(const Address& address, Space space) const;
  /// Those of an access to the block's own shared memory, without its rank.
  [[nodiscard]] AccessCounts::Addresses addresses_in_block(const Address& address) const;
  void move_local(const Op& op, std::uint32_t mask);
  /// Moves words of lanes that access the same address, each in its own local memory.
  void move_local_words(const Op& op, std::uint64_t address, std::uint32_t mask);
  void release_barriers();
  void forget_results(std::uint32_t first, std::uint32_t end, std::uint32_t mask);
  [[nodiscard]] bool only_computes(std::uint32_t first, std::uint32_t end, bool may_return = false) const;
  [[nodiscard]] std::optional<std::uint32_t> end_of_call(const Op& op) const;

  void compute(const Op& op, std::uint32_t mask);
  void multiply_add(const Op& op, std::uint32_t mask);
  void multiply_add_wide(const Op& op, std::uint32_t mask);
  void add(const Op& op, std::uint32_t mask);
  void write_carries(const Op& op, const std::array<std::uint64_t, kWarpSize>& sum, std::uint32_t mask,
                     std::uint32_t missing);
  void shift_add(const Op& op, std::uint32_t mask);
  void compare(const Op& op, std::uint32_t mask);
  void logic(const Op& op, std::uint32_t mask);
  void logic_predicates(const Op& op, std::uint32_t mask);
  void shift(const Op& op, std::uint32_t mask);
  void choose(const Op& op, std::uint32_t mask);
  void special(const Op& op, std::uint32_t mask);
  void spread_bits(const Op& op, std::uint32_t mask);
  void clobber(const Op& op, std::uint32_t mask);

  // In warp_values.cpp.
  void compute_values(const Op& op, std::uint32_t mask);
  [[nodiscard]] bool comes_of_unknown(const Op& op, std::uint32_t mask) const;
  void tell_values(const Op& op, std::uint32_t mask);
  void lanewise(const Op& op, std::uint32_t mask);
  void join_bytes(const Op& op, std::uint32_t mask);
  void test(const Op& op, std::uint32_t mask);
  void shuffle(const Op& op, std::uint32_t mask);
  void vote(const Op& op, std::uint32_t mask);
  void match(const Op& op, std::uint32_t mask);
  void reduce(const Op& op, std::uint32_t mask);
  void first_lane(const Op& op, std::uint32_t mask);
  void elect(const Op& op, std::uint32_t mask);
  void look_up(const Op& op, std::uint32_t mask);
  void reduced(const Op& op, std::uint32_t mask);
  void pack_predicates(const Op& op, std::uint32_t mask);
  [[nodiscard]] bool all_in_global_memory(const Op& op, std::uint32_t mask) const;
  void move_values(const Op& op, std::uint32_t mask);
  void move_values(const Op& op, Memory& memory, const AccessCounts::Addresses& addresses,
                   std::uint32_t mask);
  void load_values(const Op& op, Memory& memory, const AccessCounts::Addresses& addresses,
                   std::uint32_t mask);
  void store_values(const Op& op, Memory& memory, const AccessCounts::Addresses& addresses,
                    std::uint32_t mask) const;
  void copy_values(const Op& op, std::uint32_t mask);
  void load_matrices(const Op& op, std::uint32_t mask);
  void store_matrices(const Op& op, std::uint32_t mask);
  void change_values(const Op& op, Memory& memory, const AccessCounts::Addresses& addresses,
                     std::uint32_t mask);
  [[nodiscard]] std::uint64_t bits(const Source& low, const Source& high, Sign sign, std::size_t lane) const;
  /// Lanes in which what a function reads of a source is not known.
  [[nodiscard]] std::uint32_t missing_in(const Source& source, Sign sign, std::uint32_t mask) const;
  /// Writes to the whole warp where `d` is a uniform register, else to the lanes `mask`.
  void write_of_warp(std::uint32_t d, std::uint32_t value, std::uint32_t mask, bool known);

  void copy(std::uint32_t d, const Source& from, std::uint32_t mask);
  void tell_sum(const Op& op, const Lanes& result, std::uint32_t mask);
  void tell_shift_add(const Op& op, const std::array<Operand32, 3>& operands, const Lanes& result,
                      std::uint32_t mask);

  /// A source's value by lane; where `negate` is set, with its sign. The reference holds until the next use
  /// of `room`.
  [[nodiscard]] const Lanes& value(const Source& source, Lanes& room, bool negate = true) const;
  [[nodiscard]] std::uint32_t unknown(const Source& source) const { return unknown_registers_[source.index]; }
  /// Lanes in which a register of an address is not known; `wide`: of 64 bits.
  [[nodiscard]] std::uint32_t unknown_in(const Address& address, bool wide = false) const {
    const std::uint32_t uniform = kUniformRegisters + address.uniform_base;
    std::uint32_t unknown = unknown_registers_[address.base] | unknown_registers_[uniform];
    if (wide && address.wide && address.base != kZeroRegister)
      unknown |= unknown_registers_[address.base + 1];
    if (wide && address.uniform_base != kUniformZeroRegister) unknown |= unknown_registers_[uniform + 1];
    return unknown;
  }
  [[nodiscard]] std::uint32_t unknown(const PredicateSource& source) const {
    return unknown_predicates_[source.index];
  }
  /// Bits of a source of one lane that are known.
  [[nodiscard]] std::uint32_t known_bits(const Source& source, std::size_t lane) const;
  /// Lanes where both are the carries of one sum: how many of the two hold is known there, though not which.
  [[nodiscard]] std::uint32_t lanes_of_one_sum(const PredicateSource& a, const PredicateSource& b) const;
  [[nodiscard]] std::uint32_t lanes_where(const PredicateSource& source) const {
    return source.negated ? ~predicates_[source.index] : predicates_[source.index];
  }
  /// Returns the operand with how it moves.
  [[nodiscard]] Operand32 moving(const Source& source, const Lanes& lanes, bool negate = true) const;
  [[nodiscard]] std::uint32_t lost(const PredicateSource& source) const {
    return moves_ != nullptr ? moves_->lost(source) : 0;
  }
  void tell_access(std::uint32_t site, const Address& address, std::uint32_t mask);
  void write(std::uint32_t d, const Lanes& lanes, std::uint32_t mask, std::uint32_t unknown);
  /// The same where of some lanes only these bits are known.
  void write_partly(std::uint32_t d, const Lanes& lanes, const Lanes& known, std::uint32_t mask);
  /// A sum, or a product and a sum, of a, b and c: its low bits are known as far as those of all three are.
  void write_sum(const Op& op, const Lanes& lanes, std::uint32_t mask, std::uint32_t unknown_carry);
  void forget(std::uint32_t d, std::uint32_t mask);
  void write_predicate(std::uint32_t p, std::uint32_t lanes, std::uint32_t mask, std::uint32_t unknown);

  const Program& program_;
  const Launch& launch_;
  Tally& tally_;
  Allowance& allowance_;
  std::uint64_t steps_ = 0;  ///< Executed, and not taken from the allowance yet
  Dim3 block_;
  std::uint32_t warp_ = 0, lanes_of_warp_ = 0, live_ = 0;
  std::vector<Path> paths_;
  std::array<Lanes, kWarpBarrier + 1> barriers_{};  ///< By number and lane: the lanes that meet there
  std::vector<Lanes> registers_;                    ///< And constants
  std::vector<std::uint32_t> unknown_registers_;
  std::vector<std::uint32_t> partly_known_;  ///< Of unknown ones: the lanes of which some bits are known ..
  std::vector<Lanes> known_bits_;            ///< .. and which
  std::vector<std::uint64_t> versions_;
  std::uint64_t clock_ = 0;
  std::array<std::uint32_t, kPredicates> predicates_{}, unknown_predicates_{};
  struct Carries {
    std::uint32_t p = kTruePredicate, q = kTruePredicate;
    std::uint32_t lanes = 0;  ///< Where both are still those of one sum
  };
  std::vector<Carries> carries_;
  bool has_progressed_ = false;
  std::uint64_t cluster_arrivals_ = 0;
  std::uint32_t tell_of_waits_ = 0;  ///< Predicates that tell whether what was waited for has come
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> only_waits_;  ///< By blocks
  Brought brought_, result_;   ///< To the barrier that is waited at; to the last one, by all
  bool asks_for_all_ = false;  ///< Of that barrier: whether a predicate holds in all lanes
  std::vector<Made> made_;     ///< By site
  Moves* moves_ = nullptr;
  Memories* memories_ = nullptr;

  /// A word of every lane's local memory, where registers are spilled to; by distance from the stack's top.
  struct LocalWord {
    Lanes lanes{};
    std::uint32_t unknown = 0xffffffffu;
    Move move = {};
  };
  std::vector<LocalWord> local_;
};

}  // namespace warplens::sass
