#include "kernels/replay/races/stored_once.h"

#include <algorithm>
#include <bit>

#include "kernels/base/large_pages.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/replay/block/lanes.h"

namespace warplens::replay {

std::uint32_t element_shift(const Program::Code& code, const std::vector<std::uint32_t>& instructions) {
  int shift = 3;
  for (const std::uint32_t i : instructions) {
    shift = std::min(
        shift, std::countr_zero(static_cast<unsigned>(ptx::size_of(code.function.instructions[i].type))));
  }
  return static_cast<std::uint32_t>(shift);
}

std::uint64_t count_elements(const Region& region, std::uint32_t shift) {
  return (region.bytes >> shift) + 1;
}

StoredOnce::StoredOnce(const std::vector<Region>& regions, const std::vector<bool>& written,
                       std::uint32_t shift, bool single_threaded)
    : shift_(shift), single_threaded_(single_threaded), words_(regions.size()) {
  for (const Region& region : regions) {
    if (!written[region.id]) continue;
    const std::uint64_t bytes = (count_elements(region, shift) + 63) / 64 * sizeof(Word);
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

}  // namespace warplens::replay
