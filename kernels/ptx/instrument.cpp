#include "kernels/ptx/instrument.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "kernels/base/dim3.h"
#include "kernels/ptx/control_flow.h"
#include "kernels/ptx/flatten.h"
#include "kernels/ptx/parser.h"
#include "kernels/ptx/raise_target.h"
#include "kernels/ptx/record_frame.h"
#include "kernels/ptx/rewrite.h"
#include "kernels/ptx/statements.h"
#include "kernels/ptx/uniformity.h"

namespace warplens::ptx {
namespace {

using Kind = Operand::Kind;

constexpr std::uint32_t kAddressBytes = 4, kDistanceBytes = 8, kStateAlignment = 8, kCountBytes = sizeof(RecordCount);

/// A value of a segment that the code samples and compares: of a guard group, or of an access group.
struct Sampled {
  bool wide = false;
  bool by_low_half = false;              ///< 64 bits, of which the lower 32 are compared
  std::string now, next, step;           ///< Registers; of a value that follows from another's, none of its own
  const AccessGroup* follows = nullptr;  ///< Then that group, ..
  std::size_t root = 0;                  ///< .. and the value it follows from
  [[nodiscard]] const char* bits() const { return wide ? "b64" : "b32"; }
  [[nodiscard]] bool runs_wide() const { return wide && !by_low_half; }  ///< `next` and `step` have 64 bits
  [[nodiscard]] const char* run_bits() const { return runs_wide() ? "b64" : "b32"; }
};

class Instrumenter {
 public:
  /// A flat function; `place`: of its code in `text`.
  Instrumenter(std::string_view text, const Function& function, const FunctionText& place, const InstrumentOptions& options)
      : function_(function),
        place_(place),
        options_(options),
        flow_(analyse_control_flow(function)),
        parts_(find_partings(function, flow_)),
        code_(text, place) {
    result_.segments = find_segments(function, flow_);
  }

  Instrumented run() {
    list_variables();
    lay_out_frame();
    meet_at_joins();
    for (std::uint32_t s = 0; s < result_.segments.size(); ++s) instrument_segment(s);
    assemble();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool totals() const { return options_.mode == RecordMode::totals; }
  [[nodiscard]] const Instruction& instruction(std::uint32_t index) const { return function_.instructions[index]; }
  [[nodiscard]] const std::string& name_of_register(const Operand& operand) const {
    return function_.registers[static_cast<std::uint32_t>(operand.reg)].name;
  }
  /// In totals mode a segment in a loop keeps a run, in registers and in a state of its own.
  [[nodiscard]] bool keeps_run(const Segment& segment) const { return totals() && segment.in_loop && values_of(segment) != 0; }
  /// In totals mode of a segment without values the code counts the executions itself.
  [[nodiscard]] bool is_counted(const Segment& segment) const { return totals() && segment.counts_block && values_of(segment) == 0; }
  [[nodiscard]] bool lanes_may_part() const { return std::find(parts_.begin(), parts_.end(), true) != parts_.end(); }
  /// Those that go together. Where all do, always, the compiler is told so: that is cheaper.
  [[nodiscard]] const char* mask() const { return !lanes_may_part() && options_.threads_per_block % kWarpSize == 0 ? "-1" : "%wl_mask"; }
  [[nodiscard]] std::size_t values_of(const Segment& segment) const { return segment.accesses.size() + (totals() ? segment.guards.size() : 0); }

  void list_variables() {
    for (std::uint32_t v = 0; v < function_.variables.size(); ++v) {
      const StateSpace space = function_.variables[v].space;
      if (space == StateSpace::shared) result_.shared_variables.push_back(v);
      if (space == StateSpace::local) result_.local_variables.push_back(v);
    }
  }

  void lay_out_frame() {
    const auto addresses = result_.shared_variables.size() + result_.local_variables.size();
    std::uint32_t end = static_cast<std::uint32_t>(sizeof(RecordFrameHeader) + addresses * kAddressBytes);
    end = (end + kStateAlignment - 1) / kStateAlignment * kStateAlignment;
    counts_offset_ = end;
    for (const Segment& segment : result_.segments) end += is_counted(segment) ? kCountBytes : 0;
    std::uint32_t shared_bytes = 0;  // Of the state that segments without a run use in turn
    for (const Segment& segment : result_.segments) {
      const auto bytes =
          static_cast<std::uint32_t>(sizeof(RecordState) + values_of(segment) * sizeof(RecordValue) + segment.shifted.size() * kDistanceBytes);
      state_offsets_.push_back(end);
      if (keeps_run(segment)) {
        end += bytes;
      } else {
        shared_bytes = std::max(shared_bytes, bytes);
      }
    }
    for (std::size_t s = 0; s < result_.segments.size(); ++s) {
      if (!keeps_run(result_.segments[s])) state_offsets_[s] = end;
    }
    frame_bytes_ = end + shared_bytes;
  }

  std::string new_register(const char* type, const char* first_value = nullptr) {
    std::string name = fmt::format("%wl_{}", registers_++);
    declarations_ += fmt::format(".reg .{} {};\n", type, name);
    if (first_value != nullptr) start_ += fmt::format("mov.{} {}, {};\n", type, name, first_value);
    return name;
  }

  Sampled new_value(bool wide, bool by_low_half, bool in_run) {
    Sampled value{.wide = wide, .by_low_half = wide && by_low_half, .now = new_register(wide ? "b64" : "b32"), .next = {}, .step = {}};
    if (in_run) {
      value.next = new_register(value.run_bits(), "0");
      value.step = new_register(value.run_bits(), "0");
    }
    return value;
  }

  void instrument_segment(std::uint32_t s) {
    const Segment& segment = result_.segments[s];
    if (is_counted(segment)) count(s);
    if (values_of(segment) != 0) {
      const std::vector<Sampled> values = sample_values(segment);
      if (keeps_run(segment)) {
        follow_run(s, values);
      } else {
        call_each_time(s, values);
      }
    }
    const std::uint32_t last = segment.end - 1;
    if (segment.ends_outer_loop) code_.before(last, guarded(last, "add.u32 %wl_phase, %wl_phase, 1;\n"));
    if (segment.end == flow_.blocks[segment.block].end && parts_[segment.block]) code_.before(last, part(s));
    if (leaves(last)) finish_before(last);
    if (segment.ends_at_barrier) code_.after(last, "\n" + guarded(last, "add.u32 %wl_phase, %wl_phase, 1;\n"));
  }

  // The lanes that execute a piece of code together, by the rule of the replay: lanes that part at a branch meet at its immediate post-dominator. The
  // code itself keeps account of them, in %wl_mask, since the hardware lets lanes meet where it likes. What is done for all of them is done by
  // instructions with that mask, which wait for each other wherever the hardware has them.

  /// Where lanes meet that parted, those wait for each other that have not left. One register for each such block: who comes there; 0: nobody parted.
  void meet_at_joins() {
    joins_.resize(flow_.blocks.size());
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      const std::uint32_t join = flow_.blocks[b].immediate_post_dominator;
      if (!parts_[b] || join == kNoBlock || !joins_[join].empty()) continue;
      const std::string& awaited = joins_[join] = new_register("b32", "0");
      code_.before(flow_.blocks[join].first, fmt::format("setp.ne.b32 %wl_p, {0}, 0;\n@%wl_p vote.sync.ballot.b32 %wl_mask, 1, {0};\n"
                                                         "@%wl_p mov.b32 {0}, 0;\n",
                                                         awaited));
    }
  }

