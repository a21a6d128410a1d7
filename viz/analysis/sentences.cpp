#include "viz/analysis/sentences.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/base/texts.h"
#include "viz/analysis/lanes.h"

namespace warplens::analysis {
namespace {

/// What lanes do to what they access.
enum class Verb : std::uint8_t { read, write, update };

/// What can be said of an access before any rule is applied.
struct AccessFacts {
  std::uint32_t lanes = 0;  ///< Active lanes whose addresses count
  int active = 0;
  std::vector<std::uint64_t> addresses;  ///< Distinct, ascending
  std::optional<std::int64_t>
      stride;  ///< Bytes from lane to lane, where two or more active lanes agree on it
  Verb verb = Verb::read;
  int bytes = 0;  ///< What a lane moves: an item
};

std::optional<std::int64_t> stride_of(const WarpAccess& access, std::uint32_t lanes) {
  if (std::popcount(lanes) < 2) return std::nullopt;
  const auto address = [&](int lane) {
    return static_cast<std::int64_t>(access.address[static_cast<std::size_t>(lane)]);
  };
  const int first = std::countr_zero(lanes), second = std::countr_zero(lanes & (lanes - 1));
  const std::int64_t stride = (address(second) - address(first)) / (second - first);
  bool agree = true;
  for_each_lane(
      lanes, [&](int lane) { agree = agree && address(lane) == address(first) + (lane - first) * stride; });
  return agree ? std::optional(stride) : std::nullopt;
}

AccessFacts access_facts_of(const WarpAccess& access) {
  const bool matrix = is_of_matrices(access.op);
  AccessFacts facts;
  facts.lanes = matrix ? access.mask & lane_range(0, 8 * access.matrices) : access.mask;
  facts.active = std::popcount(facts.lanes);
  for_each_lane(facts.lanes,
                [&](int lane) { facts.addresses.push_back(access.address[static_cast<std::size_t>(lane)]); });
  std::sort(facts.addresses.begin(), facts.addresses.end());
  facts.addresses.erase(std::unique(facts.addresses.begin(), facts.addresses.end()), facts.addresses.end());
  facts.stride = stride_of(access, facts.lanes);
  if (reads(access.op, access.space) && writes(access.op, access.space)) {
    facts.verb = Verb::update;
  } else if (writes(access.op, access.space)) {
    facts.verb = Verb::write;
  }
  facts.bytes = access.bytes;
  return facts;
}

// Items: what the sentences below say that lanes read, write or update.

std::string one_item(int bytes) {
  // Translators: the object of "One lane reads {item}" and its like; so are the words, bytes and items that
  // follow
  if (bytes == 4) return tr("one word");
  if (bytes == 1) return tr("one byte");
  return tr("one {bytes}-byte item", "bytes"_a = bytes);
}

std::string the_same_item(int bytes) {
  if (bytes == 4) return tr("the same word");
  if (bytes == 1) return tr("the same byte");
  return tr("the same {bytes}-byte item", "bytes"_a = bytes);
}

std::string an_item_of_its_own(int bytes) {
  if (bytes == 4) return tr("its own word");
  if (bytes == 1) return tr("a byte of its own");
  if (bytes == 8) return tr("its own 8-byte item");
  return tr("its own {bytes}-byte item", "bytes"_a = bytes);
}

std::string different_items(std::uint64_t count, int bytes) {
  if (bytes == 4) return tr_n(count, "{n} different word", "{n} different words");
  if (bytes == 1) return tr_n(count, "{n} different byte", "{n} different bytes");
  return tr_n(count, "{n} different {bytes}-byte item", "{n} different {bytes}-byte items",
              "bytes"_a = bytes);
}

std::string consecutive_items(int bytes) {
  if (bytes == 4) return tr("consecutive words");
  if (bytes == 1) return tr("consecutive bytes");
  return tr("consecutive {bytes}-byte items", "bytes"_a = bytes);
}

/// "32 lanes read the same word", with one of the items above.
std::string lanes_access(const AccessFacts& facts, const std::string& item) {
  const auto lanes = static_cast<std::uint64_t>(facts.active);
  switch (facts.verb) {
    case Verb::read: return tr_n(lanes, "One lane reads {item}", "{n} lanes read {item}", "item"_a = item);
    case Verb::write: return tr_n(lanes, "One lane writes {item}", "{n} lanes write {item}", "item"_a = item);
    case Verb::update: break;
  }
  return tr_n(lanes, "One lane updates {item}", "{n} lanes update {item}", "item"_a = item);
}

/// Of what one thread, or a warpgroup, has moved in pieces of 16 bytes.
std::string pieces_are_accessed(const AccessFacts& facts) {
  const auto pieces = static_cast<std::uint64_t>(facts.active);
  switch (facts.verb) {
    case Verb::read: return tr_n(pieces, "{n} piece of 16 bytes is read", "{n} pieces of 16 bytes are read");
    case Verb::write:
      return tr_n(pieces, "{n} piece of 16 bytes is written", "{n} pieces of 16 bytes are written");
    case Verb::update: break;
  }
  return tr_n(pieces, "{n} piece of 16 bytes is updated", "{n} pieces of 16 bytes are updated");
}

std::string each_lane_accesses(const AccessFacts& facts, const std::string& item) {
  switch (facts.verb) {
    case Verb::read:
      return tr("Each of {lanes} lanes reads {item}", "lanes"_a = facts.active, "item"_a = item);
    case Verb::write:
      return tr("Each of {lanes} lanes writes {item}", "lanes"_a = facts.active, "item"_a = item);
    case Verb::update: break;
  }
  return tr("Each of {lanes} lanes updates {item}", "lanes"_a = facts.active, "item"_a = item);
}

std::string consecutive_lanes_access(const AccessFacts& facts, const std::string& items) {
  return facts.verb == Verb::write ? tr("Consecutive lanes write {items}", "items"_a = items)
                                   : tr("Consecutive lanes read {items}", "items"_a = items);
}

/// "Neighbouring lanes are 8 bytes apart".
std::string distance(const AccessFacts& facts, std::int64_t stride) {
  const bool all = facts.active == kWarpSize;
  if (stride > 0) {
    const auto bytes = static_cast<std::uint64_t>(stride);
    if (all)
      return tr_n(bytes, "Neighbouring lanes are {n} byte apart", "Neighbouring lanes are {n} bytes apart");
    return tr_n(bytes, "Neighbouring lanes are {n} byte apart ({lanes} active)",
                "Neighbouring lanes are {n} bytes apart ({lanes} active)", "lanes"_a = facts.active);
  }
  const auto bytes = static_cast<std::uint64_t>(-stride);
  // Translators: downwards: the lane with the higher number accesses the lower address
  if (all)
    return tr_n(bytes, "Neighbouring lanes are {n} byte apart, downwards",
                "Neighbouring lanes are {n} bytes apart, downwards");
  return tr_n(bytes, "Neighbouring lanes are {n} byte apart, downwards ({lanes} active)",
              "Neighbouring lanes are {n} bytes apart, downwards ({lanes} active)", "lanes"_a = facts.active);
}

/// How far lanes are apart, or how many different items are touched.
std::string spacing(const AccessFacts& facts) {
  if (facts.stride && *facts.stride != 0) return distance(facts, *facts.stride);
  const std::size_t items = facts.addresses.size();
  if (items == static_cast<std::size_t>(facts.active))
    return each_lane_accesses(facts, an_item_of_its_own(facts.bytes));
  return lanes_access(facts, different_items(items, facts.bytes));
}

std::string bytes_used(const Coalescing& coalescing) {
  if (coalescing.useful_bytes == coalescing.fetched_bytes) return tr("all bytes used");
  return tr_n(coalescing.fetched_bytes, "{used} of {n} byte used", "{used} of {n} bytes used",
              "used"_a = with_thousands(coalescing.useful_bytes));
}

std::string with_cost(const std::string& fact, const std::string& cost) {
  return tr("{fact}: {cost}", "fact"_a = fact, "cost"_a = cost);
}
std::string with_cost(const std::string& fact, const std::string& cost, const std::string& more) {
  return tr("{fact}: {cost}, {more}", "fact"_a = fact, "cost"_a = cost, "more"_a = more);
}

/// What the parts of a warp that are active cost each: "16 for each half-warp", "1 for lanes 0-15 and 16 for
/// lanes 16-31"; empty for a warp in one part. `lanes` a part.
struct PartCost {
  int first;
  std::uint64_t cost;
};
std::string by_parts(const std::vector<PartCost>& parts, int lanes) {
  if (lanes == kWarpSize || parts.size() < 2) return {};
  const std::uint64_t cost = parts[0].cost;
  if (std::all_of(parts.begin(), parts.end(), [&](const PartCost& part) { return part.cost == cost; })) {
    // Translators: so many transactions or wavefronts
    return lanes == 16 ? tr_n(cost, "one for each half-warp", "{n} for each half-warp")
                       : tr_n(cost, "one for each quarter-warp", "{n} for each quarter-warp");
  }
  std::vector<std::string> costs;
  for (const PartCost& part : parts) {
    const int last = part.first + lanes - 1;
    // Translators: so many transactions or wavefronts
    costs.push_back(tr("{cost} for lanes {first}\u2013{last}", "cost"_a = with_thousands(part.cost),
                       "first"_a = part.first, "last"_a = last));
  }
  if (costs.size() == 2) return tr("{first} and {second}", "first"_a = costs[0], "second"_a = costs[1]);
  if (costs.size() == 3)
    return tr("{first}, {second} and {third}", "first"_a = costs[0], "second"_a = costs[1],
              "third"_a = costs[2]);
  return tr("{first}, {second}, {third} and {fourth}", "first"_a = costs[0], "second"_a = costs[1],
            "third"_a = costs[2], "fourth"_a = costs[3]);
}

/// "2 wavefronts, one for each half-warp".
std::string with_parts(const std::string& cost, const std::string& by_parts) {
  return by_parts.empty() ? cost : tr("{cost}, {by_parts}", "cost"_a = cost, "by_parts"_a = by_parts);
}

/// Where transactions are more than sectors: those of each part, and the first part whose lanes do not join.
struct OlderCost {
  std::string parts;
  std::optional<LanePart> apart;
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
    parts.push_back({part.first, access_cost(alone, cc).sectors});
    if (!cost.apart && part.apart != LanePart::Apart::no) cost.apart = part;
  }
  cost.parts = by_parts(parts, lanes);
  return cost;
}

std::string describe_atomic(const AccessFacts& facts, const Coalescing& coalescing) {
  // Translators: an atomic visits a sector once for each lane that takes its turn there
  const std::string visits = tr_n(coalescing.transactions.size(), "{n} sector visit", "{n} sector visits");
  if (facts.active == 1) return with_cost(lanes_access(facts, one_item(facts.bytes)), visits);
  if (facts.addresses.size() == 1)
    return tr("{fact}, one after the other: {cost}",
              "fact"_a = lanes_access(facts, the_same_item(facts.bytes)), "cost"_a = visits);
  if (facts.addresses.size() == static_cast<std::size_t>(facts.active))
    return with_cost(tr("Every lane updates {item}", "item"_a = an_item_of_its_own(facts.bytes)), visits);
  return tr("{fact}, and lanes with the same one are serialized: {cost}", "fact"_a = spacing(facts),
            "cost"_a = visits);
}

/// Why it costs that much is left to the caller.
std::string describe_global_cost(const WarpAccess& access, const AccessFacts& facts, ComputeCapability cc,
                                 const Coalescing& coalescing, const OlderCost& older) {
  const std::string cost = with_parts(describe_transactions(coalescing, cc), older.parts);
  if (access.space == Space::local) {
    const char* const indices = facts.addresses.size() == 1
                                    ? tr("Every lane uses the same index of its local memory")
                                    : tr("The lanes use different indices of their local memory");
    return with_cost(indices, cost, bytes_used(coalescing));
  }
  if (facts.active == 1) return with_cost(lanes_access(facts, one_item(facts.bytes)), cost);
  const bool one_each = coalescing.transactions.size() == static_cast<std::size_t>(facts.active);
  if (facts.addresses.size() == 1) {
    const std::string fact = lanes_access(facts, the_same_item(facts.bytes));
    if (one_each) return tr("{fact}: each by itself, {cost}", "fact"_a = fact, "cost"_a = cost);
    if (access.op == AccessOp::store)
      return tr("{fact}: one of the writes wins, {cost}", "fact"_a = fact, "cost"_a = cost);
    return tr("{fact}: a broadcast, {cost}", "fact"_a = fact, "cost"_a = cost);
  }
  const bool lanes_in_a_row = std::popcount(facts.lanes + (facts.lanes & (~facts.lanes + 1))) <= 1;
  const bool consecutive = facts.stride == access.bytes && lanes_in_a_row;
  const std::string fact =
      consecutive ? consecutive_lanes_access(facts, consecutive_items(facts.bytes)) : spacing(facts);
  if (older.apart) return with_cost(fact, cost);
  if (consecutive || !facts.stride || !one_each) return with_cost(fact, cost, bytes_used(coalescing));
  if (memory_rules_of(cc).counts_sectors)
    return tr("{fact}: every lane needs its own sector", "fact"_a = fact);
  return with_parts(tr("{fact}: every lane needs its own transaction", "fact"_a = fact), older.parts);
}

std::string describe_global(const WarpAccess& access, const AccessFacts& facts, ComputeCapability cc) {
  const Coalescing coalescing = coalesce(access, cc);
  if (access.op == AccessOp::atomic || access.op == AccessOp::reduction)
    return describe_atomic(facts, coalescing);
  if (is_of_pieces(access.op))
    return with_cost(pieces_are_accessed(facts), describe_transactions(coalescing, cc),
                     bytes_used(coalescing));
  const OlderCost older = older_cost(access, cc);
  const std::string cost = describe_global_cost(access, facts, cc, coalescing, older);
  const bool explained = older.apart && (facts.active > 1 || access.space == Space::local);
  return explained
             ? with_reason_apart(cost, *older.apart,
                                 access.space == Space::local ? std::min(access.bytes, 4) : access.bytes)
             : cost;
}

/// "Lane k reads row k of as", where neighbouring lanes are a row apart; else empty.
std::string rows_of(const WarpAccess& access, const AccessFacts& facts, const SharedArray* array) {
  if (array == nullptr || array->rows < 2 || !facts.stride) return {};
  const std::uint64_t row_bytes = std::uint64_t{array->pitch} * array->element_bytes;
  if (row_bytes == 0 || *facts.stride != static_cast<std::int64_t>(row_bytes)) return {};
  const int lane = std::countr_zero(facts.lanes);
  const std::uint64_t address = access.address[static_cast<std::size_t>(lane)];
  if (address < array->offset || facts.addresses.back() >= array->offset + std::uint64_t{array->bytes})
    return {};
  const bool same_numbers = (address - array->offset) / row_bytes == static_cast<std::uint64_t>(lane);
  switch (facts.verb) {
    case Verb::read:
      return same_numbers ? tr("Lane k reads row k of {array}", "array"_a = array->name)
                          : tr("Each lane reads another row of {array}", "array"_a = array->name);
    case Verb::write:
      return same_numbers ? tr("Lane k writes row k of {array}", "array"_a = array->name)
                          : tr("Each lane writes another row of {array}", "array"_a = array->name);
    case Verb::update: break;
  }
  return same_numbers ? tr("Lane k updates row k of {array}", "array"_a = array->name)
                      : tr("Each lane updates another row of {array}", "array"_a = array->name);
}

std::string wavefronts_of(const Unfolding& unfolding) {
  return tr_n(unfolding.wavefronts.size(), "{n} wavefront", "{n} wavefronts");
}
std::string conflicts_of(const Unfolding& unfolding) {
  return tr_n(static_cast<std::uint64_t>(unfolding.conflicts), "{n} bank conflict", "{n} bank conflicts");
}

std::string describe_matrices(const WarpAccess& access, const AccessFacts& facts,
                              const Unfolding& unfolding) {
  const std::string cost = wavefronts_of(unfolding);
  if (unfolding.conflicts == 0) {
    return tr_n(static_cast<std::uint64_t>(access.matrices),
                "The rows of the matrix lie in different banks: {cost}",
                "The rows of each of the {n} matrices lie in different banks: {cost}", "cost"_a = cost);
  }
  return tr_n(static_cast<std::uint64_t>(facts.active),
              "{n} lane names 16-byte rows that share banks: {cost}, {conflicts}",
              "{n} lanes name 16-byte rows that share banks: {cost}, {conflicts}", "cost"_a = cost,
              "conflicts"_a = conflicts_of(unfolding));
}

/// The one bank of a narrow access whose lanes all have words of their own there; -1 otherwise.
int only_bank(const WarpAccess& access, const AccessFacts& facts, const Unfolding& unfolding) {
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

/// Where lane groups are never merged: "2 wavefronts, one for each half-warp"; and where a lane's words go
/// one by one, that they do.
std::string describe_wavefronts(const WarpAccess& access, const Unfolding& unfolding, ComputeCapability cc) {
  std::string cost = wavefronts_of(unfolding);
  if (memory_rules_of(cc).pair_rule) return cost;
  const int lanes = lanes_per_group(access, cc);
  std::vector<PartCost> parts;
  bool word_by_word = false;
  for (const WavefrontGroup& group : unfolding.groups) {
    const int first = std::countr_zero(group.lanes) / lanes * lanes;
    if (parts.empty() || parts.back().first != first) parts.push_back({first, 0});
    parts.back().cost += static_cast<std::uint64_t>(group.count);
    word_by_word = word_by_word || group.word > 0;
  }
  const std::string all = with_parts(cost, by_parts(parts, lanes));
  return word_by_word ? tr("{cost}, word by word", "cost"_a = all) : all;
}

/// Whether some lanes wait only because they share a word that is not the one broadcast: more passes than any
/// bank has words to give.
bool waits_for_broadcast(const Unfolding& unfolding, const MemoryRules& rules) {
  if (rules.shared_loads != Sharing::one_broadcast) return false;
  for (const WavefrontGroup& group : unfolding.groups) {
    std::vector<std::uint64_t> words;
    for (int i = group.first; i < group.first + group.count; ++i) {
      for (const LaneService& service : unfolding.wavefronts[static_cast<std::size_t>(i)])
        words.push_back(service.word);
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::vector<int> of_bank(static_cast<std::size_t>(rules.banks));
    for (const std::uint64_t word : words) ++of_bank[word % of_bank.size()];
    if (group.count > *std::max_element(of_bank.begin(), of_bank.end())) return true;
  }
  return false;
}

/// Where the lanes' words, one each, lie in several banks, in each as many: in how many; else 0.
int banks_alike(const AccessFacts& facts, const Unfolding& unfolding, const MemoryRules& rules) {
  if (unfolding.groups.size() != 1) return 0;
  std::vector<int> of_bank(static_cast<std::size_t>(rules.banks));
  int lanes = 0;
  for (const auto& wavefront : unfolding.wavefronts) {
    for (const LaneService& service : wavefront) {
      if (service.words != 1 || service.broadcast) return 0;
      ++of_bank[static_cast<std::size_t>(service.bank)];
      ++lanes;
    }
  }
  std::erase(of_bank, 0);
  const bool alike = lanes == facts.active && of_bank.size() > 1 &&
                     std::ranges::count(of_bank, of_bank.front()) == std::ssize(of_bank);
  return alike ? static_cast<int>(of_bank.size()) : 0;
}

/// One wavefront, and in it one word for every lane, in as many banks.
bool own_banks(const AccessFacts& facts, const Unfolding& unfolding) {
  if (unfolding.wavefronts.size() != 1) return false;
  std::uint32_t banks = 0;
  for (const LaneService& service : unfolding.wavefronts[0]) {
    if (service.words != 1) return false;
    banks |= 1u << service.bank;
  }
  return std::popcount(banks) == facts.active;
}

std::string describe_shared(const WarpAccess& access, const AccessFacts& facts, ComputeCapability cc,
                            const SharedArray* array, bool for_others) {
  const Unfolding unfolding = unfold(access, cc);
  if (unfolding.wavefronts.empty())
    return tr("The copy goes past the data stage: no wavefronts, no bank conflicts");
  if (access.matrices > 0) return describe_matrices(access, facts, unfolding);
  if (is_of_pieces(access.op)) {
    return unfolding.conflicts == 0
               ? tr("{fact}: no bank conflicts, {cost}", "fact"_a = pieces_are_accessed(facts),
                    "cost"_a = wavefronts_of(unfolding))
               : with_cost(pieces_are_accessed(facts), wavefronts_of(unfolding), conflicts_of(unfolding));
  }

  const std::string cost = describe_wavefronts(access, unfolding, cc);
  if (facts.active == 1) return with_cost(lanes_access(facts, one_item(facts.bytes)), cost);
  if (facts.addresses.size() == 1) {
    const std::string fact = lanes_access(facts, the_same_item(facts.bytes));
    if (access.op == AccessOp::load)
      return tr("{fact}: a broadcast, {cost}", "fact"_a = fact, "cost"_a = cost);
    if (access.op == AccessOp::store)
      return tr("{fact}: one of the writes wins, {cost}", "fact"_a = fact, "cost"_a = cost);
    return tr("{fact}: one after the other, {cost}", "fact"_a = fact, "cost"_a = cost);
  }
  const std::string rows = rows_of(access, facts, array);
  const std::string fact = rows.empty() ? spacing(facts) : rows;
  if (unfolding.conflicts == 0) {
    return own_banks(facts, unfolding)
               ? tr("{fact}: each has its own bank, {cost}", "fact"_a = fact, "cost"_a = cost)
               : tr("{fact}: no bank conflicts, {cost}", "fact"_a = fact, "cost"_a = cost);
  }
  if (const int bank = only_bank(access, facts, unfolding); bank >= 0) {
    if (for_others)
      return tr("{fact}: all words lie in one bank, so the lanes are serialized into {cost}", "fact"_a = fact,
                "cost"_a = cost);
    return tr_n(static_cast<std::uint64_t>(facts.active),
                "{fact}: its {n} word lies in bank {bank}, so the lane takes {cost}",
                "{fact}: all {n} words lie in bank {bank}, so the lanes are serialized into {cost}",
                "fact"_a = fact, "bank"_a = bank, "cost"_a = cost);
  }
  if (const int banks = banks_alike(facts, unfolding, memory_rules_of(cc)); banks > 0) {
    return tr_n(
        static_cast<std::uint64_t>(facts.active),
        "{fact}: its {n} word lies in {banks} banks, {each} in each, so the lane takes {cost}",
        "{fact}: the {n} words lie in {banks} banks, {each} in each, so the lanes are serialized into {cost}",
        "fact"_a = fact, "banks"_a = banks, "each"_a = facts.active / banks, "cost"_a = cost);
  }
  const std::string conflicts = conflicts_of(unfolding);
  if (access.op != AccessOp::load || !waits_for_broadcast(unfolding, memory_rules_of(cc)))
    return with_cost(fact, cost, conflicts);
  return tr("{fact}: {cost}, {conflicts}, as a pass broadcasts one word only", "fact"_a = fact,
            "cost"_a = cost, "conflicts"_a = conflicts);
}

std::string describe_access(const WarpAccess& access, ComputeCapability cc, const SharedArray* array,
                            bool for_others) {
  const AccessFacts facts = access_facts_of(access);
  if (facts.active == 0) return tr("No lane is active: nothing is moved");
  return access.space == Space::shared ? describe_shared(access, facts, cc, array, for_others)
                                       : describe_global(access, facts, cc);
}

}  // namespace

std::string with_reason_apart(const std::string& fact, const LanePart& part, int bytes) {
  const int number = part.lane % part.count;
  switch (part.apart) {
    case LanePart::Apart::no: return fact;
    case LanePart::Apart::narrow:
      return tr_n(static_cast<std::uint64_t>(bytes), "{fact}, as lanes of {n} byte never join",
                  "{fact}, as lanes of {n} bytes never join", "fact"_a = fact);
    case LanePart::Apart::misaligned:
      if (bytes == 4)
        return tr_n(part.past, "{fact}, as the words start {n} byte into a segment of {segment}",
                    "{fact}, as the words start {n} bytes into a segment of {segment}", "fact"_a = fact,
                    "segment"_a = part.segment);
      return tr_n(part.past, "{fact}, as the {bytes}-byte items start {n} byte into a segment of {segment}",
                  "{fact}, as the {bytes}-byte items start {n} bytes into a segment of {segment}",
                  "fact"_a = fact, "bytes"_a = bytes, "segment"_a = part.segment);
    case LanePart::Apart::out_of_place: break;
  }
  if (bytes == 4)
    return tr("{fact}, as lane {lane} does not access word {number}", "fact"_a = fact, "lane"_a = part.lane,
              "number"_a = number);
  return tr("{fact}, as lane {lane} does not access {bytes}-byte item {number}", "fact"_a = fact,
            "lane"_a = part.lane, "bytes"_a = bytes, "number"_a = number);
}

std::string counted_transactions(std::uint64_t count, ComputeCapability cc) {
  return memory_rules_of(cc).counts_sectors ? tr_n(count, "{n} sector", "{n} sectors")
                                            : tr_n(count, "{n} transaction", "{n} transactions");
}

std::string describe_transactions(const Coalescing& coalescing, ComputeCapability cc) {
  const std::size_t count = coalescing.transactions.size();
  if (memory_rules_of(cc).counts_sectors || coalescing.transactions.empty())
    return counted_transactions(count, cc);
  const auto [min, max] =
      std::minmax_element(coalescing.transactions.begin(), coalescing.transactions.end(),
                          [](const Transaction& a, const Transaction& b) { return a.bytes < b.bytes; });
  if (min->bytes == max->bytes)
    return tr_n(count, "{n} transaction of {bytes} bytes", "{n} transactions of {bytes} bytes",
                "bytes"_a = max->bytes);
  return tr_n(count, "{n} transaction of {least} to {most} bytes",
              "{n} transactions of {least} to {most} bytes", "least"_a = min->bytes, "most"_a = max->bytes);
}

std::string describe(const WarpAccess& access, ComputeCapability cc, const SharedArray* array) {
  return describe_access(access, cc, array, false);
}

std::string describe_like(const WarpAccess& access, ComputeCapability cc, const SharedArray* array) {
  return describe_access(access, cc, array, true);
}

}  // namespace warplens::analysis
