#include "kernels/ptx/instrument/record_calls.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "kernels/ptx/instrument/record_events.h"
#include "kernels/ptx/instrument/record_frame.h"

namespace warplens::ptx {

void RecordCalls::call(std::uint32_t s) {
  const std::uint32_t last = code_.segments[s].end - 1;
  code_.before(last, part(s) + hand_to_callee());
  code_.after_call(last, take_from_callee(s));
}

std::string RecordCalls::enter() const {
  std::string text =
      "mov.u64 %wl_kernel, %wl_frame;\nst.global.b64 [wl_kernel_frame], %wl_frame;\nmov.u64 %wl_caller, 0;\n";
  if (code_.part.is_called()) {
    text = fmt::format(
        "ld.global.b64 %wl_kernel, [wl_kernel_frame];\nld.b64 %wl_caller, [%wl_kernel+{}];\nld.b32 %wl_mask, "
        "[%wl_caller+{}];\n",
        offsetof(RecordFrameHeader, calling), offsetof(RecordFrameHeader, called_mask));
    text += fmt::format("ld.b32 %wl_phase, [%wl_caller+{}];\n", offsetof(RecordFrameHeader, phase));
  }
  text += fmt::format("st.local.b64 {}, %wl_caller;\n",
                      RecordCode::field(0, offsetof(RecordFrameHeader, caller)));
  return text + RecordCode::call("warplens_enter", fmt::format("{}", code_.part.number), "0");
}

std::string RecordCalls::part(std::uint32_t s) {
  const Instruction& call = code_.instruction(code_.segments[s].end - 1);
  const bool by_address = call.operands[1].kind == Operand::Kind::reg,
             guarded = call.guard.kind == Operand::Kind::reg;
  std::string text = "mov.b32 %wl_called, %wl_mask;\n";
  if (!by_address && !guarded) return text;
  const std::string holds =
      guarded ? (call.guard.negated ? "!" : "") + code_.name_of_register(call.guard) : "";
  if (guarded) {
    text += fmt::format(
        "vote.sync.ballot.b32 %wl_taken, {0}, %wl_mask;\nxor.b32 %wl_narrow, %wl_taken, %wl_mask;\n@{0} "
        "mov.b32 %wl_narrow, %wl_taken;\n",
        holds);
  } else {
    text += "mov.b32 %wl_taken, %wl_mask;\nmov.b32 %wl_narrow, %wl_mask;\n";
  }
  if (by_address) {
    text += fmt::format("{}match.any.sync.b64 %wl_narrow, {}, %wl_taken;\n", guarded ? "@" + holds + " " : "",
                        code_.name_of_register(call.operands[1]));
  }
  const std::string apart = code_.new_register("b32");
  text += fmt::format("mov.b32 {}, %wl_narrow;\n", apart);
  if (!code_.totals()) {
    text += fmt::format(
        "setp.ne.and.b32 %wl_p, %wl_narrow, %wl_mask, %wl_chosen;\n@!%wl_p bra.uni WL_TOGETHER_{};\n", s);
    text += RecordEvents::around_log(
        RecordCode::call(by_address ? "warplens_call" : "warplens_part", "%wl_narrow", "%wl_taken"));
    text += fmt::format("WL_TOGETHER_{}:\n", s);
  }
  text += by_address && code_.totals() ? count_again(s, apart, holds) : "";
  return text + fmt::format("mov.b32 %wl_mask, {};\n", apart);
}

/// Counts again: lanes that do not call with the lowest lane execute the call once more.
std::string RecordCalls::count_again(std::uint32_t s, const std::string& together, const std::string& holds) {
  const auto again = static_cast<std::uint32_t>(code_.segments.size() + repeats_.size());
  Segment& repeat = repeats_.emplace_back();
  repeat.block = code_.segments[s].block;
  repeat.first = repeat.end = code_.segments[s].end;
  repeat.counts_block = repeat.repeats_call = true;
  std::string text = fmt::format(
      "mov.b32 %wl_mask, {0};\nneg.s32 %wl_narrow, %wl_taken;\nand.b32 %wl_narrow, %wl_narrow, "
      "%wl_taken;\nand.b32 %wl_narrow, %wl_narrow, {0};\n"
      "setp.eq.b32 %wl_p, %wl_narrow, 0;\n",
      together);
  if (!holds.empty()) text += fmt::format("setp.eq.and.b32 %wl_p, %wl_narrow, 0, {};\n", holds);
  return text +
         fmt::format("@!%wl_p bra WL_FIRST_{0};\n{1}WL_FIRST_{0}:\n", s,
                     RecordCode::call("warplens_once_of", "0", fmt::format("{}", code_.number_of(again))));
}

std::string RecordCalls::hand_to_callee() const {
  std::string text =
      fmt::format("st.b64 [%wl_kernel+{}], %wl_frame;\n", offsetof(RecordFrameHeader, calling));
  text += fmt::format("st.local.b32 {}, %wl_mask;\n",
                      RecordCode::field(0, offsetof(RecordFrameHeader, called_mask)));
  text +=
      fmt::format("st.local.b32 {}, %wl_phase;\n", RecordCode::field(0, offsetof(RecordFrameHeader, phase)));
  if (!code_.totals())
    text +=
        fmt::format("st.local.b64 {}, %wl_log;\n", RecordCode::field(0, offsetof(RecordFrameHeader, log_at)));
  return text;
}

std::string RecordCalls::take_from_callee(std::uint32_t s) {
  std::string text =
      fmt::format("ld.local.b32 %wl_phase, {};\n", RecordCode::field(0, offsetof(RecordFrameHeader, phase)));
  if (!code_.totals())
    text +=
        fmt::format("ld.local.b64 %wl_log, {};\n", RecordCode::field(0, offsetof(RecordFrameHeader, log_at)));
  text += "vote.sync.ballot.b32 %wl_mask, 1, %wl_called;\n";
  if (code_.totals() || !code_.instruction(code_.segments[s].end - 1).callee_may_exit) return text;
  return text + "setp.ne.b32 %wl_q, %wl_mask, %wl_called;\n" +
         RecordEvents::say_who_met(code_, fmt::format("back_{}", s), "%wl_called");
}

std::string RecordCalls::go_back(const std::vector<std::string>& joins) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waiting;  // By how many places of that kind lie behind
  for (std::uint32_t b = 0; b < joins.size(); ++b) {
    if (joins[b].empty()) continue;
    std::uint32_t behind = 0;
    for (std::uint32_t next = b; next != kNoBlock; next = code_.flow.blocks[next].immediate_post_dominator)
      ++behind;
    waiting.emplace_back(behind, b);
  }
  std::sort(waiting.rbegin(), waiting.rend());
  std::string text;
  for (const auto& [behind, b] : waiting) {
    text += fmt::format("setp.ne.b32 %wl_p, {0}, 0;\n@%wl_p vote.sync.ballot.b32 %wl_narrow, 0, {0};\n",
                        joins[b]);
  }
  text += fmt::format("st.b32 [%wl_caller+{}], %wl_phase;\n", offsetof(RecordFrameHeader, phase));
  if (!code_.totals())
    text += fmt::format("st.b64 [%wl_caller+{}], %wl_log;\n", offsetof(RecordFrameHeader, log_at));
  return text;
}

}  // namespace warplens::ptx