  /// At the end of a segment at which lanes may part: each goes on with those that go its way.
  [[nodiscard]] std::string part(std::uint32_t s) const {
    const Segment& segment = result_.segments[s];
    const Instruction& last = instruction(segment.end - 1);
    const Operand& guard = last.guard;
    const std::string holds = guard.kind == Kind::reg ? (guard.negated ? "!" : "") + name_of_register(guard) : "";
    std::string text;
    if (last.opcode == Opcode::brx_idx) {
      text = fmt::format("mov.b32 %wl_narrow, -1;\n{}mov.b32 %wl_narrow, {};\n", holds.empty() ? "" : "@" + holds + " ",
                         name_of_register(last.operands[0]));
      text += "match.any.sync.b32 %wl_narrow, %wl_narrow, %wl_mask;\nmov.b32 %wl_taken, 0;\n";
    } else {
      text = fmt::format("vote.sync.ballot.b32 %wl_taken, {}, %wl_mask;\n", holds);
      text += fmt::format("xor.b32 %wl_narrow, %wl_taken, %wl_mask;\n@{} mov.b32 %wl_narrow, %wl_taken;\n", holds);
    }
    text += "setp.ne.b32 %wl_p, %wl_narrow, %wl_mask;\n";
    if (const std::uint32_t join = flow_.blocks[segment.block].immediate_post_dominator; join != kNoBlock) {
      text += fmt::format("setp.eq.and.b32 %wl_q, {0}, 0, %wl_p;\n@%wl_q mov.b32 {0}, %wl_mask;\n", joins_[join]);
    }
    if (!totals()) {
      text += "and.pred %wl_p, %wl_p, %wl_chosen;\n@!%wl_p bra.uni " + fmt::format("WL_TOGETHER_{};\n", s);
      text += around_log(call("warplens_part", "%wl_narrow", "%wl_taken")) + fmt::format("WL_TOGETHER_{}:\n", s);
    }
    return text + "mov.b32 %wl_mask, %wl_narrow;\n";
  }

  /// Guards first, as in the frame.
  std::vector<Sampled> sample_values(const Segment& segment) {
    std::vector<Sampled> values;
    if (totals()) {
      for (const GuardGroup& group : segment.guards) {
        values.push_back(new_value(false, false, keeps_run(segment)));
        code_.before(group.instructions.front(), select(values.back(), "0", group.guard));
      }
    }
    const std::size_t guards = values.size();
    for (const AccessGroup& group : segment.accesses) {
      if (group.root) {
        values.push_back({.wide = group.wide, .now = {}, .next = {}, .step = {}, .follows = &group, .root = guards + *group.root});
        continue;
      }
      values.push_back(new_value(group.wide, options_.one_window && group.space == StateSpace::global, keeps_run(segment)));
      code_.before(group.members.front().instruction, sample_address(values.back(), group));
    }
    return values;
  }

