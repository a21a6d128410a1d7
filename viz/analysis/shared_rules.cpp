// Shared memory: in which wavefront each lane's words pass the data stage. Sources of the rules:
// docs/memory_model.md.
#include <algorithm>
#include <cassert>

#include "viz/analysis/access_rules.h"
#include "viz/analysis/lanes.h"

namespace warplens::analysis {
namespace {

constexpr int kLanesOfMatrix = 8;  // ldmatrix, stmatrix: they name the rows of one matrix, and pass together

bool is_matrix(const WarpAccess& access) {
  return is_of_matrices(access.op) || is_of_pieces(access.op);
}

std::uint32_t counted_lanes(const WarpAccess& access) {
  return is_of_matrices(access.op) ? access.mask & lane_range(0, kLanesOfMatrix * access.matrices)
                                   : access.mask;
}

/// What one wavefront of one bank can serve: a word; two where banks are 8 bytes wide, in 4-byte mode words i
/// and i + 32 of an aligned run of 64.
std::uint64_t row_of(std::uint64_t word, const WarpAccess& access, const MemoryRules& rules) {
  if (rules.bank_bytes == 4) return word;
  return access.eight_byte_banks ? word / 2 : word / 64;
}

Sharing sharing_of(const WarpAccess& access, const MemoryRules& rules) {
  if (access.op == AccessOp::atomic || access.op == AccessOp::reduction || access.op == AccessOp::cp_async)
    return Sharing::none;
  return access.op == AccessOp::load ? rules.shared_loads : rules.shared_stores;
}

/// Every lane whose partner (lane ^ distance) is active too has its partner's address.
bool partners_agree(const WarpAccess& access, int distance) {
  bool agree = true;
  for_each_lane(access.mask, [&](int lane) {
    const int partner = lane ^ distance;
    if ((access.mask >> partner & 1u) != 0) {
      agree = agree && access.address[static_cast<std::size_t>(lane)] ==
                           access.address[static_cast<std::size_t>(partner)];
    }
  });
  return agree;
}

int lanes_per_group(const WarpAccess& access, const MemoryRules& rules) {
  return is_matrix(access) ? kLanesOfMatrix : static_cast<int>(rules.lane_groups[access.bytes]);
}

bool merges_groups(const WarpAccess& access, const MemoryRules& rules) {
  return rules.pair_rule && access.op == AccessOp::load && access.bytes >= 8 &&
         (partners_agree(access, 1) || partners_agree(access, 2));
}

class Stage {
 public:
  Stage(const WarpAccess& access, const MemoryRules& rules, SharedSchedule& schedule)
      : access_(access), rules_(rules), sharing_(sharing_of(access, rules)), schedule_(schedule) {}

  /// Serves words [first_word, first_word + words) of the lanes, after everything served before.
  void serve(std::uint32_t lanes, int first_word, int words) {
    if (lanes == 0) return;
    const auto word = static_cast<std::int8_t>(words == 1 && access_.bytes > 4 ? first_word : -1);
    schedule_.group[static_cast<std::size_t>(schedule_.groups++)] = {
        lanes, word, static_cast<std::uint8_t>(schedule_.wavefronts)};
    schedule_.wavefronts += sharing_ == Sharing::one_broadcast ? serve_with_broadcast(lanes, first_word)
                            : sharing_ == Sharing::none        ? serve_apart(lanes, first_word, words)
                                                               : serve_by_key(lanes, first_word, words);
  }

 private:
  std::uint64_t word_of(int lane, int index) const {
    return access_.address[static_cast<std::size_t>(lane)] / 4 + static_cast<std::uint64_t>(index);
  }
  void set(int lane, int word, int wavefront) {
    schedule_.when[static_cast<std::size_t>(lane)][static_cast<std::size_t>(word)] =
        static_cast<std::uint8_t>(schedule_.wavefronts + wavefront);
  }

  /// Two words of a bank pass together exactly if their keys are equal.
  std::uint64_t key_of(int lane, std::uint64_t word) const {
    if (sharing_ == Sharing::row) return row_of(word, access_, rules_);
    return access_.bytes < 4 ? access_.address[static_cast<std::size_t>(lane)] : word;
  }

  /// `turn(lane, word, bank)`: after how many others the word passes.
  template <class Turn>
  int serve_in_turns(std::uint32_t lanes, int first_word, int words, Turn turn) {
    int passes = 0;
    for_each_lane(lanes, [&](int lane) {
      const int end = std::min(first_word + words,
                               words_touched(access_.address[static_cast<std::size_t>(lane)], access_.bytes));
      for (int index = first_word; index < end; ++index) {
        const std::uint64_t word = word_of(lane, index);
        const int at = turn(lane, word, static_cast<std::size_t>(bank_of(word, access_, rules_)));
        set(lane, index, at);
        passes = std::max(passes, at + 1);
      }
    });
    return passes;
  }

  /// Sharing::none: in each bank the lanes queue in their order.
  int serve_apart(std::uint32_t lanes, int first_word, int words) {
    if (first_word == 0 && access_.bytes <= 4 && are_in_a_word_each(lanes)) return serve_words_apart(lanes);
    std::array<std::uint8_t, kWarpSize> waiting{};  // By bank: lanes so far
    std::array<int, kWarpSize> latest;              // By bank, where lanes wait
    return serve_in_turns(lanes, first_word, words, [&](int lane, std::uint64_t, std::size_t bank) {
      if (waiting[bank] == 0 || latest[bank] != lane)
        ++waiting[bank];  // Of a lane two words may be in one bank
      latest[bank] = lane;
      return waiting[bank] - 1;
    });
  }

