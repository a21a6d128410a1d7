// Races between blocks: one stores what another one loads or stores, and nothing orders the two.
//
// Most launches never come near one: their blocks load what none of them stores, and each stores what is its
// own. So there are two ways to look. StoredOnce is for launches whose blocks run in any order: a bit for
// each element, whether anything has been stored there. Where one is stored twice, and for launches whose
// blocks see each other's stores, which run in order, BlockRaces keeps who was where last.
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

/// log2 of the bytes of the narrowest of these accesses.
[[nodiscard]] std::uint32_t element_shift(const Program::Code& code,
                                          const std::vector<std::uint32_t>& instructions);

class StoredOnce {
 public:
  /// `alone`: one thread calls `store`.
  StoredOnce(const std::vector<Region>& regions, const std::vector<bool>& written, std::uint32_t shift,
             bool alone);

  void store(const Region& region, std::uint64_t address, std::uint64_t bytes);
  void add_atomically(const Region& region, std::uint64_t address, std::uint64_t bytes);
  void add_atomically(const Region& region, const GlobalLanes& lanes);
  /// Whether some element was stored to twice, or stored to and changed by an atomic, by whichever block.
  [[nodiscard]] bool met() const { return met_.load(std::memory_order_relaxed); }

  // Of a launch whose blocks are known to behave alike (follow.h): one thread
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
  bool alone_;
  std::vector<std::unique_ptr<ZeroPages>> words_;  ///< By Region::id; null: nothing is stored there
  std::atomic<bool> met_ = false;
};

/// What orders blocks is how they tell each other something: by atomics, and by volatile, relaxed, acquire
/// and release accesses. A block that reads so what another one has written so comes after all that the other
/// one did before that, and so does whoever hears of it from either: a lock, a barrier of the whole grid, the
/// last of all blocks that adds up what the others left. When it was is told by one clock for all blocks: so
/// a race can be taken for ordered where a block has heard of a later time than the one that matters, but
/// what is ordered is never taken for a race. For the same reason nobody asks for fences, and a warp's
/// accesses count as ordered with those of its block.
class BlockRaces {
 public:
  BlockRaces(const std::vector<Region>& regions, const std::vector<bool>& written, std::uint32_t shift);

  /// What a block has told and heard.
  struct Block {
    std::uint64_t linear = 0;
    std::uint32_t era = 0;    ///< Its accesses until it tells somebody; 0: it has made none
    std::uint32_t heard = 0;  ///< It comes after what ended until then
    std::uint32_t told = 0;   ///< When its last era ended
  };
  struct Place {
    std::uint64_t block = 0;
    std::uint32_t instruction = 0, thread = 0;
  };
  /// An access of another block, and the lanes that meet it.
  struct Conflict {
    Place other;
    std::uint64_t first_byte = 0;  ///< That both touch
    std::uint32_t lanes = 0;
  };
  /// With stores, and with loads.
  using Conflicts = std::array<std::optional<Conflict>, 2>;
  /// What a plain store is about to store.
  struct Stored {
    const Machine& machine;
    const Instr& instr;
    /// Whether a lane stores what is there already: no race with another store.
    [[nodiscard]] bool repeats(const Region& region, std::uint64_t address, std::uint32_t lane) const;
  };

  [[nodiscard]] bool watches(const Region& region) const { return words_[region.id] != nullptr; }
  Conflicts access(Block& block, AccessKind kind, const Region& region, const GlobalLanes& lanes,
                   std::uint32_t instruction, std::uint32_t warp, const Stored& stored);

 private:
  struct Touch {
    std::uint32_t era = 0;    ///< 0: nobody
    std::uint32_t place = 0;  ///< Instruction and thread
  };
  /// Of an element: who stored to it last, plainly and strongly, and who loaded it last of two blocks.
  struct Word {
    Touch stored, told_by, read, other_read;
    std::uint32_t told = 0;  ///< When who has stored to it strongly told it
  };
  /// Accesses of one block between two times that it told somebody.
  struct Era {
    std::uint64_t block = 0;
    std::uint32_t ended = 0;  ///< 0: it has not
  };

  [[nodiscard]] bool comes_after(const Block& block, const Touch& touch) const;
  [[nodiscard]] Place place_of(const Touch& touch) const;
  void open_era(Block& block, bool strong);
  void end_era(std::uint32_t era);
  void hear(Block& block, const Word& word);
  void tell(Block& block, Word& word);

  static constexpr std::uint32_t kThreadBits = 10;

  std::uint32_t shift_;
  std::uint32_t clock_ = 0;
  std::vector<Era> eras_{1};
  std::vector<std::unique_ptr<ZeroPages>> words_;  ///< By Region::id; null: not watched
};

/// Where one block stores, adds and loads what others may see. Of a launch whose blocks are known to behave
/// alike that tells where all of them do.
class Footprint {
 public:
  struct Run {
    const Region* region = nullptr;
    std::uint64_t address = 0, bytes = 0;
  };
  /// Of accesses that move alike from one block to the next.
  struct Part {
    std::vector<Run> stored, added, loaded;
  };
  void clear() { by_instruction_.clear(); }
  void add(std::uint32_t instruction, AccessKind kind, Run run);
  /// Sorted, each place once. `shifts`: by PTX instruction.
  [[nodiscard]] std::map<Shift, Part> parts(std::span<const Shift> shifts) const;

 private:
  std::map<std::pair<std::uint32_t, AccessKind>, std::vector<Run>> by_instruction_;
};

/// While a launch runs, what looks at each exposed access before it is made.
class BlockWatch {
 public:
  enum class For : std::uint8_t {
    stores,  ///< StoredOnce: of blocks that run in any order
    races,   ///< BlockRaces: of blocks that run one after the other
    places   ///< Footprint
  };
  BlockWatch(const Program::Code& code, const Launch& launch, For what);
  /// Once the job's memory is there.
  void begin(struct Job& job, unsigned threads);

  /// The launch's code as it is to be run.
  [[nodiscard]] const Program::Code& code() const { return watched_; }
  [[nodiscard]] Handler handler_of(const Instr& i) const { return handlers_[i.index]; }
  [[nodiscard]] AccessKind kind_of(const Instr& i) const { return kinds_[i.index]; }
  /// An empty record of the job's stores.
  [[nodiscard]] std::unique_ptr<StoredOnce> stored_once(const Job& job, unsigned threads) const;
  /// Blocks whose order does not show have stored to one place: who they are is not known.
  [[nodiscard]] bool has_met() const { return stored_once_ != nullptr && stored_once_->met(); }
  [[nodiscard]] BlockRaces* races() const { return races_.get(); }
  [[nodiscard]] Footprint& footprint() { return footprint_; }
  /// Of an access, where races are not looked for.
  void note(const Instr& i, Footprint::Run run);
  void note(const Instr& i, const Region& region, const GlobalLanes& lanes);

 private:
  [[nodiscard]] std::vector<bool> written(const Job& job) const;

  const Program::Code& code_;
  const Launch& launch_;
  For what_;
  std::vector<std::uint32_t> exposed_;
  std::vector<AccessKind> kinds_;  ///< By PTX instruction
  std::vector<Handler> handlers_;  ///< The same: what runs it
  std::unique_ptr<StoredOnce> stored_once_;
  std::unique_ptr<BlockRaces> races_;
  Footprint footprint_;
  Program::Code watched_;
};

}  // namespace warplens::replay