  [[nodiscard]] std::string sample_address(const Sampled& value, const AccessGroup& group) {
    std::string address;
    std::string text;
    switch (group.address.address_base) {
      case Kind::reg: address = name_of_register(group.address); break;
      case Kind::variable:
        address = value.now;
        text = fmt::format("mov.u64 {}, {};\n", value.now, function_.variables[group.address.variable].name);
        break;
      default:
        address = value.now;
        text = fmt::format("mov.{} {}, {};\n", value.bits(), value.now, group.address.bits);
        break;
    }
    if (group.address.offset != 0) {
      text += fmt::format("add.s{} {}, {}, {};\n", value.wide ? 64 : 32, value.now, address, group.address.offset);
      address = value.now;
    }
    if (group.guard.kind == Kind::reg) return text + select(value, address, group.guard);
    return text + (address == value.now ? "" : fmt::format("mov.{} {}, {};\n", value.bits(), value.now, address));
  }

  /// kNoLane where the guard does not hold.
  [[nodiscard]] std::string select(const Sampled& value, const std::string& if_holds, const Operand& guard) const {
    return guard.negated ? fmt::format("selp.{} {}, -1, {}, {};\n", value.bits(), value.now, if_holds, name_of_register(guard))
                         : fmt::format("selp.{} {}, {}, -1, {};\n", value.bits(), value.now, if_holds, name_of_register(guard));
  }

  [[nodiscard]] std::string guarded(std::uint32_t index, const std::string& text) const {
    const Operand& guard = instruction(index).guard;
    return guard.kind == Kind::reg ? fmt::format("@{}{} {}", guard.negated ? "!" : "", name_of_register(guard), text) : text;
  }

  /// Code at the end of a segment stands before what leaves it, and behind what does not.
  void at_end(const Segment& segment, std::string text) {
    const std::uint32_t last = segment.end - 1;
    const Opcode opcode = instruction(last).opcode;
    const bool leads_away = opcode == Opcode::bra || opcode == Opcode::brx_idx || opcode == Opcode::trap || opcode == Opcode::bar ||
                            opcode == Opcode::barrier || leaves(last);
    if (leads_away) {
      code_.before(last, std::move(text));
    } else {
      code_.after(last, "\n" + std::move(text));
    }
  }
  [[nodiscard]] bool leaves(std::uint32_t index) const {
    return instruction(index).opcode == Opcode::ret || instruction(index).opcode == Opcode::exit;
  }

  [[nodiscard]] static std::string field(std::uint32_t offset, std::size_t member) {
    return fmt::format("[wl_frame+{}]", offset + static_cast<std::uint32_t>(member));
  }
  [[nodiscard]] std::uint32_t value_offset(std::uint32_t s, std::size_t value) const {
    return static_cast<std::uint32_t>(state_offsets_[s] + sizeof(RecordState) + value * sizeof(RecordValue));
  }
  /// A value with 64 bits in a register: code that makes it, and the register's name.
  [[nodiscard]] std::pair<std::string, std::string> widened(const std::vector<Sampled>& values, std::size_t v) const {
    const Sampled& value = values[v];
    if (value.follows != nullptr) return {work_out(value, values[value.root].now), "%wl_wide"};
    if (value.wide) return {"", value.now};
    // Zero-extended, and kNoLane32 becomes kNoLane
    return {fmt::format("cvt.u64.u32 %wl_wide, {0};\nsetp.eq.u32 %wl_p, {0}, -1;\nselp.b64 %wl_wide, -1, %wl_wide, %wl_p;\n", value.now), "%wl_wide"};
  }
  [[nodiscard]] std::string store_now(std::uint32_t s, const std::vector<Sampled>& values) const {
    std::string text;
    for (std::size_t v = 0; v < values.size(); ++v) {
      const auto [code, name] = widened(values, v);
      text += code + fmt::format("st.local.b64 {}, {};\n", field(value_offset(s, v), offsetof(RecordValue, now)), name);
    }
    return text + store_distances(s);
  }
  [[nodiscard]] std::string store_distances(std::uint32_t s) const {
    const Segment& segment = result_.segments[s];
    std::string text;
    for (std::size_t d = 0; d < segment.shifted.size(); ++d) {
      const AccessGroup& group = segment.shifted[d];
      text += fmt::format("mov.b{} {}, {};\n", group.wide ? 64 : 32, group.wide ? "%wl_wide" : "%wl_narrow", group.distance) + add_terms(group);
      if (!group.wide) text += "cvt.s64.s32 %wl_wide, %wl_narrow;\n";
      text += fmt::format("st.local.b64 {}, %wl_wide;\n", field(value_offset(s, values_of(segment)), d * kDistanceBytes));
    }
    return text;
  }
  /// To %wl_wide, or %wl_narrow.
  [[nodiscard]] std::string add_terms(const AccessGroup& group) const {
    std::string text;
    for (const Term& term : group.from_root) {
      text += fmt::format("mad.lo.s{0} {1}, {2}, {3}, {1};\n", group.wide ? 64 : 32, group.wide ? "%wl_wide" : "%wl_narrow",
                          name_of_register(term.reg), term.factor);
    }
    return text;
  }

