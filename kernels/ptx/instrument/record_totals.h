// Code that counts: executions of segments without values, and runs of the others (record_frame.h). The
// recorder is called where a run ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/ptx/instrument/record_code.h"
#include "kernels/ptx/instrument/record_values.h"

namespace warplens::ptx {

class RecordTotals {
 public:
  explicit RecordTotals(RecordCode& code) : code_(code) {}

  /// A segment without values.
  void count(std::uint32_t s);
  /// A segment in a loop.
  void follow_run(std::uint32_t s, const std::vector<Sampled>& values);
  /// Returns the code before threads leave, or may, when all segments are done: the counts go to the
  /// recorder. `exit` numbers those places.
  [[nodiscard]] std::string hand_over(std::size_t exit) const;
  /// Returns the code behind that, where threads go on: counts start again.
  [[nodiscard]] std::string begin_anew() const;

  /// Returns what Instrumented has of the same name.
  [[nodiscard]] const std::vector<std::uint32_t>& counted() const { return counted_; }

 private:
  struct Count {
    std::string warps, threads;  ///< Registers. Where lanes may part each counts its own, and the lowest that
                                 ///< of the warp; else all count the same
    std::optional<int>
        bit;  ///< Of these registers, if the segment is executed once at most; else all of them
  };
  struct Invariant {
    std::string name, kept;  ///< A register of the kernel's, and where its value of the run's start is kept
    int bits = 64;
    bool by_low_half = false;
  };
  struct Run {
    std::uint32_t segment = 0;
    std::string mask;  ///< A register, where lanes may part; else a run's lanes are all
    std::string executions, next_phase, phase_step;
    std::vector<Sampled> values;
    std::vector<Invariant> invariants;
  };

  [[nodiscard]] Count new_count();
  [[nodiscard]] std::string hand_over_counts() const;
  [[nodiscard]] bool follows_in_one_window(const Segment& segment) const;
  [[nodiscard]] std::string store_run(const Run& run) const;
  [[nodiscard]] std::string load_run(const Run& run) const;

  RecordCode& code_;
  std::vector<Run> runs_;
  Count visits_;               ///< Registers with bits for segments that are executed once at most, ..
  int bits_left_ = 0;          ///< .. of which so many are free
  std::vector<Count> counts_;  ///< Of the segments in counted_
  std::vector<std::uint32_t> counted_;
};

}  // namespace warplens::ptx
