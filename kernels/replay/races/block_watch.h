// Observes the accesses through which threads of different warps may see each other.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/base/block_classes.h"
#include "kernels/replay/races/global_races.h"
#include "kernels/replay/races/stored_once.h"

namespace warplens::replay {

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

/// Observes each exposed access of a launch, and what orders warps.
class BlockWatch {
 public:
  enum class For : std::uint8_t {
    stores,  ///< StoredOnce: blocks run in any order
    races,   ///< GlobalRaces: blocks run one after the other
    places   ///< Footprint of a block, and GlobalRaces of its warps
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
  [[nodiscard]] GlobalRaces* races() const { return races_.get(); }
  /// Returns whether races are reported; else it is only noted that warps have met.
  [[nodiscard]] bool reports() const { return what_ == For::races; }
  [[nodiscard]] bool keeps_places() const { return what_ != For::races; }
  [[nodiscard]] bool is_exposed(const Instr& i) const { return is_exposed_[i.index]; }
  /// Returns whether the access, if it is of shared memory, may order warps.
  [[nodiscard]] bool synchronises(const Instr& i) const { return synchronises_[i.index]; }
  [[nodiscard]] Footprint& footprint() { return footprint_; }
  // Of one block's places:
  void begin_block();
  void note_meeting() { warps_met_ = true; }
  /// Returns whether warps accessed one place in an order that may matter, or there was too little memory to
  /// see it.
  [[nodiscard]] bool warps_met() const { return warps_met_; }
  /// Records the place of an access.
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
  std::unique_ptr<GlobalRaces> races_;
  std::vector<bool> is_exposed_, synchronises_;  ///< By PTX instruction
  Footprint footprint_;
  bool any_strong_reads_ = false;  ///< Among the exposed accesses
  bool warps_met_ = false;
  Program::Code watched_;
};

}  // namespace warplens::replay
