// The first and cheap look for races in global memory, of launches whose blocks run in any order and on all
// threads: one bit an element says whether it was stored to.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/base/zero_pages.h"
#include "kernels/replay/extrapolate/exposed.h"

namespace warplens::replay {

/// Returns log2 of the width in bytes of the narrowest of these accesses.
[[nodiscard]] std::uint32_t element_shift(const Program::Code& code,
                                          const std::vector<std::uint32_t>& instructions);
[[nodiscard]] std::uint64_t count_elements(const Region& region, std::uint32_t shift);

class StoredOnce {
 public:
  /// `single_threaded`: only one thread calls `store`.
  StoredOnce(const std::vector<Region>& regions, const std::vector<bool>& written, std::uint32_t shift,
             bool single_threaded);

  void store(const Region& region, std::uint64_t address, std::uint64_t bytes);
  void add_atomically(const Region& region, std::uint64_t address, std::uint64_t bytes);
  void add_atomically(const Region& region, const GlobalLanes& lanes);
  /// Returns whether some element was stored twice, or stored and changed by an atomic, by any block.
  [[nodiscard]] bool met() const { return met_.load(std::memory_order_relaxed); }

  // For launches whose blocks are proved to behave alike (extrapolate.h). Single-threaded.
  [[nodiscard]] bool is_stored(const Region& region, std::uint64_t address, std::uint64_t bytes) const;
  [[nodiscard]] bool is_added_to(const Region& region, std::uint64_t address, std::uint64_t bytes) const;
  void forget_store(const Region& region, std::uint64_t address, std::uint64_t bytes);

 private:
  /// Of 64 elements.
  struct Word {
    std::uint64_t stored = 0, added = 0;
  };
  template <class Visit>
  void for_each_word(const Region& region, std::uint64_t address, std::uint64_t bytes, Visit visit) const;
  [[nodiscard]] bool set(std::uint64_t& word, std::uint64_t mask) const;
  void note_if(bool met) {
    if (met) met_.store(true, std::memory_order_relaxed);
  }

  std::uint32_t shift_;
  bool single_threaded_;
  std::vector<std::unique_ptr<ZeroPages>> words_;  ///< By Region::id; null: nothing is stored there
  std::atomic<bool> met_ = false;
};

}  // namespace warplens::replay
