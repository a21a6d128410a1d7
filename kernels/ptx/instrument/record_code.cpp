#include "kernels/ptx/instrument/record_code.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "kernels/base/dim3.h"
#include "kernels/ptx/instrument/record_frame.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/uniformity.h"

namespace warplens::ptx {
namespace {

using Kind = Operand::Kind;

constexpr std::uint32_t kStateAlignment = 8;

std::vector<std::uint32_t> variables_in(const Function& function, StateSpace space) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t v = 0; v < function.variables.size(); ++v) {
    if (function.variables[v].space == space) found.push_back(v);
  }
  return found;
}

constexpr std::string_view kRecorderFunctions =
    ".extern .func warplens_begin(.param .b64 wl_a);\n"
    ".extern .func warplens_turn(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
    ".extern .func warplens_once(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
    ".extern .func warplens_end(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
    ".extern .func warplens_counts(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
    ".extern .func warplens_event(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
    ".extern .func warplens_part(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
    ".extern .func warplens_skip(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
    ".extern .func warplens_meet(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
    ".extern .func warplens_met(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
    ".extern .func warplens_texels(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
    ".extern .func warplens_operands(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 "
    "wl_d);\n"
    ".extern .func warplens_in_turn(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 "
    "wl_d);\n";
constexpr std::string_view kFunctionsForCalls =
    ".extern .func warplens_turn_of(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 "
    "wl_d);\n"
    ".extern .func warplens_once_of(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 "
    "wl_d);\n"
    ".extern .func warplens_event_of(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 "
    "wl_d);\n"
    ".extern .func warplens_enter(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
    ".extern .func warplens_call(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
    ".extern .func warplens_counts_of(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 "
    "wl_d);\n"
    ".global .align 8 .u64 wl_kernel_frame;\n";

}  // namespace

RecordCode::RecordCode(std::string_view text, const Function& kernel, const FunctionText& place,
                       const InstrumentOptions& how, const FunctionPart& which)
    : function(kernel),
      options(how),
      part(which),
      flow(analyse_control_flow(kernel)),
      parts(find_partings(kernel, flow)),
      segments(find_segments(kernel, flow,
                             {.in_several_functions = which.is_one_of_several,
                              .has_barrier = which.has_barrier,
                              .waits_for_grid = which.waits_for_grid,
                              .texels = how.texels,
                              .pieces_of = how.pieces_of})),
      shared_variables(variables_in(kernel, StateSpace::shared)),
      local_variables(variables_in(kernel, StateSpace::local)),
      rewrite(text, place) {
  find_calls();
  lay_out_frame();
}

bool RecordCode::lanes_may_part() const {
  return part.is_one_of_several || std::find(parts.begin(), parts.end(), true) != parts.end();
}

const char* RecordCode::mask() const {
  return !lanes_may_part() && options.threads_per_block % kWarpSize == 0 ? "-1" : "%wl_mask";
}

bool RecordCode::counts_loops() const {
  return std::any_of(segments.begin(), segments.end(),
                     [](const Segment& segment) { return segment.ends_outer_loop; });
}

bool RecordCode::leaves(std::uint32_t index) const {
  return effect_of(instruction(index)) == Effect::ret;
}

const std::string& RecordCode::name_of_register(const Operand& operand) const {
  return function.registers[static_cast<std::uint32_t>(operand.reg)].name;
}

std::size_t RecordCode::count_operands(const Segment& segment) {
  std::size_t count = 0;
  for (const OperandGroup& group : segment.operands) count += group.operands.size();
  return count;
}

void RecordCode::lay_out_frame() {
  const auto addresses = shared_variables.size() + local_variables.size();
  std::uint32_t end = static_cast<std::uint32_t>(sizeof(RecordFrameHeader) + addresses * kAddressBytes);
  end = (end + kStateAlignment - 1) / kStateAlignment * kStateAlignment;
  texels_offset_ = end;
  if (std::any_of(function.instructions.begin(), function.instructions.end(), accesses_texels))
    end += sizeof(RecordTexels);
  operands_offset_ = end;
  const auto has_operands = [](const Segment& segment) { return !segment.operands.empty(); };
  if (totals() && std::ranges::any_of(segments, has_operands)) end += sizeof(RecordOperands);
  counts_offset_ = end;
  for (const Segment& segment : segments)
    end += is_counted(segment) ? static_cast<std::uint32_t>(sizeof(RecordCount)) : 0;
  std::uint32_t shared_bytes = 0;  // Of the state that segments without a run use in turn
  for (const Segment& segment : segments) {
    const auto bytes =
        static_cast<std::uint32_t>(sizeof(RecordState) + values_of(segment) * sizeof(RecordValue) +
                                   segment.shifted.size() * kDistanceBytes);
    state_offsets_.push_back(end);
    if (keeps_run(segment)) {
      end += bytes;
    } else {
      shared_bytes = std::max(shared_bytes, bytes);
    }
  }
  for (std::size_t s = 0; s < segments.size(); ++s) {
    if (!keeps_run(segments[s])) state_offsets_[s] = end;
  }
  frame_bytes_ = end + shared_bytes;
}

std::uint32_t RecordCode::count_offset(std::size_t count) const {
  return static_cast<std::uint32_t>(counts_offset_ + count * sizeof(RecordCount));
}

