// Races in global memory: threads of two warps, of one block or of two, access the same element, at least one
// of them stores to it, and no synchronisation orders the accesses. Lost updates: a thread overwrites an
// element with what it has computed from a plain load of it, and another thread may change it in between.
//
// Detection has two levels. StoredOnce serves launches whose blocks run in any order: one bit per element
// records whether it was stored. GlobalRaces keeps the last accesses of each element. It serves launches
// whose threads read each other's stores, whose blocks run in order, and launches in which StoredOnce found
// an element that was stored twice.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/base/hash_index.h"
#include "kernels/base/zero_pages.h"
#include "kernels/replay/extrapolate/exposed.h"
#include "kernels/replay/races/order.h"
#include "kernels/replay/races/overwrites.h"

namespace warplens::replay {

/// Happens-before between blocks, and between the warps of a block.
///
/// Strong accesses (atomics; volatile, relaxed, acquire and release accesses) synchronise: a strong read that
/// observes another thread's strong write acquires all that the writer did before it. Happens-before is
/// transitive. This covers locks, grid barriers, and the last block that adds up what the others stored.
/// Barriers order the warps of a block.
///
/// No false positives. False negatives are possible: all blocks share one clock in place of a vector clock
/// each, so a block that acquired a later time than the relevant one counts as ordered. For the same reason
/// fences are not required, what one warp of a block acquires from another block counts as acquired by all of
/// them, and it releases what all of them did. The warps of a block have a vector clock each.
class GlobalRaces {
 public:
  struct Options {
    std::uint32_t shift = 0;      ///< As element_shift says
    std::uint64_t max_bytes = 0;  ///< To keep for all elements; where more are needed, none are watched
    bool values_known = true;     ///< Else every store counts as one of another value
    bool any_strong_reads = true;
    Overwrites overwrites;
  };
  GlobalRaces(const std::vector<Region>& regions, const std::vector<bool>& written, Options options);

  /// The clock of an address: what strong writes of a block's warps to it release to warps of the block that
  /// read it.
  struct SyncClock {
    std::uint64_t address = 0;
    Order::Clock clock{};
    std::optional<std::uint64_t> left =
        std::nullopt;  ///< Shared memory: the value that the last of them left
  };
  /// The synchronisation state of a block.
  struct Block {
    void begin(std::uint64_t of_block, bool of_warps);
    /// `address`: generic, so of shared memory kSharedWindow + offset.
    [[nodiscard]] SyncClock& sync_clock_at(std::uint64_t address);

    std::uint64_t linear = 0;
    bool has_warps = false;            ///< More than one
    std::uint32_t epoch = 0;           ///< Its current epoch; 0: it has made no access
    std::uint32_t acquired_until = 0;  ///< Epochs that ended until then happen before it
    std::uint32_t released_at = 0;     ///< When its last epoch ended
    Order warps;
    std::array<Order::Clock, 16> met{};  ///< By barrier, what happens before it opens
    std::vector<SyncClock> sync_clocks;
    HashIndex index_of_sync_clocks;  ///< By address
    /// What each lane loaded last by loads that Overwrites names, by warp and PTX instruction.
    std::map<std::pair<std::uint32_t, std::uint32_t>, GlobalLanes> loaded;
  };
  struct Place {
    std::uint64_t block = 0;
    std::uint32_t instruction = 0, thread = 0;
  };
  /// An access of another warp, and the lanes that conflict with it.
  struct Conflict {
    enum class Kind : std::uint8_t {
      with_store,
      with_load,
      overwrites,  ///< Stores what was computed from a plain load: the other's update may be lost
      overwritten  ///< The other way round
    };
    Kind kind = Kind::with_store;
    bool same_block = false;
    Place other;
    std::uint64_t first_byte = 0;  ///< That both touch
    std::uint32_t lanes = 0;
  };
  /// One for each kind, and for conflicts in the block and with other blocks.
  using Conflicts = std::vector<Conflict>;
  /// The value that a plain store is about to store.
  struct Stored {
    const Machine& machine;
    const Instr& instr;
    /// Returns whether a lane stores the value that is there already, which is no race with another store.
    [[nodiscard]] bool repeats(const Region& region, const GlobalLanes& lanes, std::uint32_t lane) const;
  };
  struct Access {
    AccessKind kind = AccessKind::load;
    std::uint32_t instruction = 0, warp = 0;
    const Region& region;
    const GlobalLanes& lanes;
  };