  /// To %wl_wide: a value that follows from `root`.
  [[nodiscard]] std::string work_out(const Sampled& value, const std::string& root) const {
    const char* const bits = value.wide ? "64" : "32";
    std::string text = fmt::format("add.s{} {}, {}, {};\n", bits, value.wide ? "%wl_wide" : "%wl_narrow", root, value.follows->distance);
    text += add_terms(*value.follows);
    if (!value.wide) text += "cvt.u64.u32 %wl_wide, %wl_narrow;\n";
    if (value.follows->guard.kind == Kind::reg)
      text += fmt::format("setp.eq.b{0} %wl_p, {1}, -1;\nselp.b64 %wl_wide, -1, %wl_wide, %wl_p;\n", bits, root);
    return text;
  }

  [[nodiscard]] std::string call(const char* function, std::uint32_t s) const {
    return call(function, fmt::format("{}", state_offsets_[s]), fmt::format("{}", s));
  }
  [[nodiscard]] static std::string call(const char* function, const std::string& second, const std::string& third) {
    return fmt::format(
        "st.local.b32 [wl_frame+{3}], %wl_phase;\n"
        "{{\n.param .b64 wl_a;\nst.param.b64 [wl_a], %wl_frame;\n.param .b32 wl_b;\nst.param.b32 [wl_b], {1};\n"
        ".param .b32 wl_c;\nst.param.b32 [wl_c], {2};\n.param .b32 wl_d;\nst.param.b32 [wl_d], %wl_mask;\n"
        "call.uni {0}, (wl_a, wl_b, wl_c, wl_d);\n}}\nld.local.b32 %wl_phase, [wl_frame+{3}];\n",
        function, second, third, offsetof(RecordFrameHeader, phase));
  }

  /// Code that is rarely needed stands behind the kernel's own.
  [[nodiscard]] std::string if_rare(std::uint32_t s, const char* predicate, const std::string& code) {
    rare_ += fmt::format("WL_SLOW_{0}:\n{1}bra.uni WL_BACK_{0};\n", s, code);
    return fmt::format("@{1} bra.uni WL_SLOW_{0};\nWL_BACK_{0}:\n", s, predicate);
  }

  void call_each_time(std::uint32_t s, const std::vector<Sampled>& values) {
    const std::string stored = store_now(s, values);
    at_end(result_.segments[s], totals() ? stored + call("warplens_once", s)
                                         : if_rare(s, "%wl_chosen", log_directly(s, values) + stored + around_log(call("warplens_event", s))));
  }

  // Events. Where the whole warp goes together, knows where its log goes on, and has room there, the code writes it itself; else the recorder does.

  static constexpr std::uint32_t kBytesOfValue = kWarpSize * 8, kToldBits = 32;

