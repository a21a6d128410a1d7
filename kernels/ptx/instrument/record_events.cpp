#include "kernels/ptx/instrument/record_events.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

#include "kernels/base/dim3.h"
#include "kernels/ptx/instrument/record_frame.h"

namespace warplens::ptx {
namespace {

constexpr std::uint32_t kBytesOfValue = kWarpSize * 8, kToldBits = 32;

}  // namespace

std::string RecordEvents::begin() {
  code_.declare(
      ".reg .pred %wl_leads;\n.reg .b32 %wl_all, %wl_told;\n.reg .b64 %wl_log, %wl_log_end, %wl_own, "
      "%wl_at;\n");
  return fmt::format("ld.local.b64 %wl_log, {};\nld.local.b64 %wl_log_end, {};\nld.local.b32 %wl_all, {};\n",
                     RecordCode::field(0, offsetof(RecordFrameHeader, log_at)),
                     RecordCode::field(0, offsetof(RecordFrameHeader, log_end)),
                     RecordCode::field(0, offsetof(RecordFrameHeader, all_lanes))) +
         fmt::format(
             "mov.u32 %wl_narrow, %laneid;\nsetp.eq.u32 %wl_leads, %wl_narrow, 0;\nmul.wide.u32 %wl_own, "
             "%wl_narrow, 8;\n"
             "add.u64 %wl_own, %wl_own, {};\nmov.b32 %wl_told, 0;\n",
             sizeof(EventHeader));
}

void RecordEvents::log(std::uint32_t s, const std::vector<Sampled>& values) {
  code_.at_end(code_.segments[s], code_.if_rare(std::to_string(s), "%wl_chosen",
                                                log_directly(s, values) + store_values(code_, s, values) +
                                                    around_log(code_.call("warplens_event", s))));
}

/// And goes back; or falls through to what calls the recorder.
std::string RecordEvents::log_directly(std::uint32_t s, const std::vector<Sampled>& values) {
  const Segment& segment = code_.segments[s];
  const bool has_distances = !segment.shifted.empty();
  const bool may_be_elsewhere =
      std::any_of(segment.accesses.begin(), segment.accesses.end(), [&](const AccessGroup& group) {
        return group.space == StateSpace::generic || group.as_generic ||
               (has_distances &&
                group.guard.kind == Operand::Kind::reg);  // What is noted once may not have been
      });
  if (may_be_elsewhere || (has_distances && told_ == kToldBits)) return {};
  const std::size_t size = sizeof(EventHeader) + values.size() * kBytesOfValue;
  std::string text =
      fmt::format("add.u64 %wl_at, %wl_log, {};\nsetp.gt.u64 %wl_p, %wl_at, %wl_log_end;\n", size);
  if (code_.lanes_may_part()) {
    text += "setp.ne.or.b32 %wl_p, %wl_mask, %wl_all, %wl_p;\nsetp.eq.or.b64 %wl_p, %wl_log, -1, %wl_p;\n";
    text +=
        "match.all.sync.b32 %wl_narrow|%wl_q, %wl_phase, %wl_mask;\nnot.pred %wl_q, %wl_q;\nor.pred %wl_p, "
        "%wl_p, %wl_q;\n";
  }
  std::string tell;
  if (has_distances) {  // The recorder notes them when it is called for the first time
    const std::uint32_t bit = 1u << told_++;
    text +=
        fmt::format("and.b32 %wl_narrow, %wl_told, {};\nsetp.eq.or.b32 %wl_p, %wl_narrow, 0, %wl_p;\n", bit);
    tell = fmt::format("or.b32 %wl_told, %wl_told, {};\n", bit);
  }
  text += fmt::format(
      "vote.sync.any.pred %wl_p, %wl_p, {};\n@%wl_p bra.uni WL_ASK_{};\nadd.u64 %wl_at, %wl_log, %wl_own;\n",
      code_.mask(), s);
  for (std::size_t v = 0; v < values.size(); ++v) {
    const auto [made, name] = widened(code_, values, v);
    text += made + fmt::format("st.global.b64 [%wl_at+{}], {};\n", v * kBytesOfValue, name);
  }
  text += fmt::format(
      "mov.b32 %wl_narrow, {};\nmov.b32 %wl_taken, 0;\n@%wl_leads st.global.v4.b32 [%wl_log], {{%wl_narrow, "
      "%wl_mask, %wl_phase, "
      "%wl_taken}};\nadd.u64 %wl_log, %wl_log, {};\nbra.uni WL_BACK_{};\nWL_ASK_{}:\n",
      code_.number_of(s), size, s, s);
  return text + tell;
}

std::string RecordEvents::around_log(const std::string& call) {
  const std::string at = RecordCode::field(0, offsetof(RecordFrameHeader, log_at));
  return fmt::format("st.local.b64 {}, %wl_log;\n{}ld.local.b64 %wl_log, {};\n", at, call, at);
}

std::string RecordEvents::say_who_met(RecordCode& code, const std::string& name, const std::string& awaited) {
  return "and.pred %wl_q, %wl_q, %wl_chosen;\n" +
         code.if_rare(name, "%wl_q", around_log(RecordCode::call("warplens_met", awaited, "0")));
}

std::string RecordEvents::say_what_log_takes() const {
  std::string text = "and.pred %wl_p, %wl_chosen, %wl_leads;\n";
  if (code_.lanes_may_part()) {
    text +=
        "setp.eq.and.b32 %wl_p, %wl_mask, %wl_all, %wl_p;\nsetp.ne.b64 %wl_q, %wl_log, -1;\n"
        "vote.sync.all.pred %wl_q, %wl_q, %wl_mask;\nand.pred %wl_p, %wl_p, %wl_q;\n";
  }
  return text + fmt::format(
                    "ld.local.b64 %wl_wide, {};\nsub.u64 %wl_at, %wl_log, %wl_wide;\nld.local.b64 %wl_wide, "
                    "{};\n@%wl_p st.global.b64 [%wl_wide], %wl_at;\n",
                    RecordCode::field(0, offsetof(RecordFrameHeader, log_begin)),
                    RecordCode::field(0, offsetof(RecordFrameHeader, log_used)));
}

}  // namespace warplens::ptx