std::uint32_t RecordCode::value_offset(std::uint32_t s, std::size_t value) const {
  return static_cast<std::uint32_t>(state_offsets_[s] + sizeof(RecordState) + value * sizeof(RecordValue));
}

std::string RecordCode::field(std::uint32_t offset, std::size_t member) {
  return fmt::format("[wl_frame+{}]", offset + static_cast<std::uint32_t>(member));
}

std::string RecordCode::new_register(const char* type, const char* first_value) {
  std::string name = fmt::format("%wl_{}", registers_++);
  declarations_ += fmt::format(".reg .{} {};\n", type, name);
  if (first_value != nullptr) first_values_ += fmt::format("mov.{} {}, {};\n", type, name, first_value);
  return name;
}

std::string RecordCode::guarded(std::uint32_t index, const std::string& text) const {
  const Operand& guard = instruction(index).guard;
  return guard.kind == Kind::reg
             ? fmt::format("@{}{} {}", guard.negated ? "!" : "", name_of_register(guard), text)
             : text;
}

void RecordCode::find_calls() {
  if (!calls_code(function)) return;
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) sequence_of_.push_back({i, i + 1});
  for (std::uint32_t call = 0; call < function.instructions.size(); ++call) {
    if (!calls_code(instruction(call))) continue;
    const CallSequence sequence = find_call_sequence(function, call);
    for (std::uint32_t i = sequence.first; i <= call; ++i) sequence_of_[i] = sequence;
  }
}

void RecordCode::before(std::uint32_t index, std::string text) {
  rewrite.before(index < sequence_of_.size() ? sequence_of_[index].first : index, std::move(text));
}

void RecordCode::after_call(std::uint32_t index, std::string text) {
  rewrite.after(sequence_of_[index].end - 1, "\n" + std::move(text));
}

void RecordCode::at_end(const Segment& segment, std::string text) {
  const std::uint32_t last = segment.end - 1;
  if (segment.ends_at_call) return before(last, std::move(text));
  if (ends_block(instruction(last)) || is_any_barrier(instruction(last))) {
    rewrite.before(last, std::move(text));
  } else {
    rewrite.after(last, "\n" + std::move(text));
  }
}

std::string RecordCode::if_rare(const std::string& name, const char* predicate, const std::string& code) {
  rare_ += fmt::format("WL_SLOW_{0}:\n{1}bra.uni WL_BACK_{0};\n", name, code);
  return fmt::format("@{1} bra.uni WL_SLOW_{0};\nWL_BACK_{0}:\n", name, predicate);
}

std::string RecordCode::call(const char* recorder_function, std::uint32_t s) const {
  const bool has_other = part.is_one_of_several && recorder_function != std::string_view("warplens_end");
  return call(std::string(recorder_function) + (has_other ? "_of" : ""), fmt::format("{}", state_offsets_[s]),
              fmt::format("{}", number_of(s)));
}

std::string RecordCode::call(const std::string& recorder_function, const std::string& second,
                             const std::string& third) {
  return fmt::format(
      "st.local.b32 [wl_frame+{3}], %wl_phase;\n"
      "{{\n.param .b64 wl_a;\nst.param.b64 [wl_a], %wl_frame;\n.param .b32 wl_b;\nst.param.b32 [wl_b], {1};\n"
      ".param .b32 wl_c;\nst.param.b32 [wl_c], {2};\n.param .b32 wl_d;\nst.param.b32 [wl_d], %wl_mask;\n"
      "call.uni {0}, (wl_a, wl_b, wl_c, wl_d);\n}}\nld.local.b32 %wl_phase, [wl_frame+{3}];\n",
      recorder_function, second, third, offsetof(RecordFrameHeader, phase));
}

std::string RecordCode::find_leader() {
  return "mov.u32 %wl_narrow, %lanemask_lt;\nand.b32 %wl_narrow, %wl_narrow, %wl_mask;\nsetp.eq.b32 %wl_p, "
         "%wl_narrow, 0;\n";
}

void RecordCode::finish(const std::string& prologue) {
  if (part.is_one_of_several) declare(".reg .b32 %wl_called;\n.reg .b64 %wl_kernel, %wl_caller;\n");
  std::string common = fmt::format(
      "\n.local .align 8 .b8 wl_frame[{}];\n.reg .pred %wl_p, %wl_q, %wl_chosen;\n.reg .b32 %wl_mask, "
      "%wl_taken, %wl_phase, %wl_narrow;\n"
      ".reg .b64 %wl_frame, %wl_wide;\n",
      frame_bytes_);
  if (part.waits_for_grid) declare(".reg .b64 %wl_workspace;\n");
  rewrite.at_begin_of_body(std::move(common) + declarations_);
  rewrite.before_all(prologue + first_values_);
  if (!rare_.empty())
    rewrite.at_end_of_body("ret;\n" + rare_);  // The function's text may leave out its last one
  if (function.is_entry) rewrite.limit_threads(function, options.threads_per_block);
}

std::string RecordCode::declarations(bool are_several_functions) {
  return std::string(kRecorderFunctions) + std::string(are_several_functions ? kFunctionsForCalls : "");
}

}  // namespace warplens::ptx