  [[nodiscard]] bool are_in_a_word_each(std::uint32_t lanes) const {
    std::uint64_t off = 0;
    for_each_lane(lanes, [&](int lane) {
      off |= access_.address[static_cast<std::size_t>(lane)] & static_cast<std::uint64_t>(access_.bytes - 1);
    });
    return off == 0;
  }
  /// The same, without looking at what is the same for all lanes again for each.
  int serve_words_apart(std::uint32_t lanes) {
    std::array<std::uint8_t, kWarpSize> waiting{};
    const bool in_pairs = rules_.bank_bytes == 8 && access_.eight_byte_banks;
    const std::uint64_t shift = in_pairs ? 3 : 2, last_bank = static_cast<std::uint64_t>(rules_.banks - 1);
    const auto before = static_cast<std::uint8_t>(schedule_.wavefronts);
    std::uint8_t passes = 0;
    for_each_lane(lanes, [&](int lane) {
      const std::uint8_t at = waiting[access_.address[static_cast<std::size_t>(lane)] >> shift & last_bank]++;
      schedule_.when[static_cast<std::size_t>(lane)][0] = static_cast<std::uint8_t>(before + at);
      passes = std::max(passes, static_cast<std::uint8_t>(at + 1));
    });
    return passes;
  }

  /// In each bank the distinct keys queue in the order of the lowest lane that brings them.
  int serve_by_key(std::uint32_t lanes, int first_word, int words) {
    std::array<std::uint8_t, kWarpSize> waiting{};  // By bank: distinct keys so far
    std::array<std::array<std::uint64_t, kWarpSize>, kWarpSize>
        keys;  // By bank; a lane brings a bank one key at most
    return serve_in_turns(lanes, first_word, words, [&](int lane, std::uint64_t word, std::size_t bank) {
      const std::uint64_t key = key_of(lane, word);
      for (int turn = waiting[bank] - 1; turn >= 0; --turn) {
        if (keys[bank][static_cast<std::size_t>(turn)] == key) return turn;
      }
      keys[bank][waiting[bank]] = key;
      return int{waiting[bank]++};
    });
  }

  /// Sharing::one_broadcast: each pass broadcasts the word of the lowest lane left and serves one lane in
  /// each other bank. Which word and which lanes the hardware picks is not documented; the lowest are as good
  /// as any.
  int serve_with_broadcast(std::uint32_t lanes, int word_index) {
    int passes = 0;
    for (; lanes != 0; ++passes) {
      const std::uint64_t broadcast = word_of(std::countr_zero(lanes), word_index);
      std::uint32_t busy = 1u << bank_of(broadcast, access_, rules_);
      for_each_lane(lanes, [&](int lane) {
        const std::uint64_t word = word_of(lane, word_index);
        const std::uint32_t bank = 1u << bank_of(word, access_, rules_);
        if (word != broadcast && (busy & bank) != 0) return;
        busy |= bank;
        lanes &= ~(1u << lane);
        set(lane, word_index, passes);
      });
    }
    return passes;
  }

  const WarpAccess& access_;
  const MemoryRules& rules_;
  Sharing sharing_;
  SharedSchedule& schedule_;
};

/// Wavefronts of the same lanes with every word in a bank of its own.
int spread_wavefronts(const WarpAccess& access, const MemoryRules& rules, std::uint32_t lanes, int group) {
  const bool plain = access.op == AccessOp::load || access.op == AccessOp::store;
  if (const int at_once = rules.banks * rules.bank_bytes; plain && rules.ideal_by_bytes) {
    return (std::popcount(lanes) * access.bytes + at_once - 1) / at_once;
  }
  int groups = 0;
  for (int lane = 0; lane < kWarpSize; lane += group)
    groups += (lanes & lane_range(lane, group)) != 0 ? 1 : 0;
  return groups;
}

}  // namespace

int lanes_per_group(const WarpAccess& access, ComputeCapability cc) {
  return lanes_per_group(access, memory_rules_of(cc));
}

int bank_of(std::uint64_t word, const WarpAccess& access, const MemoryRules& rules) {
  if (rules.bank_bytes == 8 && access.eight_byte_banks) word /= 2;
  return static_cast<int>(word & static_cast<std::uint64_t>(rules.banks - 1));
}

void schedule_shared(const WarpAccess& access, const MemoryRules& rules, SharedSchedule& schedule) {
  schedule.lanes = counted_lanes(access);
  if (schedule.lanes == 0) return;
  if (access.op == AccessOp::cp_async && access.bypass_l1)
    return;  // Does not pass the data stage (measured on an H200)

  const int words_together = rules.word_by_word && !is_matrix(access) ? 1 : SharedSchedule::kMaxWords;
  const int turns = words_together == 1 ? std::max(1, access.bytes / 4) : 1;
  const int unmerged = lanes_per_group(access, rules);
  const int together = merges_groups(access, rules) ? 2 * unmerged : unmerged;
  Stage stage(access, rules, schedule);
  for (int lane = 0; lane < kWarpSize; lane += together) {
    for (int turn = 0; turn < turns; ++turn)
      stage.serve(schedule.lanes & lane_range(lane, together), turn, words_together);
  }
  if (access.bytes == 16 && !is_matrix(access))
    schedule.wavefronts = std::max(schedule.wavefronts, rules.min_of_widest);
  schedule.ideal =
      std::min(schedule.wavefronts, spread_wavefronts(access, rules, schedule.lanes, unmerged) * turns);
}

}  // namespace warplens::analysis