  [[nodiscard]] bool watches(const Region& region) const { return words_[region.id] != nullptr; }
  /// Returns whether all buffers that the launch writes are watched: there was enough memory for it.
  [[nodiscard]] bool watches_all() const;
  /// Called before an access is made.
  [[nodiscard]] Conflicts access(Block& block, const Access& access, const Stored& stored);
  /// Called once strong writes that `access` was called with have been made. Visits each with its conflicts.
  template <class Visit>
  void finish_writes(Block& block, Visit visit) {
    for (Write& write : writes_) {
      finish(block, write);
      if (!write.conflicts.empty()) visit(*write.region, write.lanes, write.conflicts);
    }
    writes_.clear();
  }
  /// Forgets all accesses. If the system gives no room for so many addresses, nothing is watched from then
  /// on.
  void forget();

 private:
  struct Touch {
    std::uint32_t epoch = 0;  ///< 0: no access
    std::uint32_t place = 0;  ///< Instruction and thread
    std::uint32_t time = 0;   ///< Of Block::warps
  };
  /// The last accesses of an element.
  struct Word {
    Touch stored;                                              ///< The plain store that gave it its value
    Touch updated;                                             ///< The strong write that changed it last
    Touch read;                                                ///< The last plain load
    std::uint32_t warp_read_place = 0, warp_read_time = 0;     ///< That of another warp of that block
    std::uint32_t block_read_epoch = 0, block_read_place = 0;  ///< That of another block
    std::uint32_t storers = 0;      ///< Warps of `stored`'s block that have stored that value, a bit each
    std::uint32_t released_at = 0;  ///< Time of the last strong write's release
  };
  /// The accesses of one block between two releases.
  struct Epoch {
    std::uint64_t block = 0;
    std::uint32_t ended = 0;  ///< 0: still open
  };
  /// A strong write that is being made.
  struct Write {
    const Region* region = nullptr;
    GlobalLanes lanes;
    std::uint32_t instruction = 0, warp = 0, time = 0;
    std::uint32_t from_load = 0;  ///< Lanes that overwrite with what they computed from a plain load
    std::array<std::array<std::byte, 16>, kWarpSize> before{};
    Conflicts conflicts;
  };

  static std::uint32_t warp_of(const Touch& touch) { return touch.place % (1u << kThreadBits) / kWarpSize; }
  template <class Visit>
  void for_each_word(const Region& region, const GlobalLanes& lanes, Visit visit) const;
  [[nodiscard]] bool is_of(const Block& block, const Touch& touch) const;
  [[nodiscard]] bool comes_after(const Block& block, std::uint32_t warp, const Touch& touch) const;
  void add(Conflicts& conflicts, Conflict::Kind kind, const Block& block, const Touch& other,
           std::uint64_t first_byte, std::uint32_t lane) const;
  void open_epoch(Block& block, bool strong);
  void end_epoch(std::uint32_t epoch);
  void acquire(Block& block, std::uint32_t warp, const Word& word, std::uint64_t address);
  void release(Block& block, std::uint32_t warp, Word& word, std::uint64_t address);
  void map_words();
  static void keep_loaded(Block& block, const Access& access);
  [[nodiscard]] std::uint32_t lanes_from_loads(const Block& block, const Access& access) const;
  void begin_write(const Block& block, const Access& access);
  void finish(const Block& block, Write& write);
  void meet_plainly(const Block& block, const Access& access, const Stored& stored, Conflicts& conflicts);

  static constexpr std::uint32_t kThreadBits = 10;
  static constexpr std::uint32_t kFromLoad = 1u << 31;  ///< Of Touch::place

  std::vector<Region> regions_;
  Options options_;
  std::uint32_t clock_ = 0;
  std::vector<Epoch> epochs_{1};
  std::vector<std::unique_ptr<ZeroPages>> words_;  ///< By Region::id; null: not watched
  std::vector<Write> writes_;
};

}  // namespace warplens::replay