  /// And goes back; or falls through to what calls the recorder.
  [[nodiscard]] std::string log_directly(std::uint32_t s, const std::vector<Sampled>& values) {
    const Segment& segment = result_.segments[s];
    const bool has_distances = !segment.shifted.empty();
    const bool may_be_elsewhere = std::any_of(segment.accesses.begin(), segment.accesses.end(), [&](const AccessGroup& group) {
      return group.space == StateSpace::generic || (has_distances && group.guard.kind == Kind::reg);  // What is noted once may not have been
    });
    if (may_be_elsewhere || (has_distances && told_ == kToldBits)) return {};
    const std::size_t size = sizeof(EventHeader) + values.size() * kBytesOfValue;
    std::string text = fmt::format("add.u64 %wl_at, %wl_log, {};\nsetp.gt.u64 %wl_p, %wl_at, %wl_log_end;\n", size);
    if (lanes_may_part()) {
      text += "setp.ne.or.b32 %wl_p, %wl_mask, %wl_all, %wl_p;\nsetp.eq.or.b64 %wl_p, %wl_log, -1, %wl_p;\n";
      text += "match.all.sync.b32 %wl_narrow|%wl_q, %wl_phase, %wl_mask;\nnot.pred %wl_q, %wl_q;\nor.pred %wl_p, %wl_p, %wl_q;\n";
    }
    std::string tell;
    if (has_distances) {  // The recorder notes them when it is called for the first time
      const std::uint32_t bit = 1u << told_++;
      text += fmt::format("and.b32 %wl_narrow, %wl_told, {};\nsetp.eq.or.b32 %wl_p, %wl_narrow, 0, %wl_p;\n", bit);
      tell = fmt::format("or.b32 %wl_told, %wl_told, {};\n", bit);
    }
    text += fmt::format("vote.sync.any.pred %wl_p, %wl_p, {};\n@%wl_p bra.uni WL_ASK_{};\nadd.u64 %wl_at, %wl_log, %wl_own;\n", mask(), s);
    for (std::size_t v = 0; v < values.size(); ++v) {
      const auto [code, name] = widened(values, v);
      text += code + fmt::format("st.global.b64 [%wl_at+{}], {};\n", v * kBytesOfValue, name);
    }
    text += fmt::format(
        "mov.b32 %wl_narrow, {};\nmov.b32 %wl_taken, 0;\n@%wl_leads st.global.v4.b32 [%wl_log], {{%wl_narrow, %wl_mask, %wl_phase, "
        "%wl_taken}};\nadd.u64 %wl_log, %wl_log, {};\nbra.uni WL_BACK_{};\nWL_ASK_{}:\n",
        s, size, s, s);
    return text + tell;
  }
  /// A call that needs to know where the log goes on, and says so afterwards.
  [[nodiscard]] static std::string around_log(const std::string& call) {
    const std::string at = field(0, offsetof(RecordFrameHeader, log_at));
    return fmt::format("st.local.b64 {}, %wl_log;\n{}ld.local.b64 %wl_log, {};\n", at, call, at);
  }
  /// Before threads leave: how much of the log the whole warp has written. Parts of it have said so already.
  [[nodiscard]] std::string say_what_log_takes() const {
    std::string text = "and.pred %wl_p, %wl_chosen, %wl_leads;\n";
    if (lanes_may_part())
      text +=
          "setp.eq.and.b32 %wl_p, %wl_mask, %wl_all, %wl_p;\nsetp.ne.b64 %wl_q, %wl_log, -1;\n"
          "vote.sync.all.pred %wl_q, %wl_q, %wl_mask;\nand.pred %wl_p, %wl_p, %wl_q;\n";
    return text + fmt::format(
                      "ld.local.b64 %wl_wide, {};\nsub.u64 %wl_at, %wl_log, %wl_wide;\nld.local.b64 %wl_wide, {};\n"
                      "@%wl_p st.global.b64 [%wl_wide], %wl_at;\n",
                      field(0, offsetof(RecordFrameHeader, log_begin)), field(0, offsetof(RecordFrameHeader, log_used)));
  }

  struct Count {
    std::string warps, threads;  ///< Registers. Where lanes may part each counts its own, and the lowest that of the warp; else all count the same
    std::optional<int> bit;      ///< Of these registers, if the segment is executed once at most; else all of them
  };
  void count(std::uint32_t s) {
    const bool once = !result_.segments[s].in_loop;
    constexpr int kBits = 32;
    if (once && bits_left_ == 0) {
      bits_left_ = kBits;
      visits_ = {new_register("b32", "0"), lanes_may_part() ? new_register("b32", "0") : std::string(), {}};
    }
    Count count = once ? visits_ : Count{new_register("b32", "0"), lanes_may_part() ? new_register("b32", "0") : std::string(), {}};
    if (once) count.bit = --bits_left_;
    const auto counted = [&](const std::string& in) {
      return once ? fmt::format("or.b32 {0}, {0}, {1};\n", in, 1u << *count.bit) : fmt::format("add.u32 {0}, {0}, 1;\n", in);
    };
    std::string text = counted(count.warps);
    if (lanes_may_part()) text = find_leader() + "@%wl_p " + text + counted(count.threads);
    at_end(result_.segments[s], std::move(text));
    result_.counted.push_back(s);
    counts_.push_back(std::move(count));
  }
  /// %wl_p: of those that go together this is the lowest.
  [[nodiscard]] static std::string find_leader() {
    return "mov.u32 %wl_narrow, %lanemask_lt;\nand.b32 %wl_narrow, %wl_narrow, %wl_mask;\nsetp.eq.b32 %wl_p, %wl_narrow, 0;\n";
  }

  /// To the frame, where the recorder reads it.
  [[nodiscard]] std::string hand_over_counts() const {
    if (counts_.empty()) return {};
    std::string text = lanes_may_part() ? "" : find_leader();
    for (std::size_t c = 0; c < counts_.size(); ++c) {
      const std::uint32_t at = counts_offset_ + static_cast<std::uint32_t>(c) * kCountBytes;
      const auto store = [&](const std::string& from, std::size_t member, bool leader_alone) {
        std::string value = from;
        if (counts_[c].bit) text += fmt::format("bfe.u32 %wl_narrow, {}, {}, 1;\n", std::exchange(value, "%wl_narrow"), *counts_[c].bit);
        if (leader_alone) text += fmt::format("selp.b32 %wl_narrow, {}, 0, %wl_p;\n", std::exchange(value, "%wl_narrow"));
        text += fmt::format("st.local.b32 {}, {};\n", field(at, member), value);
      };
      store(counts_[c].warps, offsetof(RecordCount, warps), !lanes_may_part());
      store(lanes_may_part() ? counts_[c].threads : counts_[c].warps, offsetof(RecordCount, threads), false);
    }
    return text + call("warplens_counts", fmt::format("{}", counts_offset_), fmt::format("{}", counts_.size()));
  }

