#include "kernels/ptx/instrument/record_totals.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "kernels/ptx/instrument/record_frame.h"

namespace warplens::ptx {

RecordTotals::Count RecordTotals::new_count() {
  std::string warps = code_.new_register("b32", "0");
  return {std::move(warps), code_.lanes_may_part() ? code_.new_register("b32", "0") : std::string(), {}};
}

void RecordTotals::count(std::uint32_t s) {
  const Segment& segment = code_.segments[s];
  const bool once = !segment.in_loop;
  constexpr int kBits = 32;
  if (once && bits_left_ == 0) {
    bits_left_ = kBits;
    visits_ = new_count();
  }
  Count count = once ? visits_ : new_count();
  if (once) count.bit = --bits_left_;
  const auto counted = [&](const std::string& in) {
    return once ? fmt::format("or.b32 {0}, {0}, {1};\n", in, 1u << *count.bit)
                : fmt::format("add.u32 {0}, {0}, 1;\n", in);
  };
  std::string text = counted(count.warps);
  if (code_.lanes_may_part()) text = RecordCode::find_leader() + "@%wl_p " + text + counted(count.threads);
  code_.at_end(segment, std::move(text));
  counted_.push_back(s);
  counts_.push_back(std::move(count));
}

/// Returns the code that writes the counts to the frame, where the recorder reads them.
std::string RecordTotals::hand_over_counts() const {
  if (counts_.empty()) return {};
  std::string text = code_.lanes_may_part() ? "" : RecordCode::find_leader();
  for (std::size_t c = 0; c < counts_.size(); ++c) {
    const auto store = [&](const std::string& from, std::size_t member, bool leader_alone) {
      std::string value = from;
      if (counts_[c].bit)
        text += fmt::format("bfe.u32 %wl_narrow, {}, {}, 1;\n", std::exchange(value, "%wl_narrow"),
                            *counts_[c].bit);
      if (leader_alone)
        text += fmt::format("selp.b32 %wl_narrow, {}, 0, %wl_p;\n", std::exchange(value, "%wl_narrow"));
      text += fmt::format("st.local.b32 {}, {};\n", RecordCode::field(code_.count_offset(c), member), value);
    };
    store(counts_[c].warps, offsetof(RecordCount, warps), !code_.lanes_may_part());
    store(code_.lanes_may_part() ? counts_[c].threads : counts_[c].warps, offsetof(RecordCount, threads),
          false);
  }
  if (!code_.part.is_one_of_several) {
    return text + RecordCode::call("warplens_counts", fmt::format("{}", code_.count_offset(0)),
                                   fmt::format("{}", counts_.size()));
  }
  const std::uint64_t which = counts_.size() | std::uint64_t{code_.part.first_counted} << 16;
  return text + RecordCode::call("warplens_counts_of", fmt::format("{}", code_.count_offset(0)),
                                 fmt::format("{}", which));
}

/// What follows from another value by registers is in global memory, all of which lies in one window.
bool RecordTotals::follows_in_one_window(const Segment& segment) const {
  return code_.options.one_window &&
         std::all_of(segment.accesses.begin(), segment.accesses.end(), [](const AccessGroup& group) {
           return group.from_root.empty() || !group.wide || group.space == StateSpace::global;
         });
}

void RecordTotals::follow_run(std::uint32_t s, const std::vector<Sampled>& values) {
  const Segment& segment = code_.segments[s];
  // No phase is the one that is expected first, so that the first execution does not continue a run.
  Run run{s,
          code_.lanes_may_part() ? code_.new_register("b32", "0") : std::string(),
          code_.new_register("b32", "0"),
          code_.new_register("b32", "-1"),
          code_.new_register("b32", "0"),
          values,
          {}};
  for (const Operand& invariant : segment.invariants) {
    const int bits = 8 * size_of(code_.function.registers[static_cast<std::uint32_t>(invariant.reg)].type);
    const bool by_low_half = bits == 64 && follows_in_one_window(segment);
    run.invariants.push_back({code_.name_of_register(invariant),
                              code_.new_register(bits == 64 && !by_low_half ? "b64" : "b32", "0"), bits,
                              by_low_half});
  }
  std::string text = fmt::format("setp.ne.b32 %wl_p, %wl_phase, {};\n", run.next_phase);
  if (code_.lanes_may_part()) text += fmt::format("setp.ne.or.b32 %wl_p, %wl_mask, {}, %wl_p;\n", run.mask);
  for (const auto& [name, kept, bits, by_low_half] : run.invariants) {
    if (by_low_half) text += fmt::format("cvt.u32.u64 %wl_narrow, {};\n", name);
    text += fmt::format("setp.ne.or.b{} %wl_p, {}, {}, %wl_p;\n", by_low_half ? 32 : bits,
                        by_low_half ? "%wl_narrow" : name, kept);
  }
  for (const Sampled& value : values) {
    if (value.follows != nullptr) continue;
    if (value.by_low_half) text += fmt::format("cvt.u32.u64 %wl_narrow, {};\n", value.now);
    text += fmt::format("setp.ne.or.{} %wl_p, {}, {}, %wl_p;\n", value.run_bits(),
                        value.by_low_half ? "%wl_narrow" : value.now, value.next);
  }
  text += fmt::format("vote.sync.any.pred %wl_p, %wl_p, {};\n", code_.mask());
  text += code_.if_rare(
      std::to_string(s), "%wl_p",
      store_values(code_, s, values) + store_run(run) + code_.call("warplens_turn", s) + load_run(run));
  text += fmt::format("add.u32 {0}, {0}, 1;\nadd.u32 {1}, {1}, {2};\n", run.executions, run.next_phase,
                      run.phase_step);
  for (const Sampled& value : values) {
    if (value.follows == nullptr)
      text +=
          fmt::format("add.{0} {1}, {1}, {2};\n", value.runs_wide() ? "u64" : "u32", value.next, value.step);
  }
  code_.at_end(segment, std::move(text));
  runs_.push_back(std::move(run));
}

/// What the recorder reads of a run's registers. Steps of 32-bit values are kept with their sign.
std::string RecordTotals::store_run(const Run& run) const {
  const std::uint32_t state = code_.state_offset(run.segment);
  std::string text, mask = run.mask;
  if (mask.empty()) {
    text =
        fmt::format("setp.ne.b32 %wl_p, {}, 0;\nselp.b32 %wl_narrow, %wl_mask, 0, %wl_p;\n", run.executions);
    mask = "%wl_narrow";
  }
  text += fmt::format("st.local.b32 {}, {};\n", RecordCode::field(state, offsetof(RecordState, mask)), mask);
  text += fmt::format("st.local.b32 {}, {};\n", RecordCode::field(state, offsetof(RecordState, executions)),
                      run.executions);
  text += fmt::format("st.local.b32 {}, {};\n", RecordCode::field(state, offsetof(RecordState, phase_step)),
                      run.phase_step);
  for (std::size_t v = 0; v < run.values.size(); ++v) {
    const Sampled& value = run.values[v];
    if (value.follows != nullptr) continue;
    const std::string next =
        RecordCode::field(code_.value_offset(run.segment, v), offsetof(RecordValue, next));
    if (value.runs_wide()) {
      text += fmt::format("st.local.b64 {}, {};\n", next, value.next);
    } else {
      text += fmt::format("cvt.u64.u32 %wl_wide, {};\nst.local.b64 {}, %wl_wide;\n", value.next, next);
    }
  }
  return text;
}

std::string RecordTotals::load_run(const Run& run) const {
  const std::uint32_t state = code_.state_offset(run.segment);
  std::string text;
  const std::pair<const std::string&, std::size_t> fields[] = {
      {run.mask, offsetof(RecordState, mask)},
      {run.executions, offsetof(RecordState, executions)},
      {run.next_phase, offsetof(RecordState, next_phase)},
      {run.phase_step, offsetof(RecordState, phase_step)}};
  for (const auto& [name, offset] : fields) {
    if (!name.empty()) text += fmt::format("ld.local.b32 {}, {};\n", name, RecordCode::field(state, offset));
  }
  for (std::size_t v = 0; v < run.values.size(); ++v) {  // Little-endian: the low half is a 32-bit value's
    const Sampled& value = run.values[v];
    if (value.follows != nullptr) continue;
    const std::uint32_t at = code_.value_offset(run.segment, v);
    text += fmt::format("ld.local.{} {}, {};\n", value.run_bits(), value.next,
                        RecordCode::field(at, offsetof(RecordValue, next)));
    text += fmt::format("ld.local.{} {}, {};\n", value.run_bits(), value.step,
                        RecordCode::field(at, offsetof(RecordValue, step)));
  }
  for (const auto& [name, kept, bits, by_low_half] : run.invariants) {
    text += by_low_half ? fmt::format("cvt.u32.u64 {}, {};\n", kept, name)
                        : fmt::format("mov.b{} {}, {};\n", bits, kept, name);
  }
  return text;
}

std::string RecordTotals::hand_over(std::size_t exit) const {
  std::string text;
  for (const Run& run : runs_) {
    text += fmt::format(
        "setp.ne.b32 %wl_p, {}, 0;\nvote.sync.any.pred %wl_p, %wl_p, {};\n@!%wl_p bra.uni WL_NONE_{}_{};\n",
        run.executions, code_.mask(), exit, run.segment);
    text += store_run(run) + code_.call("warplens_end", run.segment);
    text += fmt::format("WL_NONE_{}_{}:\n", exit, run.segment);
  }
  return text + hand_over_counts();
}

std::string RecordTotals::begin_anew() const {
  std::string text;
  for (const Run& run : runs_)
    text += fmt::format("mov.b32 {}, 0;\nmov.b32 {}, 0;\nmov.b32 {}, -1;\n", run.mask, run.executions,
                        run.next_phase);
  for (const Count& count : counts_)
    text += fmt::format("mov.b32 {}, 0;\nmov.b32 {}, 0;\n", count.warps, count.threads);
  return text;
}

}  // namespace warplens::ptx
