#include "kernels/replay/races/block_races.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/base/large_pages.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"

namespace warplens::replay {
namespace {

/// Races between blocks are not looked for in larger buffers.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
constexpr std::size_t kMaxEpochs = std::size_t{1} << 26;

std::uint64_t elements_of(const Region& region, std::uint32_t shift) {
  return (region.bytes >> shift) + 1;
}

}  // namespace

std::uint32_t element_shift(const Program::Code& code, const std::vector<std::uint32_t>& instructions) {
  int shift = 3;
  for (const std::uint32_t i : instructions) {
    shift = std::min(
        shift, std::countr_zero(static_cast<unsigned>(ptx::size_of(code.function.instructions[i].type))));
  }
  return static_cast<std::uint32_t>(shift);
}

StoredOnce::StoredOnce(const std::vector<Region>& regions, const std::vector<bool>& written,
                       std::uint32_t shift, bool single_threaded)
    : shift_(shift), single_threaded_(single_threaded), words_(regions.size()) {
  for (const Region& region : regions) {
    if (!written[region.id]) continue;
    const std::uint64_t bytes = (elements_of(region, shift) + 63) / 64 * sizeof(Word);
    words_[region.id] = std::make_unique<ZeroPages>(bytes);
    ask_for_large_pages(words_[region.id]->data(), bytes);
  }
}

template <class Visit>
void StoredOnce::for_each_word(const Region& region, std::uint64_t address, std::uint64_t bytes,
                               Visit visit) const {
  if (words_[region.id] == nullptr) return;
  auto* words = reinterpret_cast<Word*>(words_[region.id]->data());
  std::uint64_t first = (address - region.base) >> shift_;
  const std::uint64_t end = first + (bytes >> shift_);
  while (first < end) {
    const std::uint64_t n = std::min(end - first, 64 - first % 64);
    visit(words[first / 64], (n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) << first % 64);
    first += n;
  }
}

/// Whether some of the bits were set before.
bool StoredOnce::set(std::uint64_t& word, std::uint64_t mask) const {
  std::uint64_t before = std::atomic_ref(word).load();
  if (single_threaded_) {
    word |= mask;
  } else if ((before & mask) != mask) {
    before = std::atomic_ref(word).fetch_or(mask);
  }
  return (before & mask) != 0;
}

// Each first sets its own bits: of two threads at one place, one at least sees the other's.
void StoredOnce::store(const Region& region, std::uint64_t address, std::uint64_t bytes) {
  if (single_threaded_) {
    std::uint64_t met = 0;
    for_each_word(region, address, bytes, [&](Word& word, std::uint64_t mask) {
      met |= (word.stored | word.added) & mask;
      word.stored |= mask;
    });
    return note_if(met != 0);
  }
  for_each_word(region, address, bytes, [&](Word& word, std::uint64_t mask) {
    note_if(set(word.stored, mask));
    note_if((std::atomic_ref(word.added).load() & mask) != 0);
  });
}
void StoredOnce::add_atomically(const Region& region, std::uint64_t address, std::uint64_t bytes) {
  for_each_word(region, address, bytes, [&](Word& word, std::uint64_t mask) {
    static_cast<void>(set(word.added, mask));
    note_if((std::atomic_ref(word.stored).load() & mask) != 0);
  });
}

/// Lanes are aligned, so what is one's is in one word.
void StoredOnce::add_atomically(const Region& region, const GlobalLanes& lanes) {
  if (words_[region.id] == nullptr) return;
  auto* const words = reinterpret_cast<Word*>(words_[region.id]->data());
  const std::uint64_t elements = (std::uint64_t{1} << (lanes.bytes >> shift_)) - 1;
  bool met = false;
  for_each_lane(lanes.mask, [&](std::uint32_t l) {
    const std::uint64_t element = (lanes.address[l] - region.base) >> shift_, mask = elements << element % 64;
    Word& word = words[element / 64];
    static_cast<void>(set(word.added, mask));
    met |= (std::atomic_ref(word.stored).load() & mask) != 0;
  });
  note_if(met);
}

bool StoredOnce::is_stored(const Region& region, std::uint64_t address, std::uint64_t bytes) const {
  bool any = false;
  for_each_word(region, address, bytes,
                [&](const Word& word, std::uint64_t mask) { any |= (word.stored & mask) != 0; });
  return any;
}
bool StoredOnce::is_added_to(const Region& region, std::uint64_t address, std::uint64_t bytes) const {
  bool any = false;
  for_each_word(region, address, bytes,
                [&](const Word& word, std::uint64_t mask) { any |= (word.added & mask) != 0; });
  return any;
}
void StoredOnce::forget_store(const Region& region, std::uint64_t address, std::uint64_t bytes) {
  for_each_word(region, address, bytes, [&](Word& word, std::uint64_t mask) { word.stored &= ~mask; });
}

BlockRaces::BlockRaces(const std::vector<Region>& regions, const std::vector<bool>& written,
                       std::uint32_t shift)
    : shift_(shift), words_(regions.size()) {
  std::uint64_t bytes = 0;
  for (const Region& region : regions) {
    if (written[region.id]) bytes += elements_of(region, shift) * sizeof(Word);
  }
  if (bytes > kMaxBytes) return;
  for (const Region& region : regions) {
    if (written[region.id])
      words_[region.id] = std::make_unique<ZeroPages>(elements_of(region, shift) * sizeof(Word));
  }
}

bool BlockRaces::comes_after(const Block& block, const Touch& touch) const {
  if (touch.epoch == 0 || touch.epoch == block.epoch) return true;
  const Epoch& epoch = epochs_[touch.epoch];
  return epoch.block == block.linear || (epoch.ended != 0 && epoch.ended <= block.acquired_until);
}

BlockRaces::Place BlockRaces::place_of(const Touch& touch) const {
  return {.block = epochs_[touch.epoch].block,
          .instruction = touch.place >> kThreadBits,
          .thread = touch.place & ((1u << kThreadBits) - 1)};
}

/// Strong accesses after a release stay in the released epoch, so a loop of atomics opens no new epochs.
void BlockRaces::open_epoch(Block& block, bool strong) {
  if (block.epoch == 0 || (!strong && epochs_[block.epoch].ended != 0)) {
    block.epoch = static_cast<std::uint32_t>(epochs_.size());
    epochs_.push_back({.block = block.linear});
  }
}

void BlockRaces::end_epoch(std::uint32_t epoch) {
  if (epochs_[epoch].ended == 0) epochs_[epoch].ended = ++clock_;
}

/// A plain store that another block polls for counts as a release too.
void BlockRaces::acquire(Block& block, const Word& word) {
  block.acquired_until = std::max(block.acquired_until, word.released_at);
  if (comes_after(block, word.stored)) return;
  end_epoch(word.stored.epoch);
  block.acquired_until = std::max(block.acquired_until, epochs_[word.stored.epoch].ended);
}

void BlockRaces::release(Block& block, Word& word) {
  end_epoch(block.epoch);
  block.released_at = std::max(block.released_at, epochs_[block.epoch].ended);
  word.released_at = std::max({word.released_at, block.released_at, block.acquired_until});
}

bool BlockRaces::Stored::repeats(const Region& region, std::uint64_t address, std::uint32_t lane) const {
  if (instr.register_bytes == 0) return true;  // What a fragment's lanes store is not compared
  const std::byte* const there = region.data + (address - region.base);
  bool same = true;
  for (std::uint32_t k = 0; k < instr.count; ++k) {
    const std::uint32_t element = instr.more != nullptr ? instr.more[k] : instr.d;
    const std::uint64_t value = value_of_lane(*reinterpret_cast<const Head*>(machine.registers + element),
                                              instr.register_bytes == 8, lane);
    same &= std::memcmp(there + std::size_t{k} * instr.bytes, &value, instr.bytes) == 0;
  }
  return same;
}

BlockRaces::Conflicts BlockRaces::access(Block& block, AccessKind kind, const Region& region,
                                         const GlobalLanes& lanes, std::uint32_t instruction,
                                         std::uint32_t warp, const Stored& stored) {
  Conflicts conflicts;
  const bool strong = kind >= AccessKind::strong_load,
             stores = kind != AccessKind::load && kind != AccessKind::strong_load;
  auto* words = reinterpret_cast<Word*>(words_[region.id]->data());
  const auto for_each_word = [&](auto&& visit) {
    for_each_lane(lanes.mask, [&](std::uint32_t l) {
      Word* word = words + ((lanes.address[l] - region.base) >> shift_);
      for (Word* const end = word + (lanes.bytes >> shift_); word != end; ++word) visit(*word, l);
    });
  };
  if (kind == AccessKind::strong_load || kind == AccessKind::exchange)
    for_each_word([&](const Word& word, std::uint32_t) { acquire(block, word); });
  if (kind == AccessKind::strong_load || epochs_.size() >= kMaxEpochs) return conflicts;
  open_epoch(block, strong);
  for_each_word([&](Word& word, std::uint32_t l) {
    const auto meet = [&](std::optional<Conflict>& conflict, const Touch& other) {
      if (comes_after(block, other)) return;
      if (!conflict)
        conflict =
            Conflict{.other = place_of(other),
                     .first_byte = region.base + (static_cast<std::uint64_t>(&word - words) << shift_)};
      conflict->lanes |= 1u << l;
    };
    const Touch mine{block.epoch, instruction << kThreadBits | (warp * kWarpSize + l)};
    if (!comes_after(block, word.stored) &&
        (kind != AccessKind::store || !stored.repeats(region, lanes.address[l], l))) {
      meet(conflicts[0], word.stored);
    }
    // A plain load beside atomics may be a first guess, as before a loop of compare-and-swap.
    if (kind == AccessKind::store) {
      meet(conflicts[0], word.released_by);
      meet(conflicts[1], word.read);
      meet(conflicts[1], word.other_read);
    }
    if (stores) {
      (strong ? word.released_by : word.stored) = mine;
    } else {
      if (word.read.epoch != 0 && epochs_[word.read.epoch].block != block.linear) word.other_read = word.read;
      word.read = mine;
    }
  });
  if (strong) for_each_word([&](Word& word, std::uint32_t) { release(block, word); });
  return conflicts;
}

namespace {

const Instr* watch_exposed(Machine& m, const Instr* i) {
  m.runner->watch_exposed(*i);
  return m.runner->handler_of_exposed(*i)(m, i);
}

std::string in_words(Dim3 block) {
  return fmt::format("{},{},{}", block.x, block.y, block.z);
}

}  // namespace

std::string ElementNames::at(std::uint64_t byte_offset) const {
  const std::uint64_t element = byte_offset / element_bytes;
  return pitch != 0 ? fmt::format("{}[{}][{}]", name, element / pitch, element % pitch)
                    : fmt::format("{}[{}]", name, element);
}

void Footprint::add(std::uint32_t instruction, AccessKind kind, Run run) {
  std::vector<Run>& runs = by_instruction_[{instruction, kind}];
  if (!runs.empty() && runs.back().region == run.region &&
      runs.back().address + runs.back().bytes == run.address) {
    runs.back().bytes += run.bytes;
  } else {
    runs.push_back(run);
  }
}

namespace {

void join(std::vector<Footprint::Run>& runs) {
  std::ranges::sort(runs, {}, &Footprint::Run::address);
  std::vector<Footprint::Run> joined;
  for (const Footprint::Run& run : runs) {
    if (!joined.empty() && joined.back().region == run.region &&
        run.address <= joined.back().address + joined.back().bytes) {
      joined.back().bytes = std::max(joined.back().bytes, run.address + run.bytes - joined.back().address);
    } else {
      joined.push_back(run);
    }
  }
  runs = std::move(joined);
}

}  // namespace

std::map<Shift, Footprint::Part> Footprint::parts(std::span<const Shift> shifts) const {
  std::map<Shift, Part> parts;
  for (const auto& [key, runs] : by_instruction_) {
    Part& part = parts[shifts[key.first]];
    if (key.second == AccessKind::strong_load) continue;
    std::vector<Run>& to = key.second == AccessKind::load    ? part.loaded
                           : key.second == AccessKind::store ? part.stored
                                                             : part.added;
    to.insert(to.end(), runs.begin(), runs.end());
  }
  for (auto& [shift, part] : parts) {
    for (std::vector<Run>* const runs : {&part.stored, &part.added, &part.loaded}) join(*runs);
  }
  return parts;
}

BlockWatch::BlockWatch(const Program::Code& code, const Launch& launch, For what)
    : code_(code),
      launch_(launch),
      what_(what),
      exposed_(exposed_accesses(code, launch)),
      kinds_(kinds_of_accesses(code)),
      handlers_(handlers_of(code)),
      watched_(with_handler(code, exposed_, replay::watch_exposed)) {}

std::vector<bool> BlockWatch::written(const Job& job) const {
  const std::size_t of_barrier = job.grid_workspace.empty() ? 0 : 1;
  std::vector<bool> written =
      written_regions(code_, launch_, job.regions.size() - code_.global.variables.size() - of_barrier);
  written.resize(job.regions.size(), true);
  return written;
}

std::unique_ptr<StoredOnce> BlockWatch::stored_once(const Job& job, unsigned threads) const {
  return std::make_unique<StoredOnce>(job.regions, written(job), element_shift(code_, exposed_),
                                      threads == 1);
}

void BlockWatch::begin(Job& job, unsigned threads) {
  if (what_ == For::stores) stored_once_ = stored_once(job, threads);
  if (what_ == For::races)
    races_ = std::make_unique<BlockRaces>(job.regions, written(job), element_shift(code_, exposed_));
  job.block_watch = this;
}

void BlockWatch::note(const Instr& i, Footprint::Run run) {
  const AccessKind kind = kind_of(i);
  if (what_ == For::places) return footprint_.add(i.index, kind, run);
  kind == AccessKind::store ? stored_once_->store(*run.region, run.address, run.bytes)
                            : stored_once_->add_atomically(*run.region, run.address, run.bytes);
}

/// Lanes behind each other as one; atomics, which rarely are, one by one.
void BlockWatch::note(const Instr& i, const Region& region, const GlobalLanes& lanes) {
  if (what_ == For::stores && kind_of(i) != AccessKind::store)
    return stored_once_->add_atomically(region, lanes);
  Footprint::Run run{&region, 0, 0};
  for_each_lane(lanes.mask, [&](std::uint32_t l) {
    if (run.bytes != 0 && lanes.address[l] == run.address + run.bytes) {
      run.bytes += lanes.bytes;
      return;
    }
    if (run.bytes != 0) note(i, run);
    run = {&region, lanes.address[l], lanes.bytes};
  });
  note(i, run);
}

/// Makes the region that holds these bytes the watched one; null: none does.
const Region* BlockRunner::find_watched_region(std::uint64_t address, std::uint64_t bytes) {
  const Region* const last = watched_region_;
  if (last != nullptr && address >= last->base && address + bytes <= last->base + last->bytes) return last;
  return watched_region_ = Heap::holds(address) ? nullptr : find_region(address, bytes);
}

void BlockRunner::watch_exposed(const Instr& i) {
  if (const auto first = first_of_neighbours(machine_, i); first && job_.block_watch->races() == nullptr) {
    const std::uint64_t bytes = std::uint64_t{kWarpSize} * i.bytes * i.count;
    const Region* const region = find_watched_region(*first, bytes);
    if (region != nullptr) return job_.block_watch->note(i, {region, *first, bytes});
  }
  GlobalLanes lanes = global_lanes(machine_, i);
  for (std::uint32_t left = lanes.mask; left != 0; left &= ~lanes.mask) {
    const Region* const region = find_watched_region(lanes.address[std::countr_zero(left)], lanes.bytes);
    lanes.mask = 0;
    for_each_lane(left, [&](std::uint32_t l) {
      const bool inside = region != nullptr && lanes.address[l] >= region->base &&
                          lanes.address[l] + lanes.bytes <= region->base + region->bytes;
      lanes.mask |= static_cast<std::uint32_t>(inside) << l;
    });
    if (lanes.mask == 0) {
      lanes.mask = left & -left;  // That one lies in no buffer
    } else {
      watch_exposed(i, *region, lanes);
    }
  }
}

void BlockRunner::watch_exposed(const Instr& i, const Region& region, const GlobalLanes& lanes) {
  BlockRaces* const races = job_.block_watch->races();
  if (races == nullptr) return job_.block_watch->note(i, region, lanes);
  if (!races->watches(region)) return;
  const AccessKind kind = job_.block_watch->kind_of(i);
  for (const auto& conflict :
       races->access(as_raced_, kind, region, lanes, i.index, machine_.warp, {machine_, i})) {
    if (conflict) report_block_race(i, region, lanes, *conflict);
  }
}

void BlockRunner::report_block_race(const Instr& i, const Region& region, const GlobalLanes& lanes,
                                    const BlockRaces::Conflict& conflict) {
  const ptx::Instruction &here = code_.function.instructions[i.index],
                         &there = code_.function.instructions[conflict.other.instruction];
  Finding finding = make_finding(FindingKind::block_race, here, machine_.warp, conflict.lanes);
  finding.other_line = there.location.own_line;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(conflict.lanes));
  finding.access = found_access(i.index, Space::global, static_cast<std::uint8_t>(lanes.bytes), lanes.mask);
  for_each_lane(conflict.lanes,
                [&](std::uint32_t l) { finding.access->addresses.push_back(lanes.address[l]); });
  const Dim3 other = index_from_linear(job_.launch.grid, conflict.other.block);
  finding.other = {.instruction = conflict.other.instruction,
                   .op = *access_op(there),
                   .block = other,
                   .warp = conflict.other.thread / kWarpSize,
                   .lane = conflict.other.thread % kWarpSize,
                   .address = conflict.first_byte};
  finding.text = fmt::format(finding_texts::kBlockRace, "op"_a = name_of(code_.sites[i.site].op),
                             "bytes"_a = lanes.bytes,
                             "element"_a = job_.elements[region.id].at(lanes.address[lane] - region.base),
                             "block"_a = in_words(block_), "thread"_a = machine_.warp * kWarpSize + lane,
                             "other_op"_a = name_of(*access_op(there)), "line"_a = finding.other_line,
                             "other_block"_a = in_words(other), "other_thread"_a = conflict.other.thread);
  findings.add(linear_, std::move(finding));
}

}  // namespace warplens::replay