  struct Run {
    std::uint32_t segment = 0;
    std::string mask;  ///< A register, where lanes may part; else a run's lanes are all
    std::string executions, next_phase, phase_step;
    std::vector<Sampled> values;
    struct Invariant {
      std::string name, kept;  ///< A register of the kernel's, and where its value of the run's start is kept
      int bits = 64;
      bool by_low_half = false;
    };
    std::vector<Invariant> invariants;
  };

  /// What follows from another value by registers is in global memory, all of which lies in one window.
  [[nodiscard]] bool follows_in_one_window(const Segment& segment) const {
    return options_.one_window && std::all_of(segment.accesses.begin(), segment.accesses.end(), [](const AccessGroup& group) {
             return group.from_root.empty() || !group.wide || group.space == StateSpace::global;
           });
  }

  void follow_run(std::uint32_t s, const std::vector<Sampled>& values) {
    // No phase is the one that is expected first, so that the first execution does not continue a run.
    Run run{s,
            lanes_may_part() ? new_register("b32", "0") : std::string(),
            new_register("b32", "0"),
            new_register("b32", "-1"),
            new_register("b32", "0"),
            values,
            {}};
    for (const Operand& invariant : result_.segments[s].invariants) {
      const int bits = 8 * size_of(function_.registers[static_cast<std::uint32_t>(invariant.reg)].type);
      const bool by_low_half = bits == 64 && follows_in_one_window(result_.segments[s]);
      run.invariants.push_back({name_of_register(invariant), new_register(bits == 64 && !by_low_half ? "b64" : "b32", "0"), bits, by_low_half});
    }
    std::string text = fmt::format("setp.ne.b32 %wl_p, %wl_phase, {};\n", run.next_phase);
    if (lanes_may_part()) text += fmt::format("setp.ne.or.b32 %wl_p, %wl_mask, {}, %wl_p;\n", run.mask);
    for (const auto& [name, kept, bits, by_low_half] : run.invariants) {
      if (by_low_half) text += fmt::format("cvt.u32.u64 %wl_narrow, {};\n", name);
      text += fmt::format("setp.ne.or.b{} %wl_p, {}, {}, %wl_p;\n", by_low_half ? 32 : bits, by_low_half ? "%wl_narrow" : name, kept);
    }
    for (const Sampled& value : values) {
      if (value.follows != nullptr) continue;
      if (value.by_low_half) text += fmt::format("cvt.u32.u64 %wl_narrow, {};\n", value.now);
      text += fmt::format("setp.ne.or.{} %wl_p, {}, {}, %wl_p;\n", value.run_bits(), value.by_low_half ? "%wl_narrow" : value.now, value.next);
    }
    text += fmt::format("vote.sync.any.pred %wl_p, %wl_p, {};\n", mask());
    text += if_rare(s, "%wl_p", store_now(s, values) + store_run(run) + call("warplens_turn", s) + load_run(run));
    text += fmt::format("add.u32 {0}, {0}, 1;\nadd.u32 {1}, {1}, {2};\n", run.executions, run.next_phase, run.phase_step);
    for (const Sampled& value : values) {
      if (value.follows == nullptr) text += fmt::format("add.{0} {1}, {1}, {2};\n", value.runs_wide() ? "u64" : "u32", value.next, value.step);
    }
    at_end(result_.segments[s], std::move(text));
    runs_.push_back(run);
  }

  /// What the recorder reads of a run's registers. Steps of 32-bit values are kept with their sign.
  [[nodiscard]] std::string store_run(const Run& run) const {
    const std::uint32_t state = state_offsets_[run.segment];
    std::string text, mask = run.mask;
    if (mask.empty()) {
      text = fmt::format("setp.ne.b32 %wl_p, {}, 0;\nselp.b32 %wl_narrow, %wl_mask, 0, %wl_p;\n", run.executions);
      mask = "%wl_narrow";
    }
    text += fmt::format("st.local.b32 {}, {};\n", field(state, offsetof(RecordState, mask)), mask);
    text += fmt::format("st.local.b32 {}, {};\n", field(state, offsetof(RecordState, executions)), run.executions);
    text += fmt::format("st.local.b32 {}, {};\n", field(state, offsetof(RecordState, phase_step)), run.phase_step);
    for (std::size_t v = 0; v < run.values.size(); ++v) {
      const Sampled& value = run.values[v];
      if (value.follows != nullptr) continue;
      const std::string next = field(value_offset(run.segment, v), offsetof(RecordValue, next));
      if (value.runs_wide()) {
        text += fmt::format("st.local.b64 {}, {};\n", next, value.next);
      } else {
        text += fmt::format("cvt.u64.u32 %wl_wide, {};\nst.local.b64 {}, %wl_wide;\n", value.next, next);
      }
    }
    return text;
  }

