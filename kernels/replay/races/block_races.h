// Races between blocks: two blocks access the same element, at least one of them stores, and no
// synchronisation orders the accesses.
//
// Detection has two levels. StoredOnce serves launches whose blocks run in any order: one bit per element
// records whether it was stored. BlockRaces keeps the last accesses of each element. It serves launches whose
// blocks read each other's stores, which run in order, and launches in which StoredOnce found an element that
// was stored twice.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/base/block_classes.h"
#include "kernels/base/zero_pages.h"
#include "kernels/replay/extrapolate/exposed.h"

namespace warplens::replay {

/// Returns log2 of the width in bytes of the narrowest of these accesses.
[[nodiscard]] std::uint32_t element_shift(const Program::Code& code,
                                          const std::vector<std::uint32_t>& instructions);

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

/// Happens-before between blocks. Strong accesses (atomics; volatile, relaxed, acquire and release accesses)
/// synchronise blocks: a strong read that observes another block's strong write acquires all that the writer
/// did before it. Happens-before is transitive. This covers locks, grid barriers, and the last block that
/// adds up what the others stored.
///
/// All blocks share one clock in place of a vector clock each. No false positives. False negatives are
/// possible: a block that acquired a later time than the relevant one counts as ordered. For the same reason
/// fences are not required, and a warp's accesses count as ordered with those of its block.
class BlockRaces {
 public:
  BlockRaces(const std::vector<Region>& regions, const std::vector<bool>& written, std::uint32_t shift);

  /// The synchronisation state of a block.
  struct Block {
    std::uint64_t linear = 0;
    std::uint32_t epoch = 0;           ///< Its current epoch; 0: it has made no access
    std::uint32_t acquired_until = 0;  ///< Epochs that ended until then happen before it
    std::uint32_t released_at = 0;     ///< When its last epoch ended
  };
  struct Place {
    std::uint64_t block = 0;
    std::uint32_t instruction = 0, thread = 0;
  };
  /// An access of another block, and the lanes that conflict with it.
  struct Conflict {
    Place other;
    std::uint64_t first_byte = 0;  ///< That both touch
    std::uint32_t lanes = 0;
  };
  /// Conflicts with stores, and with loads.
  using Conflicts = std::array<std::optional<Conflict>, 2>;
  /// The value that a plain store is about to store.
  struct Stored {
    const Machine& machine;
    const Instr& instr;
    /// Returns whether a lane stores the value that is there already, which is no race with another store.
    [[nodiscard]] bool repeats(const Region& region, const GlobalLanes& lanes, std::uint32_t lane) const;
  };

  [[nodiscard]] bool watches(const Region& region) const { return words_[region.id] != nullptr; }
  Conflicts access(Block& block, AccessKind kind, const Region& region, const GlobalLanes& lanes,
                   std::uint32_t instruction, std::uint32_t warp, const Stored& stored);

 private:
  struct Touch {
    std::uint32_t epoch = 0;  ///< 0: no access
    std::uint32_t place = 0;  ///< Instruction and thread
  };
  /// The last accesses of an element: the plain store, the strong store, and the loads of two blocks.
  struct Word {
    Touch stored, released_by, read, other_read;
    std::uint32_t released_at = 0;  ///< Time of the strong store's release
  };
  /// The accesses of one block between two releases.
  struct Epoch {
    std::uint64_t block = 0;
    std::uint32_t ended = 0;  ///< 0: still open
  };

  [[nodiscard]] bool comes_after(const Block& block, const Touch& touch) const;
  [[nodiscard]] Place place_of(const Touch& touch) const;
  void open_epoch(Block& block, bool strong);
  void end_epoch(std::uint32_t epoch);
  void acquire(Block& block, const Word& word);
  void release(Block& block, Word& word);

  static constexpr std::uint32_t kThreadBits = 10;

  std::uint32_t shift_;
  std::uint32_t clock_ = 0;
  std::vector<Epoch> epochs_{1};
  std::vector<std::unique_ptr<ZeroPages>> words_;  ///< By Region::id; null: not watched
};

/// Places where one block stores, adds and loads memory that other blocks may access. Where blocks are proved
/// to behave alike, shifting it gives the footprint of each of them.
class Footprint {
 public:
  struct Run {
    const Region* region = nullptr;
    std::uint64_t address = 0, bytes = 0;
  };
  /// Accesses that shift alike from one block to the next.
  struct Part {
    std::vector<Run> stored, added, loaded;
  };
  void clear() { by_instruction_.clear(); }
  void add(std::uint32_t instruction, AccessKind kind, Run run);
  /// Returns the footprint sorted and without duplicates. `shifts`: by PTX instruction.
  [[nodiscard]] std::map<Shift, Part> parts(std::span<const Shift> shifts) const;

 private:
  std::map<std::pair<std::uint32_t, AccessKind>, std::vector<Run>> by_instruction_;
};

/// Observes each exposed access of a launch before it is made.
class BlockWatch {
 public:
  enum class For : std::uint8_t {
    stores,  ///< StoredOnce: blocks run in any order
    races,   ///< BlockRaces: blocks run one after the other
    places   ///< Footprint
  };
  BlockWatch(const Program::Code& code, const Launch& launch, For what);
  /// Called once the job's memory is allocated.
  void begin(struct Job& job, unsigned threads);

  /// Returns the code to run: the launch's, with exposed accesses redirected.
  [[nodiscard]] const Program::Code& code() const { return watched_; }
  [[nodiscard]] Handler handler_of(const Instr& i) const { return handlers_[i.index]; }
  [[nodiscard]] AccessKind kind_of(const Instr& i) const { return kinds_[i.index]; }
  /// Returns an empty record of the job's stores.
  [[nodiscard]] std::unique_ptr<StoredOnce> stored_once(const Job& job, unsigned threads) const;
  /// Returns whether two blocks stored to one element; which blocks is not known.
  [[nodiscard]] bool has_met() const { return stored_once_ != nullptr && stored_once_->met(); }
  [[nodiscard]] BlockRaces* races() const { return races_.get(); }
  [[nodiscard]] Footprint& footprint() { return footprint_; }
  /// Records an access where races are not looked for.
  void note(const Instr& i, Footprint::Run run);
  void note(const Instr& i, const Region& region, const GlobalLanes& lanes);

 private:
  [[nodiscard]] std::vector<bool> written(const Job& job) const;

  const Program::Code& code_;
  const Launch& launch_;
  For what_;
  std::vector<std::uint32_t> exposed_;
  std::vector<AccessKind> kinds_;  ///< By PTX instruction
  std::vector<Handler> handlers_;  ///< By PTX instruction: the original handler
  std::unique_ptr<StoredOnce> stored_once_;
  std::unique_ptr<BlockRaces> races_;
  Footprint footprint_;
  Program::Code watched_;
};

}  // namespace warplens::replay
