// A kernel's code while what records is put into it: what the parts of that share (record_values.h,
// record_totals.h, record_events.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ptx/calls.h"
#include "kernels/ptx/control_flow.h"
#include "kernels/ptx/instrument/instrument.h"
#include "kernels/ptx/instrument/rewrite.h"
#include "kernels/ptx/instrument/segments.h"
#include "kernels/ptx/module.h"
#include "kernels/ptx/statements.h"

namespace warplens::ptx {

inline constexpr std::uint32_t kAddressBytes = 4,
                               kDistanceBytes = 8;  ///< Of a variable's address, of a distance, in the frame

/// Which function of a kernel that calls functions the code is, and how many of the numbered things come
/// before its own.
struct FunctionPart {
  bool is_one_of_several = false;
  std::uint32_t number = 0;  ///< 0: the kernel
  [[nodiscard]] bool is_called() const { return number != 0; }
  std::uint32_t first_segment = 0, first_counted = 0;
  bool has_barrier = false;     ///< Any of the functions
  bool waits_for_grid = false;  ///< Likewise
};

// Registers that all of it may use, beside those of `new_register`:
//   %wl_mask     the lanes that go together
//   %wl_phase    of the thread
//   %wl_frame    the generic address of the frame
//   %wl_chosen   whether the block has been chosen for events
//   %wl_p %wl_q %wl_narrow %wl_taken %wl_wide   for a moment
// Where there are several functions:
//   %wl_kernel   the generic address of the kernel's frame
//   %wl_caller   .. of the caller's
//   %wl_called   the lanes that went together before a call
// Where blocks wait for the whole grid:
//   %wl_workspace   what they meet by: the driver's, whose accesses are not recorded
class RecordCode {
 public:
  /// `kernel` is flat; `place`: of its code in `text`. All outlive this.
  RecordCode(std::string_view text, const Function& kernel, const FunctionText& place,
             const InstrumentOptions& how, const FunctionPart& which);

  const Function& function;
  const InstrumentOptions& options;
  const FunctionPart part;
  const ControlFlow flow;
  const std::vector<bool> parts;  ///< By block: whether lanes may part at its end
  std::vector<Segment> segments;
  std::vector<std::uint32_t> shared_variables, local_variables;  ///< As in Instrumented
  Rewrite rewrite;

  [[nodiscard]] bool totals() const { return options.mode == RecordMode::totals; }
  [[nodiscard]] bool lanes_may_part() const;
  /// Returns the mask of the lanes that go together. Where all always do, the compiler is told so: that is
  /// cheaper.
  [[nodiscard]] const char* mask() const;
  [[nodiscard]] bool counts_loops() const;  ///< Phases are iterations of the outermost loops
  [[nodiscard]] const Instruction& instruction(std::uint32_t index) const {
    return function.instructions[index];
  }
  [[nodiscard]] bool leaves(std::uint32_t index) const;  ///< The instruction: the kernel
  [[nodiscard]] const std::string& name_of_register(const Operand& operand) const;

  /// How many are sampled and, in totals mode, compared.
  [[nodiscard]] std::size_t values_of(const Segment& segment) const {
    return segment.accesses.size() + (totals() ? segment.guards.size() : count_operands(segment));
  }
  [[nodiscard]] static std::size_t count_operands(const Segment& segment);
  /// Whether the segment keeps a run in registers and in a state of its own: in totals mode, in a loop.
  [[nodiscard]] bool keeps_run(const Segment& segment) const {
    return totals() && segment.in_loop && values_of(segment) != 0;
  }
  /// Whether the code counts the executions itself: in totals mode, in a segment without values.
  [[nodiscard]] bool is_counted(const Segment& segment) const {
    return totals() && segment.counts_block && values_of(segment) == 0;
  }

  // The frame (record_frame.h): its header, the addresses of variables, texels, operands, counts, states by
  // segment. Those without a run use one state in turn.
  [[nodiscard]] std::uint32_t texels_offset() const { return texels_offset_; }
  [[nodiscard]] std::uint32_t operands_offset() const { return operands_offset_; }
  [[nodiscard]] std::uint32_t count_offset(std::size_t count) const;
  [[nodiscard]] std::uint32_t state_offset(std::uint32_t s) const { return state_offsets_[s]; }
  [[nodiscard]] std::uint32_t value_offset(std::uint32_t s, std::size_t value) const;
  [[nodiscard]] static std::string field(std::uint32_t offset, std::size_t member);

  /// A register of that type ("b32"), which holds `first_value` when the kernel begins, if that is given.
  std::string new_register(const char* type, const char* first_value = nullptr);
  void declare(std::string_view declarations) { declarations_ += declarations; }

  /// "@%p1 ", "@!%p1 " or nothing, before `text`: under the guard of an instruction.
  [[nodiscard]] std::string guarded(std::uint32_t index, const std::string& text) const;
  /// Inserts before an instruction, and before what belongs to a call with it.
  void before(std::uint32_t index, std::string text);
  /// Inserts behind a call, and what belongs to it.
  void after_call(std::uint32_t index, std::string text);
  /// Code at the end of a segment stands before what leaves it, and behind what does not.
  void at_end(const Segment& segment, std::string text);
  /// Code that is rarely needed stands behind the kernel's own. The label behind it is WL_BACK_ and the name.
  [[nodiscard]] std::string if_rare(const std::string& name, const char* predicate, const std::string& code);
  /// Returns a call of one of the recorder's functions for lanes that go together.
  [[nodiscard]] std::string call(const char* recorder_function, std::uint32_t s) const;
  [[nodiscard]] static std::string call(const std::string& recorder_function, const std::string& second,
                                        const std::string& third);
  /// %wl_p: of those that go together this is the lowest.
  [[nodiscard]] static std::string find_leader();

  [[nodiscard]] std::uint32_t number_of(std::uint32_t s) const { return part.first_segment + s; }

  /// Puts in all that is left: `prologue` before all else, then the first values of registers.
  void finish(const std::string& prologue);
  /// What stands before the module's functions.
  [[nodiscard]] static std::string declarations(bool are_several_functions);

 private:
  void lay_out_frame();
  void find_calls();

  std::vector<std::uint32_t> state_offsets_;  ///< By segment
  std::vector<CallSequence> sequence_of_;     ///< By instruction: of the call that it belongs to, or itself;
                                              ///< empty if nothing is called
  std::uint32_t texels_offset_ = 0, operands_offset_ = 0, counts_offset_ = 0, frame_bytes_ = 0;
  std::uint32_t registers_ = 0;
  std::string declarations_, first_values_;
  std::string rare_;
};

}  // namespace warplens::ptx