  [[nodiscard]] std::string load_run(const Run& run) const {
    const std::uint32_t state = state_offsets_[run.segment];
    std::string text;
    const std::pair<const std::string&, std::size_t> fields[] = {{run.mask, offsetof(RecordState, mask)},
                                                                 {run.executions, offsetof(RecordState, executions)},
                                                                 {run.next_phase, offsetof(RecordState, next_phase)},
                                                                 {run.phase_step, offsetof(RecordState, phase_step)}};
    for (const auto& [name, offset] : fields)
      if (!name.empty()) text += fmt::format("ld.local.b32 {}, {};\n", name, field(state, offset));
    for (std::size_t v = 0; v < run.values.size(); ++v) {  // Little-endian: the low half is a 32-bit value's
      const Sampled& value = run.values[v];
      if (value.follows != nullptr) continue;
      text += fmt::format("ld.local.{} {}, {};\n", value.run_bits(), value.next, field(value_offset(run.segment, v), offsetof(RecordValue, next)));
      text += fmt::format("ld.local.{} {}, {};\n", value.run_bits(), value.step, field(value_offset(run.segment, v), offsetof(RecordValue, step)));
    }
    for (const auto& [name, kept, bits, by_low_half] : run.invariants) {
      text += by_low_half ? fmt::format("cvt.u32.u64 {}, {};\n", kept, name) : fmt::format("mov.b{} {}, {};\n", bits, kept, name);
    }
    return text;
  }

  /// Where threads leave, what their runs have counted is handed over. The runs are known only when all segments are done: assemble() puts them in.
  void finish_before(std::uint32_t index) { exits_.push_back(index); }

  [[nodiscard]] std::string finish(std::uint32_t index, std::size_t exit) const {
    std::string text;
    const Operand& guard = instruction(index).guard;
    const bool is_guarded = guard.kind == Kind::reg;
    if (is_guarded) text += fmt::format("@{}{} bra WL_STAY_{};\n", guard.negated ? "" : "!", name_of_register(guard), exit);
    for (const Run& run : runs_) {
      text += fmt::format("setp.ne.b32 %wl_p, {}, 0;\nvote.sync.any.pred %wl_p, %wl_p, {};\n@!%wl_p bra.uni WL_NONE_{}_{};\n", run.executions, mask(),
                          exit, run.segment);
      text += store_run(run) + call("warplens_end", run.segment);
      text += fmt::format("WL_NONE_{}_{}:\n", exit, run.segment);
    }
    text += totals() ? hand_over_counts() : say_what_log_takes();
    if (is_guarded) text += fmt::format("WL_STAY_{}:\n", exit);
    return text;
  }

  [[nodiscard]] std::string prologue() const {
    std::string text = "activemask.b32 %wl_mask;\nmov.u32 %wl_phase, 0;\nmov.u64 %wl_frame, wl_frame;\ncvta.local.u64 %wl_frame, %wl_frame;\n";
    std::uint32_t at = sizeof(RecordFrameHeader);
    for (const auto* const list : {&result_.shared_variables, &result_.local_variables}) {
      for (const std::uint32_t v : *list) {
        text += fmt::format("mov.u64 %wl_wide, {};\ncvt.u32.u64 %wl_narrow, %wl_wide;\nst.local.b32 [wl_frame+{}], %wl_narrow;\n",
                            function_.variables[v].name, at);
        at += kAddressBytes;
      }
    }
    if (options_.choose_blocks || !totals()) {
      text += "{\n.param .b64 wl_a;\nst.param.b64 [wl_a], %wl_frame;\ncall.uni warplens_begin, (wl_a);\n}\n";
      text +=
          fmt::format("ld.local.b32 %wl_narrow, [wl_frame+{}];\nsetp.ne.b32 %wl_chosen, %wl_narrow, -1;\n", offsetof(RecordFrameHeader, event_warp));
    }
    if (!totals()) {
      text += fmt::format("ld.local.b64 %wl_log, {};\nld.local.b64 %wl_log_end, {};\nld.local.b32 %wl_all, {};\n",
                          field(0, offsetof(RecordFrameHeader, log_at)), field(0, offsetof(RecordFrameHeader, log_end)),
                          field(0, offsetof(RecordFrameHeader, all_lanes)));
      text += fmt::format(
          "mov.u32 %wl_narrow, %laneid;\nsetp.eq.u32 %wl_leads, %wl_narrow, 0;\nmul.wide.u32 %wl_own, %wl_narrow, 8;\n"
          "add.u64 %wl_own, %wl_own, {};\nmov.b32 %wl_told, 0;\n",
          sizeof(EventHeader));
    }
    if (options_.choose_blocks) {
      for (std::uint32_t d = 0; d < 3; ++d) {
        text += fmt::format("ld.local.b32 %wl_ctaid_{}, [wl_frame+{}];\n", "xyz"[d], offsetof(RecordFrameHeader, block) + 4 * d);
        text += fmt::format("ld.local.b32 %wl_nctaid_{}, [wl_frame+{}];\n", "xyz"[d], offsetof(RecordFrameHeader, grid) + 4 * d);
      }
    }
    return text + start_;
  }

