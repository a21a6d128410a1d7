#include "viz/analysis/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/base/figures.h"
#include "viz/analysis/lanes.h"

namespace warplens::analysis {
namespace {

/// What can be said of an access before any rule is applied.
struct Facts {
  std::uint32_t lanes = 0;  ///< Active lanes whose addresses count
  int active = 0;
  std::vector<std::uint64_t> addresses;  ///< Distinct, ascending
  std::optional<std::int64_t> stride;    ///< Bytes from lane to lane, where two or more active lanes agree on it
  const char* plural_verb = "read";
  const char* singular_verb = "reads";
  std::string item, an_item;  ///< What a lane moves: "word", "a word"
};

std::optional<std::int64_t> stride_of(const WarpAccess& access, std::uint32_t lanes) {
  if (std::popcount(lanes) < 2) return std::nullopt;
  const auto address = [&](int lane) { return static_cast<std::int64_t>(access.address[static_cast<std::size_t>(lane)]); };
  const int first = std::countr_zero(lanes), second = std::countr_zero(lanes & (lanes - 1));
  const std::int64_t stride = (address(second) - address(first)) / (second - first);
  bool agree = true;
  for_each_lane(lanes, [&](int lane) { agree = agree && address(lane) == address(first) + (lane - first) * stride; });
  return agree ? std::optional(stride) : std::nullopt;
}

std::string item_of(int bytes) {
  return bytes == 4 ? "word" : bytes == 1 ? "byte" : fmt::format("{}-byte item", bytes);
}

Facts facts_of(const WarpAccess& access) {
  const bool matrix = access.op == AccessOp::ldmatrix || access.op == AccessOp::stmatrix;
  Facts facts;
  facts.lanes = matrix ? access.mask & lane_range(0, 8 * access.matrices) : access.mask;
  facts.active = std::popcount(facts.lanes);
  for_each_lane(facts.lanes, [&](int lane) { facts.addresses.push_back(access.address[static_cast<std::size_t>(lane)]); });
  std::sort(facts.addresses.begin(), facts.addresses.end());
  facts.addresses.erase(std::unique(facts.addresses.begin(), facts.addresses.end()), facts.addresses.end());
  facts.stride = stride_of(access, facts.lanes);
  if (access.op == AccessOp::atomic || access.op == AccessOp::reduction) {
    facts.plural_verb = "update";
    facts.singular_verb = "updates";
  } else if (access.op == AccessOp::store || access.op == AccessOp::stmatrix || (access.op == AccessOp::cp_async && access.space == Space::shared)) {
    facts.plural_verb = "write";
    facts.singular_verb = "writes";
  }
  facts.item = item_of(access.bytes);
  facts.an_item = (access.bytes == 8 ? "an " : "a ") + facts.item;
  return facts;
}

/// "Lanes are 8 bytes apart", or how many different items are touched.
std::string spacing(const Facts& facts) {
  const std::string active = facts.active == kWarpSize ? "" : fmt::format(" ({} active)", facts.active);
  if (facts.stride && *facts.stride != 0) {
    const bool down = *facts.stride < 0;
    const std::string distance = counted(static_cast<std::uint64_t>(down ? -*facts.stride : *facts.stride), "byte");
    return fmt::format("Neighbouring lanes are {} apart{}{}", distance, down ? ", downwards" : "", active);
  }
  if (facts.addresses.size() == static_cast<std::size_t>(facts.active)) {
    return fmt::format("Each of {} lanes {} {} of its own", facts.active, facts.singular_verb, facts.an_item);
  }
  return fmt::format("{} lanes {} {}", facts.active, facts.plural_verb, counted(facts.addresses.size(), "different " + facts.item));
}

std::string bytes_used(const Coalescing& coalescing) {
  if (coalescing.useful_bytes == coalescing.fetched_bytes) return "all bytes used";
  return fmt::format("{} of {} bytes used", with_thousands(coalescing.useful_bytes), with_thousands(coalescing.fetched_bytes));
}

/// What the parts of a warp that are active cost each: ", 16 for each half-warp", ", 1 for lanes 0-15 and 16 for lanes 16-31". `lanes` a part.
struct PartCost {
  int first;
  std::uint64_t cost;
};
std::string by_parts(const std::vector<PartCost>& parts, int lanes) {
  if (lanes == kWarpSize || parts.size() < 2) return {};
  const bool alike = std::all_of(parts.begin(), parts.end(), [&](const PartCost& part) { return part.cost == parts[0].cost; });
  if (alike) return fmt::format(", {} for each {}", parts[0].cost == 1 ? "one" : with_thousands(parts[0].cost), part_name(lanes));
  std::string text = ", ";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ";
    text += fmt::format("{} for lanes {}\u2013{}", with_thousands(parts[i].cost), parts[i].first, parts[i].first + lanes - 1);
  }
  return text;
}

/// Where transactions are more than sectors: those of each part, and why the first part whose lanes do not join does not.
struct OlderCost {
  std::string parts, apart;
};
OlderCost older_cost(const WarpAccess& access, ComputeCapability cc) {
  OlderCost cost;
  if (memory_rules_of(cc).counts_sectors) return cost;
  std::vector<PartCost> parts;
  int lanes = kWarpSize;
  for (const LanePart& part : lane_parts(access, cc)) {
    if (part.lanes == 0) continue;
    lanes = part.count;
    WarpAccess alone = access;
    alone.mask = part.lanes;
    parts.push_back({part.first, judge(alone, cc).sectors});
    if (cost.apart.empty() && part.apart != LanePart::Apart::no)
      cost.apart = ", as " + describe_apart(part, access.space == Space::local ? std::min(access.bytes, 4) : access.bytes);
  }
  cost.parts = by_parts(parts, lanes);
  return cost;
}

std::string describe_atomic(const Facts& facts, const Coalescing& coalescing) {
  const std::string visits = counted(coalescing.transactions.size(), "sector visit");
  if (facts.active == 1) return fmt::format("One lane updates one {}: {}", facts.item, visits);
  if (facts.addresses.size() == 1) return fmt::format("{} lanes update the same {}, one after the other: {}", facts.active, facts.item, visits);
  if (facts.addresses.size() == static_cast<std::size_t>(facts.active))
    return fmt::format("Every lane updates {} of its own: {}", facts.an_item, visits);
  return fmt::format("{}, and lanes on the same one take turns: {}", spacing(facts), visits);
}

std::string describe_global(const WarpAccess& access, const Facts& facts, ComputeCapability cc) {
  const Coalescing coalescing = coalesce(access, cc);
  if (access.op == AccessOp::atomic || access.op == AccessOp::reduction) return describe_atomic(facts, coalescing);

  const OlderCost older = older_cost(access, cc);
  const std::string cost = describe_transactions(coalescing, cc) + older.parts;
  if (access.space == Space::local) {
    const char* indices =
        facts.addresses.size() == 1 ? "Every lane uses the same index of its local memory" : "The lanes use different indices of their local memory";
    return fmt::format("{}: {}, {}{}", indices, cost, bytes_used(coalescing), older.apart);
  }
  if (facts.active == 1) return fmt::format("One lane {} one {}: {}", facts.singular_verb, facts.item, cost);
  if (facts.addresses.size() == 1) {
    const bool alone = coalescing.transactions.size() == static_cast<std::size_t>(facts.active);
    const char* meaning = alone ? "each by itself" : access.op == AccessOp::store ? "one of the writes stays" : "a broadcast";
    return fmt::format("{} lanes {} the same {}: {}, {}{}", facts.active, facts.plural_verb, facts.item, meaning, cost, older.apart);
  }
  const bool lanes_in_a_row = std::popcount(facts.lanes + (facts.lanes & (~facts.lanes + 1))) <= 1;
  if (facts.stride == access.bytes && lanes_in_a_row) {
    const std::string why = older.apart.empty() ? ", " + bytes_used(coalescing) : older.apart;
    return fmt::format("Consecutive lanes {} consecutive {}s: {}{}", facts.plural_verb, facts.item, cost, why);
  }
  if (!older.apart.empty()) return fmt::format("{}: {}{}", spacing(facts), cost, older.apart);
  if (facts.stride && coalescing.transactions.size() == static_cast<std::size_t>(facts.active)) {
    return fmt::format("{}: every lane needs a {} of its own{}", spacing(facts), transaction_name(cc), older.parts);
  }
  return fmt::format("{}: {}, {}", spacing(facts), cost, bytes_used(coalescing));
}

/// "Lane k reads row k of as", where neighbouring lanes are a row apart; else empty.
std::string rows_of(const WarpAccess& access, const Facts& facts, const SharedArray* array) {
  if (array == nullptr || array->rows < 2 || !facts.stride) return {};
  const std::uint64_t row_bytes = std::uint64_t{array->pitch} * array->element_bytes;
  if (row_bytes == 0 || *facts.stride != static_cast<std::int64_t>(row_bytes)) return {};
  const int lane = std::countr_zero(facts.lanes);
  const std::uint64_t address = access.address[static_cast<std::size_t>(lane)];
  if (address < array->offset || facts.addresses.back() >= array->offset + std::uint64_t{array->bytes}) return {};
  if ((address - array->offset) / row_bytes == static_cast<std::uint64_t>(lane))
    return fmt::format("Lane k {} row k of {}", facts.singular_verb, array->name);
  return fmt::format("Each lane {} another row of {}", facts.singular_verb, array->name);
}

std::string describe_matrices(const WarpAccess& access, const Facts& facts, const Unfolding& unfolding) {
  const std::string matrices = access.matrices == 1 ? "the matrix" : fmt::format("each of the {} matrices", access.matrices);
  const std::string cost = counted(unfolding.wavefronts.size(), "wavefront");
  if (unfolding.conflicts == 0) return fmt::format("The rows of {} lie in different banks: {}", matrices, cost);
  return fmt::format("{} {} 16-byte rows that share banks: {}, {}", counted(static_cast<std::uint64_t>(facts.active), "lane"),
                     facts.active == 1 ? "names" : "name", cost, counted(static_cast<std::uint64_t>(unfolding.conflicts), "bank conflict"));
}

/// The one bank of a narrow access whose lanes all have words of their own there; -1 otherwise.
int only_bank(const WarpAccess& access, const Facts& facts, const Unfolding& unfolding) {
  if (access.bytes > 4 || facts.addresses.size() != static_cast<std::size_t>(facts.active)) return -1;
  int bank = -1;
  for (const auto& wavefront : unfolding.wavefronts) {
    for (const LaneService& service : wavefront) {
      if (service.words != 1 || service.broadcast || (bank >= 0 && service.bank != bank)) return -1;
      bank = service.bank;
    }
  }
  return bank;
}

/// Where lane groups are never merged: ", 16 for each half-warp"; and where a lane's words go one by one, that they do.
std::string older_wavefronts(const WarpAccess& access, const Unfolding& unfolding, ComputeCapability cc) {
  if (memory_rules_of(cc).pair_rule) return {};
  const int lanes = lanes_per_group(access, cc);
  std::vector<PartCost> parts;
  bool word_by_word = false;
  for (const WavefrontGroup& group : unfolding.groups) {
    const int first = std::countr_zero(group.lanes) / lanes * lanes;
    if (parts.empty() || parts.back().first != first) parts.push_back({first, 0});
    parts.back().cost += static_cast<std::uint64_t>(group.count);
    word_by_word = word_by_word || group.word > 0;
  }
  return by_parts(parts, lanes) + (word_by_word ? ", word by word" : "");
}

/// Whether some lanes wait only because they share a word that is not the one broadcast: more passes than any bank has words to give.
bool waits_for_broadcast(const Unfolding& unfolding, const MemoryRules& rules) {
  if (rules.shared_loads != Sharing::one_broadcast) return false;
  for (const WavefrontGroup& group : unfolding.groups) {
    std::vector<std::uint64_t> words;
    for (int i = group.first; i < group.first + group.count; ++i) {
      for (const LaneService& service : unfolding.wavefronts[static_cast<std::size_t>(i)]) words.push_back(service.word);
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::vector<int> of_bank(static_cast<std::size_t>(rules.banks));
    for (const std::uint64_t word : words) ++of_bank[word % of_bank.size()];
    if (group.count > *std::max_element(of_bank.begin(), of_bank.end())) return true;
  }
  return false;
}

/// One wavefront, and in it one word for every lane, in as many banks.
bool own_banks(const Facts& facts, const Unfolding& unfolding) {
  if (unfolding.wavefronts.size() != 1) return false;
  std::uint32_t banks = 0;
  for (const LaneService& service : unfolding.wavefronts[0]) {
    if (service.words != 1) return false;
    banks |= 1u << service.bank;
  }
  return std::popcount(banks) == facts.active;
}

std::string describe_shared(const WarpAccess& access, const Facts& facts, ComputeCapability cc, const SharedArray* array) {
  const Unfolding unfolding = unfold(access, cc);
  if (unfolding.wavefronts.empty()) return "The copy goes past the data stage: no wavefronts, no bank conflicts";
  if (access.matrices > 0) return describe_matrices(access, facts, unfolding);

  const std::string cost = counted(unfolding.wavefronts.size(), "wavefront") + older_wavefronts(access, unfolding, cc);
  const auto conflicts = static_cast<std::uint64_t>(unfolding.conflicts);
  if (facts.active == 1) return fmt::format("One lane {} one {}: {}", facts.singular_verb, facts.item, cost);
  if (facts.addresses.size() == 1) {
    const char* meaning = access.op == AccessOp::load    ? "a broadcast"
                          : access.op == AccessOp::store ? "one of the writes stays"
                                                         : "one after the other";
    return fmt::format("{} lanes {} the same {}: {}, {}", facts.active, facts.plural_verb, facts.item, meaning, cost);
  }
  const std::string rows = rows_of(access, facts, array);
  const std::string lead = rows.empty() ? spacing(facts) : rows;
  if (conflicts == 0) {
    return fmt::format("{}: {}, {}", lead, own_banks(facts, unfolding) ? "each has a bank of its own" : "no bank conflicts", cost);
  }
  if (const int bank = only_bank(access, facts, unfolding); bank >= 0) {
    return fmt::format("{}: all {} words lie in bank {}, so the lanes queue for {}", lead, facts.active, bank, cost);
  }
  const bool broadcast_only = access.op == AccessOp::load && waits_for_broadcast(unfolding, memory_rules_of(cc));
  return fmt::format("{}: {}, {}{}", lead, cost, counted(conflicts, "bank conflict"), broadcast_only ? ", as a pass broadcasts one word only" : "");
}

}  // namespace

std::string describe_apart(const LanePart& part, int bytes) {
  switch (part.apart) {
    case LanePart::Apart::no: return {};
    case LanePart::Apart::narrow: return fmt::format("lanes of {} never join", counted(static_cast<std::uint64_t>(bytes), "byte"));
    case LanePart::Apart::misaligned: return fmt::format("the {}s start {} bytes into a segment of {}", item_of(bytes), part.past, part.segment);
    case LanePart::Apart::out_of_place: break;
  }
  return fmt::format("lane {} does not access {} {}", part.lane, item_of(bytes), part.lane % part.count);
}

const char* transaction_name(ComputeCapability cc) {
  return memory_rules_of(cc).counts_sectors ? "sector" : "transaction";
}

std::string describe_transactions(const Coalescing& coalescing, ComputeCapability cc) {
  std::string count = counted(coalescing.transactions.size(), transaction_name(cc));
  if (memory_rules_of(cc).counts_sectors || coalescing.transactions.empty()) return count;
  const auto [least, most] = std::minmax_element(coalescing.transactions.begin(), coalescing.transactions.end(),
                                                 [](const Transaction& a, const Transaction& b) { return a.bytes < b.bytes; });
  return least->bytes == most->bytes ? fmt::format("{} of {} bytes", count, most->bytes)
                                     : fmt::format("{} of {} to {} bytes", count, least->bytes, most->bytes);
}

const char* part_name(int lanes) {
  return lanes == kWarpSize ? "warp" : lanes == 16 ? "half-warp" : "quarter-warp";
}

std::string describe(const WarpAccess& access, ComputeCapability cc, const SharedArray* array) {
  const Facts facts = facts_of(access);
  if (facts.active == 0) return "No lane is active: nothing is moved";
  return access.space == Space::shared ? describe_shared(access, facts, cc, array) : describe_global(access, facts, cc);
}

}  // namespace warplens::analysis
