#include "kernels/replay/races/global_races.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "kernels/replay/block/lanes.h"
#include "kernels/replay/races/stored_once.h"

namespace warplens::replay {
namespace {

constexpr std::size_t kMaxEpochs = std::size_t{1} << 26;
/// Accesses of a block that are told apart.
constexpr std::uint32_t kMaxTimes = std::uint32_t{1} << 31;

}  // namespace

void GlobalRaces::Block::begin(std::uint64_t of_block, bool of_warps) {
  linear = of_block;
  has_warps = of_warps;
  epoch = acquired_until = released_at = 0;
  warps = {};
  met = {};
  sync_clocks.clear();
  index_of_sync_clocks.clear();
  loaded.clear();
}

GlobalRaces::SyncClock& GlobalRaces::Block::sync_clock_at(std::uint64_t address) {
  const std::uint64_t hash = address * 0x9e3779b97f4a7c15u >> 32;
  const std::uint32_t at = index_of_sync_clocks.find_or_add(
      hash, [&](std::uint32_t k) { return sync_clocks[k].address == address; });
  if (at == sync_clocks.size()) sync_clocks.push_back({.address = address});
  return sync_clocks[at];
}

GlobalRaces::GlobalRaces(const std::vector<Region>& regions, const std::vector<bool>& written,
                         Options options)
    : regions_(regions), options_(std::move(options)), words_(regions.size()) {
  std::erase_if(regions_, [&](const Region& region) { return !written[region.id]; });
  std::uint64_t bytes = 0;
  for (const Region& region : regions_) bytes += count_elements(region, options_.shift) * sizeof(Word);
  if (bytes <= options_.max_bytes) map_words();
}

/// Unmaps the old pages first: there may be room for one set of them only.
void GlobalRaces::map_words() {
  for (auto& words : words_) words.reset();
  try {
    for (const Region& region : regions_)
      words_[region.id] = std::make_unique<ZeroPages>(count_elements(region, options_.shift) * sizeof(Word));
  } catch (const std::bad_alloc&) {
    for (auto& words : words_) words.reset();
  }
}

void GlobalRaces::forget() {
  if (epochs_.size() == 1 || !watches_all()) return;  // Each access that is kept is one of an epoch
  map_words();
  epochs_.resize(1);
  clock_ = 0;
}

bool GlobalRaces::watches_all() const {
  return std::ranges::all_of(regions_, [&](const Region& region) { return watches(region); });
}

template <class Visit>
void GlobalRaces::for_each_word(const Region& region, const GlobalLanes& lanes, Visit visit) const {
  auto* const words = reinterpret_cast<Word*>(words_[region.id]->data());
  for_each_lane(lanes.mask, [&](std::uint32_t l) {
    const std::uint64_t first = (lanes.address[l] - region.base) >> options_.shift;
    for (std::uint64_t w = first; w < first + (lanes.bytes >> options_.shift); ++w)
      visit(words[w], l, region.base + (w << options_.shift));
  });
}

bool GlobalRaces::is_of(const Block& block, const Touch& touch) const {
  return touch.epoch == block.epoch || epochs_[touch.epoch].block == block.linear;
}

bool GlobalRaces::comes_after(const Block& block, std::uint32_t warp, const Touch& touch) const {
  if (touch.epoch == 0) return true;
  if (is_of(block, touch)) return block.warps.comes_after(warp, warp_of(touch), touch.time);
  const Epoch& epoch = epochs_[touch.epoch];
  return epoch.ended != 0 && epoch.ended <= block.acquired_until;
}

void GlobalRaces::add(Conflicts& conflicts, Conflict::Kind kind, const Block& block, const Touch& other,
                      std::uint64_t first_byte, std::uint32_t lane) const {
  const bool same_block = is_of(block, other);
  auto conflict = std::ranges::find_if(
      conflicts, [&](const Conflict& known) { return known.kind == kind && known.same_block == same_block; });
  if (conflict == conflicts.end()) {
    const std::uint32_t place = other.place & ~kFromLoad;
    conflicts.push_back({.kind = kind,
                         .same_block = same_block,
                         .other = {.block = epochs_[other.epoch].block,
                                   .instruction = place >> kThreadBits,
                                   .thread = place % (1u << kThreadBits)},
                         .first_byte = first_byte});
    conflict = conflicts.end() - 1;
  }
  conflict->lanes |= 1u << lane;
}

/// Strong accesses after a release stay in the released epoch, so a loop of atomics opens no new epochs.
void GlobalRaces::open_epoch(Block& block, bool strong) {
  if (block.epoch == 0 || (!strong && epochs_[block.epoch].ended != 0)) {
    block.epoch = static_cast<std::uint32_t>(epochs_.size());
    epochs_.push_back({.block = block.linear});
  }
}

void GlobalRaces::end_epoch(std::uint32_t epoch) {
  if (epochs_[epoch].ended == 0) epochs_[epoch].ended = ++clock_;
}

/// A plain store that another thread polls for counts as a release too. What comes from another block may
/// have come from any warp of this one before.
void GlobalRaces::acquire(Block& block, std::uint32_t warp, const Word& word, std::uint64_t address) {
  block.acquired_until = std::max(block.acquired_until, word.released_at);
  const auto is_of_another = [&](const Touch& touch) { return touch.epoch != 0 && !is_of(block, touch); };
  if (is_of_another(word.updated) || is_of_another(word.stored)) {
    block.warps.acquire_all(warp);
  } else if (block.has_warps) {
    block.warps.acquire(warp, block.sync_clock_at(address).clock);
  }
  if (comes_after(block, warp, word.stored)) return;
  if (!is_of_another(word.stored)) return block.warps.acquire(warp, warp_of(word.stored), word.stored.time);
  end_epoch(word.stored.epoch);
  block.acquired_until = std::max(block.acquired_until, epochs_[word.stored.epoch].ended);
}

void GlobalRaces::release(Block& block, std::uint32_t warp, Word& word, std::uint64_t address) {
  end_epoch(block.epoch);
  block.released_at = std::max(block.released_at, epochs_[block.epoch].ended);
  word.released_at = std::max({word.released_at, block.released_at, block.acquired_until});
  if (!block.has_warps || !options_.any_strong_reads) return;
  Order::Clock& clock = block.sync_clock_at(address).clock;
  if (word.updated.epoch != 0 && !is_of(block, word.updated)) clock.fill(block.warps.now());
  block.warps.release(warp, clock);
}

bool GlobalRaces::Stored::repeats(const Region& region, const GlobalLanes& lanes, std::uint32_t lane) const {
  const std::byte* const there = region.data + (lanes.address[lane] - region.base);
  bool same = true;
  if (lanes.data_bytes != 0) {
    const std::uint64_t value = value_of_lane(*reinterpret_cast<const Head*>(machine.registers + lanes.data),
                                              lanes.data_bytes == 8, lane) >>
                                lanes.data_shift;
    return std::memcmp(there, &value, lanes.bytes) == 0;
  }
  for (std::uint32_t k = 0; k < instr.count; ++k) {
    const std::uint32_t element = instr.more != nullptr ? instr.more[k] : instr.d;
    const std::uint64_t value = value_of_lane(*reinterpret_cast<const Head*>(machine.registers + element),
                                              instr.register_bytes == 8, lane);
    same &= std::memcmp(there + std::size_t{k} * instr.bytes, &value, instr.bytes) == 0;
  }
  return same;
}

/// The lanes of one load may come in several calls: their places may lie in several buffers, and a branch may
/// have let them load one after the other.
void GlobalRaces::keep_loaded(Block& block, const Access& access) {
  GlobalLanes& loaded = block.loaded[{access.warp, access.instruction}];
  for_each_lane(access.lanes.mask, [&](std::uint32_t l) { loaded.address[l] = access.lanes.address[l]; });
  loaded.mask |= access.lanes.mask;
  loaded.bytes = access.lanes.bytes;
}

/// Lanes whose value is computed from what they have loaded from the place that they store it to.
std::uint32_t GlobalRaces::lanes_from_loads(const Block& block, const Access& access) const {
  std::uint32_t lanes = 0;
  for (const std::uint32_t load : options_.overwrites.loads_of(access.instruction)) {
    const auto found = block.loaded.find({access.warp, load});
    if (found == block.loaded.end()) continue;
    const GlobalLanes& loaded = found->second;
    for_each_lane(access.lanes.mask & loaded.mask, [&](std::uint32_t l) {
      const bool same = access.lanes.address[l] >= loaded.address[l] &&
                        access.lanes.address[l] < loaded.address[l] + loaded.bytes;
      lanes |= static_cast<std::uint32_t>(same) << l;
    });
  }
  return lanes;
}

/// Order counts as it is without the access: that its own read observes the other's write is by chance.
void GlobalRaces::begin_write(const Block& block, const Access& access) {
  Write& write = writes_.emplace_back();
  write.region = &access.region;
  write.lanes = access.lanes;
  write.instruction = access.instruction;
  write.warp = access.warp;
  write.time = block.warps.now();
  write.from_load = lanes_from_loads(block, access);
  for_each_lane(access.lanes.mask, [&](std::uint32_t l) {
    std::memcpy(write.before[l].data(), access.region.data + (access.lanes.address[l] - access.region.base),
                std::min<std::size_t>(access.lanes.bytes, write.before[l].size()));
  });
  for_each_word(access.region, access.lanes, [&](const Word& word, std::uint32_t l, std::uint64_t at) {
    if (comes_after(block, access.warp, word.updated)) return;
    if ((write.from_load >> l & 1) != 0) {
      add(write.conflicts, Conflict::Kind::overwrites, block, word.updated, at, l);
    } else if ((word.updated.place & kFromLoad) != 0) {
      add(write.conflicts, Conflict::Kind::overwritten, block, word.updated, at, l);
    }
  });
}

/// A write that changes nothing, as of an atomic that only reads, is no update.
void GlobalRaces::finish(const Block& block, Write& write) {
  std::uint32_t changed = options_.values_known ? 0 : write.lanes.mask;
  for_each_lane(write.lanes.mask, [&](std::uint32_t l) {
    const std::byte* const there = write.region->data + (write.lanes.address[l] - write.region->base);
    const bool same = std::memcmp(there, write.before[l].data(),
                                  std::min<std::size_t>(write.lanes.bytes, write.before[l].size())) == 0;
    changed |= static_cast<std::uint32_t>(!same) << l;
  });
  write.lanes.mask = changed;
  for_each_word(*write.region, write.lanes, [&](Word& word, std::uint32_t l, std::uint64_t) {
    const std::uint32_t flag = (write.from_load >> l & 1) != 0 ? kFromLoad : 0;
    word.updated = {block.epoch, flag | write.instruction << kThreadBits | (write.warp * kWarpSize + l),
                    write.time};
  });
  for (Conflict& conflict : write.conflicts) conflict.lanes &= changed;
  std::erase_if(write.conflicts, [](const Conflict& conflict) { return conflict.lanes == 0; });
}

GlobalRaces::Conflicts GlobalRaces::access(Block& block, const Access& access, const Stored& stored) {
  Conflicts conflicts;
  if (epochs_.size() >= kMaxEpochs || block.warps.now() >= kMaxTimes) return conflicts;
  block.warps.advance();
  const AccessKind kind = access.kind;
  const bool strong = kind >= AccessKind::strong_load;
  if (strong && kind != AccessKind::strong_load) begin_write(block, access);
  if (kind == AccessKind::load && options_.overwrites.uses(access.instruction)) keep_loaded(block, access);
  if (kind == AccessKind::strong_load || kind == AccessKind::exchange) {
    for_each_word(access.region, access.lanes, [&](const Word& word, std::uint32_t, std::uint64_t at) {
      acquire(block, access.warp, word, at);
    });
  }
  if (kind == AccessKind::strong_load) return conflicts;
  open_epoch(block, strong);
  meet_plainly(block, access, stored, conflicts);
  if (strong) {
    for_each_word(access.region, access.lanes, [&](Word& word, std::uint32_t, std::uint64_t at) {
      release(block, access.warp, word, at);
    });
  }
  return conflicts;
}

void GlobalRaces::meet_plainly(const Block& block, const Access& access, const Stored& stored,
                               Conflicts& conflicts) {
  const std::uint32_t warp = access.warp;
  const std::uint32_t own = 1u << warp;
  for_each_word(access.region, access.lanes, [&](Word& word, std::uint32_t l, std::uint64_t at) {
    const auto meet = [&](Conflict::Kind kind, const Touch& other) {
      if (!comes_after(block, warp, other)) add(conflicts, kind, block, other, at, l);
    };
    const Touch mine{block.epoch, access.instruction << kThreadBits | (warp * kWarpSize + l),
                     block.warps.now()};
    const bool stored_here = word.stored.epoch != 0 && is_of(block, word.stored);
    if (access.kind == AccessKind::load) {
      if (!stored_here || (word.storers & own) == 0) meet(Conflict::Kind::with_store, word.stored);
      if (word.read.epoch != 0 && !is_of(block, word.read)) {
        word.block_read_epoch = word.read.epoch;
        word.block_read_place = word.read.place;
        word.warp_read_time = 0;
      } else if (word.read.epoch != 0 && warp_of(word.read) != warp) {
        word.warp_read_place = word.read.place;
        word.warp_read_time = word.read.time;
      }
      word.read = mine;
      return;
    }
    if (access.kind != AccessKind::store) return meet(Conflict::Kind::with_store, word.stored);
    // Whoever reads what several have stored alike reads the same, whatever the order.
    const bool same =
        options_.values_known && word.stored.epoch != 0 && stored.repeats(access.region, access.lanes, l);
    // A plain load beside atomics may be a first guess, as before a loop of compare-and-swap.
    meet(Conflict::Kind::with_store, word.updated);
    if (!same) {
      meet(Conflict::Kind::with_store, word.stored);
      meet(Conflict::Kind::with_load, word.read);
      if (word.warp_read_time != 0)
        meet(Conflict::Kind::with_load, {word.read.epoch, word.warp_read_place, word.warp_read_time});
      meet(Conflict::Kind::with_load, {word.block_read_epoch, word.block_read_place, 0});
    }
    if (same && stored_here) {
      word.storers |= own;
    } else if (!same || !comes_after(block, warp, word.stored)) {
      word.stored = mine;
      word.storers = own;
    }
  });
}

}  // namespace warplens::replay