  [[nodiscard]] std::string declarations() const {
    std::string text = fmt::format(
        "\n.local .align 8 .b8 wl_frame[{}];\n.reg .pred %wl_p, %wl_q, %wl_chosen;\n.reg .b32 %wl_mask, %wl_taken, %wl_phase, %wl_narrow;\n",
        frame_bytes_);
    text += ".reg .b64 %wl_frame, %wl_wide;\n";
    if (!totals()) text += ".reg .pred %wl_leads;\n.reg .b32 %wl_all, %wl_told;\n.reg .b64 %wl_log, %wl_log_end, %wl_own, %wl_at;\n";
    if (options_.choose_blocks) text += ".reg .b32 %wl_ctaid_x, %wl_ctaid_y, %wl_ctaid_z, %wl_nctaid_x, %wl_nctaid_y, %wl_nctaid_z;\n";
    return text + declarations_;
  }

  void assemble() {
    for (std::size_t e = 0; e < exits_.size(); ++e) code_.before(exits_[e], finish(exits_[e], e));
    code_.at_begin_of_body(declarations());
    code_.before_all(prologue());
    if (!rare_.empty()) code_.at_end_of_body("ret;\n" + rare_);  // The function's text may leave out its last one
    code_.limit_threads(function_, options_.threads_per_block);
    if (options_.choose_blocks) {  // What the code asks for its place in the grid is answered by the recorder
      code_.rename("%ctaid.", "%wl_ctaid_");
      code_.rename("%nctaid.", "%wl_nctaid_");
    }
    result_.text = code_.finish(recorder_functions());
  }

  static const char* recorder_functions() {
    return ".extern .func warplens_begin(.param .b64 wl_a);\n"
           ".extern .func warplens_turn(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
           ".extern .func warplens_once(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
           ".extern .func warplens_end(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
           ".extern .func warplens_counts(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
           ".extern .func warplens_event(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n"
           ".extern .func warplens_part(.param .b64 wl_a, .param .b32 wl_b, .param .b32 wl_c, .param .b32 wl_d);\n";
  }

  const Function& function_;
  const FunctionText& place_;
  const InstrumentOptions& options_;
  const ControlFlow flow_;
  const std::vector<bool> parts_;  ///< By block: whether lanes may part at its end
  Rewrite code_;
  Instrumented result_;
  std::vector<std::string> joins_;            ///< By block: a register, where lanes that part meet
  std::vector<std::uint32_t> state_offsets_;  ///< By segment, in the frame
  std::uint32_t counts_offset_ = 0, frame_bytes_ = 0;
  std::uint32_t registers_ = 0;
  std::string declarations_, start_;  ///< Of our registers; their first values
  std::string rare_;                  ///< Code behind the kernel's own, for what is rare
  std::vector<Run> runs_;
  Count visits_;               ///< Registers with bits for segments that are executed once at most, ..
  int bits_left_ = 0;          ///< .. of which so many are free
  std::vector<Count> counts_;  ///< Of the segments in Instrumented::counted
  std::vector<std::uint32_t> exits_;
  std::uint32_t told_ = 0;  ///< Bits of %wl_told in use: segments whose distances the recorder has noted
};

/// The variable of `to` that is `from`'s variable `v`, where their texts differ by the order of declarations and uses. Of the function's own and of
/// the module's, each kind has its order.
std::uint32_t same_variable(const Function& from, std::uint32_t v, const Function& to) {
  const bool of_module = from.variables[v].of_module;
  const auto is_alike = [of_module](const Variable& variable) { return variable.of_module == of_module; };
  auto before = std::count_if(from.variables.begin(), from.variables.begin() + v, is_alike);
  for (std::uint32_t i = 0;; ++i) {
    if (is_alike(to.variables[i]) && before-- == 0) return i;
  }
}

}  // namespace

Result<Instrumented> instrument(const Module& module, const Function& entry, const InstrumentOptions& options) {
  for (const Instruction& i : entry.instructions) {
    if (i.opcode != Opcode::call) continue;
    return Error{fmt::format("`{}` cannot be recorded on the GPU: what a called function accesses would be missing", i.text),
                 fmt::format("{}:{}", module.name, i.ptx_line), "Let the compiler inline it (__forceinline__)."};
  }
  const auto text_of = [&](std::string_view text) {
    const std::vector<FunctionText> places = locate_functions(text);
    const auto found = std::find_if(places.begin(), places.end(), [&](const FunctionText& f) { return f.name == entry.name && f.code != 0; });
    return found == places.end() ? FunctionText{} : *found;
  };
  std::string text = raise_target(module.text);
  FunctionText place = text_of(text);
  if (place.instructions.empty()) return Error{fmt::format("`{}` has no code", entry.plain_name), module.name, "Give the PTX that nvcc -ptx writes."};
  if (place.is_flat) return Instrumenter(text, entry, place, options).run();

  text = flatten(text, place);
  const Result<Module> flat = parse(text, module.name);
  if (!flat.ok()) return flat.error();
  const Function& same = *flat->find_entry(entry.name);
  Instrumented instrumented = Instrumenter(text, same, text_of(text), options).run();
  for (auto* const variables : {&instrumented.shared_variables, &instrumented.local_variables}) {
    for (std::uint32_t& v : *variables) v = same_variable(same, v, entry);
  }
  return instrumented;
}

}  // namespace warplens::ptx
