#include "kernels/ptx/instrument/instrument.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/ptx/calls.h"
#include "kernels/ptx/equivalent_blocks.h"
#include "kernels/ptx/flatten.h"
#include "kernels/ptx/grid_barrier.h"
#include "kernels/ptx/instrument/record_calls.h"
#include "kernels/ptx/instrument/record_code.h"
#include "kernels/ptx/instrument/record_events.h"
#include "kernels/ptx/instrument/record_frame.h"
#include "kernels/ptx/instrument/record_totals.h"
#include "kernels/ptx/instrument/record_values.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/parser.h"
#include "kernels/ptx/raise_target.h"
#include "kernels/ptx/statements.h"

namespace warplens::ptx {
namespace {

using Kind = Operand::Kind;

class Instrumenter {
 public:
  Instrumenter(std::string_view text, const Function& function, const FunctionText& place,
               const InstrumentOptions& options, const FunctionPart& which = {})
      : code_(text, function, place, options, which), begin_(prologue()) {}

  /// All but the text.
  Instrumented run() {
    meet_at_joins();
    for (std::uint32_t s = 0; s < code_.segments.size(); ++s) instrument_segment(s);
    if (code_.totals()) hand_over_before_calls();
    for (std::size_t e = 0; e < exits_.size(); ++e) code_.rewrite.before(exits_[e], finish(exits_[e], e));
    if (code_.options
            .choose_blocks) {  // What the code asks for its place in the grid is answered by the recorder
      code_.rewrite.rename("%ctaid.", "%wl_ctaid_");
      code_.rewrite.rename("%nctaid.", "%wl_nctaid_");
    }
    code_.finish(begin_);
    std::vector<Segment> segments = std::move(code_.segments);
    segments.insert(segments.end(), calls_.repeats().begin(), calls_.repeats().end());
    return {.text = {},
            .segments = std::move(segments),
            .counted = totals_.counted(),
            .shared_variables = code_.shared_variables,
            .local_variables = code_.local_variables,
            .functions = {},
            .together = find_equivalent_blocks(code_.flow)};
  }
  [[nodiscard]] Rewrite& rewrite() { return code_.rewrite; }

 private:
  /// Returns the code before all else, with the declarations that it needs.
  [[nodiscard]] std::string prologue() {
    std::string text = code_.part.is_called() ? "" : "activemask.b32 %wl_mask;\nmov.u32 %wl_phase, 0;\n";
    text += "mov.u64 %wl_frame, wl_frame;\ncvta.local.u64 %wl_frame, %wl_frame;\n";
    if (code_.part.waits_for_grid) {
      text +=
          "mov.u32 %wl_narrow, %envreg1;\nmov.u32 %wl_taken, %envreg2;\nmov.b64 %wl_workspace, {%wl_taken, "
          "%wl_narrow};\n";
    }
    std::uint32_t at = sizeof(RecordFrameHeader);
    for (const auto* const list : {&code_.shared_variables, &code_.local_variables}) {
      for (const std::uint32_t v : *list) {
        text += fmt::format(
            "mov.u64 %wl_wide, {};\ncvt.u32.u64 %wl_narrow, %wl_wide;\nst.local.b32 [wl_frame+{}], "
            "%wl_narrow;\n",
            code_.function.variables[v].name, at);
        at += kAddressBytes;
      }
    }
    const bool asks = code_.options.choose_blocks || !code_.totals();
    if (asks && !code_.part.is_called())
      text += "{\n.param .b64 wl_a;\nst.param.b64 [wl_a], %wl_frame;\ncall.uni warplens_begin, (wl_a);\n}\n";
    if (code_.part.is_one_of_several) text += calls_.enter();
    if (asks) {
      text +=
          fmt::format("ld.local.b32 %wl_narrow, [wl_frame+{}];\nsetp.ne.b32 %wl_chosen, %wl_narrow, -1;\n",
                      offsetof(RecordFrameHeader, event_warp));
    }
    if (!code_.totals()) text += events_.begin();
    if (code_.options.choose_blocks) text += find_block();
    return text;
  }
  /// The place in the grid that the recorder says.
  [[nodiscard]] std::string find_block() {
    code_.declare(
        ".reg .b32 %wl_ctaid_x, %wl_ctaid_y, %wl_ctaid_z, %wl_nctaid_x, %wl_nctaid_y, %wl_nctaid_z;\n");
    std::string text;
    for (std::uint32_t d = 0; d < 3; ++d) {
      text += fmt::format("ld.local.b32 %wl_ctaid_{}, [wl_frame+{}];\n", "xyz"[d],
                          offsetof(RecordFrameHeader, block) + 4 * d);
      text += fmt::format("ld.local.b32 %wl_nctaid_{}, [wl_frame+{}];\n", "xyz"[d],
                          offsetof(RecordFrameHeader, grid) + 4 * d);
    }
    return text;
  }

  void instrument_segment(std::uint32_t s) {
    const Segment& segment = code_.segments[s];
    if (code_.is_counted(segment)) totals_.count(s);
    if (code_.values_of(segment) != 0) record_values(s);
    for (const OperandGroup& group : segment.operands) {
      if (code_.totals()) code_.at_end(segment, hand_over_operands(code_, group, operands_++));
    }
    const std::uint32_t last = segment.end - 1;
    if (segment.ends_at_call) calls_.call(s);
    if (segment.ends_outer_loop)
      code_.rewrite.before(last, code_.guarded(last, "add.u32 %wl_phase, %wl_phase, 1;\n"));
    if (segment.end == code_.flow.blocks[segment.block].end && code_.parts[segment.block])
      code_.rewrite.before(last, part(s));
    if (code_.leaves(last)) exits_.push_back(last);
    if (segment.ends_at_barrier)
      code_.rewrite.after(last, "\n" + code_.guarded(last, "add.u32 %wl_phase, %wl_phase, 1;\n"));
  }
  void record_values(std::uint32_t s) {
    const Segment& segment = code_.segments[s];
    const std::vector<Sampled> values = sample_values(code_, segment);
    if (code_.keeps_run(segment)) {
      totals_.follow_run(s, values);
    } else if (code_.totals()) {
      code_.at_end(segment, store_values(code_, s, values) + code_.call("warplens_once", s));
    } else {
      events_.log(s, values);
    }
  }

  // The lanes that execute a piece of code together, by the rule of the replay: lanes that part at a branch
  // meet at its immediate post-dominator. The code itself keeps account of them, in %wl_mask, since the
  // hardware lets lanes meet where it likes. What is done for all of them is done by instructions with that
  // mask, which wait for each other wherever the hardware has them.

  /// Makes lanes that diverged wait, where they reconverge, for each other unless they have left. Each such
  /// block has one register: the lanes that come there; 0: they have not diverged.
  void meet_at_joins() {
    joins_.resize(code_.flow.blocks.size());
    for (std::uint32_t b = 0; b < code_.flow.blocks.size(); ++b) {
      const std::uint32_t join = code_.flow.blocks[b].immediate_post_dominator;
      if (!code_.parts[b] || join == kNoBlock || !joins_[join].empty()) continue;
      const std::string& awaited = joins_[join] = code_.new_register("b32", "0");
      std::string text =
          fmt::format("setp.ne.b32 %wl_p, {0}, 0;\n@%wl_p vote.sync.ballot.b32 %wl_mask, 1, {0};\n", awaited);
      if (!code_.totals()) {
        text += fmt::format("setp.ne.and.b32 %wl_q, %wl_mask, {}, %wl_p;\n", awaited);
        text += RecordEvents::say_who_met(code_, fmt::format("met_{}", join), awaited);
      }
      text += fmt::format("@%wl_p mov.b32 {}, 0;\n", awaited);
      if (code_.counts_loops()) {  // The warp is where the farthest of them is
        text +=
            "setp.eq.b32 %wl_q, 0, 0;\n@%wl_p match.all.sync.b32 %wl_narrow|%wl_q, %wl_phase, "
            "%wl_mask;\nnot.pred %wl_p, %wl_q;\n";
        text +=
            code_.if_rare(fmt::format("join_{}", join), "%wl_p", RecordCode::call("warplens_meet", "0", "0"));
      }
      code_.rewrite.before(code_.flow.blocks[join].first, std::move(text));
    }
  }

  /// Whether lanes that part at the end of `block` take turns that phases depend on: some go round outermost
  /// loops before others access memory, or go round some too. On the GPU nobody knows how often, until they
  /// have.
  [[nodiscard]] bool phases_depend_on_turns(std::uint32_t block) const {
    if (!code_.counts_loops()) return false;
    const BasicBlock& parting = code_.flow.blocks[block];
    const Instruction& last = code_.instruction(parting.end - 1);
    std::vector<std::uint32_t> ways = parting.successors;
    const bool takes_turns_as_written = effect_of(last) == Effect::branch;
    if (takes_turns_as_written) {  // Those that take the branch go first
      std::stable_partition(ways.begin(), ways.end(), [&](std::uint32_t way) {
        return way == code_.flow.block_of[last.operands[0].label];
      });
    }
    std::vector<Way> found;
    for (const std::uint32_t way : ways) found.push_back(follow(way, parting.immediate_post_dominator));
    for (std::size_t a = 0; a < found.size(); ++a) {
      for (std::size_t b = takes_turns_as_written ? a + 1 : 0; b < found.size(); ++b) {
        if (a != b && found[a].goes_round && (found[b].goes_round || found[b].accesses)) return true;
      }
    }
    return false;
  }
  struct Way {
    bool goes_round = false, accesses = false;
  };
  /// What may be done from the begin of a block on, before `join`.
  [[nodiscard]] Way follow(std::uint32_t begin, std::uint32_t join) const {
    Way way;
    std::vector<bool> seen(code_.flow.blocks.size());
    std::vector<std::uint32_t> todo{begin};
    while (!todo.empty()) {
      const std::uint32_t b = todo.back();
      todo.pop_back();
      if (b == join || seen[b]) continue;
      seen[b] = true;
      way.goes_round |= loops_[b].goes_round;
      way.accesses |= loops_[b].accesses;
      todo.insert(todo.end(), code_.flow.blocks[b].successors.begin(), code_.flow.blocks[b].successors.end());
    }
    return way;
  }
  [[nodiscard]] std::vector<Way> ways_of_blocks() const {
    std::vector<Way> blocks(code_.flow.blocks.size());
    for (const Segment& segment : code_.segments) {
      blocks[segment.block].goes_round |= segment.ends_outer_loop;
      blocks[segment.block].accesses |= !segment.accesses.empty() || segment.ends_at_call;
    }
    return blocks;
  }

  /// Returns the code at the end of a segment where lanes may diverge: each goes on with those that take its
  /// branch.
  [[nodiscard]] std::string part(std::uint32_t s) {
    const Segment& segment = code_.segments[s];
    const Instruction& last = code_.instruction(segment.end - 1);
    const Operand& guard = last.guard;
    const std::string holds =
        guard.kind == Kind::reg ? (guard.negated ? "!" : "") + code_.name_of_register(guard) : "";
    std::string text;
    if (effect_of(last) == Effect::indexed_branch) {
      text = fmt::format("mov.b32 %wl_narrow, -1;\n{}mov.b32 %wl_narrow, {};\n",
                         holds.empty() ? "" : "@" + holds + " ", code_.name_of_register(last.operands[0]));
      text += "match.any.sync.b32 %wl_narrow, %wl_narrow, %wl_mask;\nmov.b32 %wl_taken, 0;\n";
    } else {
      text = fmt::format("vote.sync.ballot.b32 %wl_taken, {}, %wl_mask;\n", holds);
      text += fmt::format("xor.b32 %wl_narrow, %wl_taken, %wl_mask;\n@{} mov.b32 %wl_narrow, %wl_taken;\n",
                          holds);
    }
    text += "setp.ne.b32 %wl_p, %wl_narrow, %wl_mask;\n";
    if (const std::uint32_t join = code_.flow.blocks[segment.block].immediate_post_dominator;
        join != kNoBlock) {
      text +=
          fmt::format("setp.eq.and.b32 %wl_q, {0}, 0, %wl_p;\n@%wl_q mov.b32 {0}, %wl_mask;\n", joins_[join]);
    }
    if (code_.totals()) {
      if (phases_depend_on_turns(segment.block)) {
        text += code_.if_rare(fmt::format("turns_{}", s), "%wl_p",
                              RecordCode::call("warplens_in_turn", "0", "0"));
      }
    } else {
      text += "and.pred %wl_p, %wl_p, %wl_chosen;\n@!%wl_p bra.uni " + fmt::format("WL_TOGETHER_{};\n", s);
      text += RecordEvents::around_log(RecordCode::call(
          leads_to_join(segment) ? "warplens_skip" : "warplens_part", "%wl_narrow", "%wl_taken"));
      text += fmt::format("WL_TOGETHER_{}:\n", s);
    }
    return text + "mov.b32 %wl_mask, %wl_narrow;\n";
  }

  /// Whether those that take the branch at its end are where they meet the others.
  [[nodiscard]] bool leads_to_join(const Segment& segment) const {
    const Instruction& last = code_.instruction(segment.end - 1);
    return effect_of(last) == Effect::branch && code_.flow.block_of[last.operands[0].label] ==
                                                    code_.flow.blocks[segment.block].immediate_post_dominator;
  }

  /// Threads that may not come back from a call leave nothing uncounted behind.
  void hand_over_before_calls() {
    std::size_t place = exits_.size();
    for (const Segment& segment : code_.segments) {
      const std::uint32_t last = segment.end - 1;
      if (code_.instruction(last).callee_may_exit)
        code_.before(last, totals_.hand_over(place++) + totals_.begin_anew());
    }
  }

  /// Returns the code before threads leave the function, or the kernel from wherever they are.
  [[nodiscard]] std::string finish(std::uint32_t index, std::size_t exit) const {
    const bool goes_back = code_.part.is_called() && code_.instruction(index).opcode != Opcode::exit;
    std::string text = code_.totals() ? totals_.hand_over(exit)
                       : goes_back    ? ""
                                      : events_.say_what_log_takes();
    if (goes_back) text += calls_.go_back(joins_);
    const Operand& guard = code_.instruction(index).guard;
    if (guard.kind != Kind::reg) return text;
    return fmt::format("@{0}{1} bra WL_STAY_{2};\n{3}WL_STAY_{2}:\n", guard.negated ? "" : "!",
                       code_.name_of_register(guard), exit, text);
  }

  RecordCode code_;
  RecordTotals totals_{code_};
  RecordEvents events_{code_};
  RecordCalls calls_{code_};
  std::string begin_;
  std::vector<Way> loops_ = ways_of_blocks();  ///< By block: what is done in it
  std::vector<std::string> joins_;             ///< By block: a register, where lanes that part meet
  std::uint32_t operands_ = 0;                 ///< Operand groups so far
  std::vector<std::uint32_t> exits_;
};

/// The variable of `to` that is `from`'s variable `v`, where their texts differ by the order of declarations
/// and uses. Of the function's own and of the module's, each kind has its order.
std::uint32_t same_variable(const Function& from, std::uint32_t v, const Function& to) {
  const bool of_module = from.variables[v].of_module;
  const auto is_alike = [of_module](const Variable& variable) { return variable.of_module == of_module; };
  auto before = std::count_if(from.variables.begin(), from.variables.begin() + v, is_alike);
  const auto same = std::find_if(to.variables.begin(), to.variables.end(),
                                 [&](const Variable& other) { return is_alike(other) && before-- == 0; });
  return static_cast<std::uint32_t>(same - to.variables.begin());
}

/// What is counted from a function's own begin, counted from the begin of all of them.
void place(Segment& segment, std::uint32_t first_instruction, std::uint32_t first_block) {
  segment.first += first_instruction;
  segment.end += first_instruction;
  segment.block += first_block;
  for (auto* const groups : {&segment.accesses, &segment.shifted}) {
    for (AccessGroup& group : *groups) {
      for (AccessGroup::Member& member : group.members) member.instruction += first_instruction;
    }
  }
  for (GuardGroup& group : segment.guards) {
    for (std::uint32_t& i : group.instructions) i += first_instruction;
  }
}

/// Adds a function to those before it.
void append(Instrumented& to, Instrumented from, std::uint32_t first_instruction) {
  const auto first_block = static_cast<std::uint32_t>(to.together.size()),
             first_segment = static_cast<std::uint32_t>(to.segments.size());
  for (Segment& segment : from.segments) {
    place(segment, first_instruction, first_block);
    to.segments.push_back(std::move(segment));
  }
  for (const std::uint32_t s : from.counted) to.counted.push_back(s + first_segment);
  for (const std::uint32_t b : from.together) to.together.push_back(b + first_block);
  to.functions.push_back({static_cast<std::uint32_t>(from.shared_variables.size()),
                          static_cast<std::uint32_t>(from.local_variables.size())});
  to.shared_variables.insert(to.shared_variables.end(), from.shared_variables.begin(),
                             from.shared_variables.end());
  to.local_variables.insert(to.local_variables.end(), from.local_variables.begin(),
                            from.local_variables.end());
  if (first_block != 0) to.entries.push_back(first_block);
}

FunctionText place_of(std::string_view text, std::string_view name) {
  const std::vector<FunctionText> places = locate_functions(text);
  const auto found = std::find_if(places.begin(), places.end(),
                                  [&](const FunctionText& f) { return f.name == name && f.code != 0; });
  return found == places.end() ? FunctionText{} : *found;
}
const Function& function_of(const Module& module, std::string_view name) {
  return *std::find_if(module.functions.begin(), module.functions.end(),
                       [&](const Function& f) { return f.name == name; });
}

bool any_waits_for_grid(const Function& whole) {
  return std::any_of(whole.instructions.begin(), whole.instructions.end(), reads_grid_workspace);
}

/// A kernel with the functions that it calls.
class SeveralFunctions {
 public:
  /// `text` is that of `module`, but for its target.
  SeveralFunctions(const Module& module, std::string text, const Function& entry,
                   const InstrumentOptions& options, std::span<const CalledFunction> called)
      : module_(module), text_(std::move(text)), options_(options), functions_{{entry.name, 0, {}}} {
    functions_.insert(functions_.end(), called.begin(), called.end());
    waits_for_grid_ = any_waits_for_grid(entry);
    has_barrier_ = std::any_of(entry.instructions.begin(), entry.instructions.end(), is_any_barrier);
  }

  Result<Instrumented> run() {
    if (auto error = check()) return std::move(*error);
    for (const CalledFunction& function : functions_) {
      if (const FunctionText place = place_of(text_, function.name); !place.is_flat)
        text_ = flatten(text_, place);
    }
    const Result<Module> flat = parse(text_, module_.name);
    if (!flat.ok()) return flat.error();
    std::vector<FunctionText> places;
    for (const CalledFunction& function : functions_) places.push_back(place_of(text_, function.name));
    Instrumented whole;
    std::vector<std::unique_ptr<Instrumenter>> all;
    std::vector<Rewrite*> rewrites;
    for (std::uint32_t f = 0; f < functions_.size(); ++f) {
      const FunctionPart which{.is_one_of_several = true,
                               .number = f,
                               .first_segment = static_cast<std::uint32_t>(whole.segments.size()),
                               .first_counted = static_cast<std::uint32_t>(whole.counted.size()),
                               .has_barrier = has_barrier_,
                               .waits_for_grid = waits_for_grid_};
      const Function& function = function_of(*flat, functions_[f].name);
      all.push_back(std::make_unique<Instrumenter>(text_, function, places[f], options_, which));
      Instrumented part = all.back()->run();
      for (auto* const variables : {&part.shared_variables, &part.local_variables}) {
        for (std::uint32_t& v : *variables)
          v = in_whole(f, same_variable(function, v, function_of(module_, functions_[f].name)));
      }
      append(whole, std::move(part), functions_[f].first_instruction);
      rewrites.push_back(&all.back()->rewrite());
    }
    whole.text = Rewrite::finish(RecordCode::declarations(true), rewrites);
    return whole;
  }

 private:
  [[nodiscard]] std::uint32_t in_whole(std::uint32_t f, std::uint32_t variable) const {
    return f == 0 ? variable : functions_[f].variables[variable];
  }

  [[nodiscard]] std::optional<Error> check() const {
    for (const CalledFunction& called : functions_) {
      const Function& function = function_of(module_, called.name);
      if (place_of(text_, called.name).code == 0) {
        return Error{tr("`{kernel}` has no code", "kernel"_a = called.name), module_.name,
                     tr("Give the PTX that nvcc -ptx writes.")};
      }
      for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
        const Instruction& instruction = function.instructions[i];
        if (!calls_code(instruction)) continue;
        const Operand& callee = instruction.operands[1];
        const auto is_callee = [&](const CalledFunction& other) { return other.name == callee.text; };
        if (callee.kind == Kind::function && std::none_of(functions_.begin(), functions_.end(), is_callee)) {
          return Error{
              tr("`{instruction}` cannot be recorded on the GPU: the file has no body of the function",
                 "instruction"_a = instruction.text),
              fmt::format("{}:{}", module_.name, instruction.ptx_line),
              tr("Let the compiler inline it (__forceinline__).")};
        }
        if (auto checked = check_call_sequence(module_, function, i); !checked.ok()) return checked.error();
      }
    }
    return std::nullopt;
  }

  const Module& module_;
  std::string text_;
  const InstrumentOptions& options_;
  std::vector<CalledFunction> functions_;  ///< The kernel first
  bool has_barrier_ = false, waits_for_grid_ = false;
};

/// Checks the accesses. The places of a matrix's pieces must be known.
Result<Done> check_accesses(const Module& module, const Function& entry, const InstrumentOptions& options,
                            std::span<const CalledFunction> called) {
  std::vector<const Function*> functions{&entry};
  for (const CalledFunction& one : called) functions.push_back(&function_of(module, one.name));
  for (const Function* const function : functions) {
    for (const Instruction& instruction : function->instructions) {
      const Effect effect = effect_of(instruction);
      const bool of_fragment = effect == Effect::load_fragment || effect == Effect::store_fragment;
      // Operands are recorded in the kernel itself, not in functions that it calls.
      const bool is_called = function != &entry && !recorded_operands(instruction).empty();
      // Accesses of a copy are derived from the map that the launch passes.
      const bool changes_map = effect == Effect::tensor_map;
      if (!of_fragment && !is_called && !changes_map) continue;
      if (of_fragment && options.pieces_of && !options.pieces_of(instruction).empty()) continue;
      return Error{tr("`{instruction}` cannot be recorded on the GPU", "instruction"_a = instruction.text),
                   fmt::format("{}:{}", module.name, instruction.ptx_line), tr("Record on the CPU.")};
    }
  }
  return Done{};
}

/// Code goes between the statements of the text: an instruction that none of them is has no place there.
Result<Done> check_statements(const Module& module, const Function& entry,
                              std::span<const CalledFunction> called) {
  std::vector<const Function*> functions{&entry};
  for (const CalledFunction& one : called) functions.push_back(&function_of(module, one.name));
  for (const Function* const function : functions) {
    const auto generated = std::ranges::find_if(function->instructions, &Instruction::is_generated);
    if (generated == function->instructions.end()) continue;
    const Instruction& written = *std::find_if_not(generated, function->instructions.end(),
                                                   [](const Instruction& i) { return i.is_generated; });
    return Error{tr("`{instruction}` cannot be recorded on the GPU", "instruction"_a = written.text),
                 fmt::format("{}:{}", module.name, written.ptx_line), tr("Record on the CPU.")};
  }
  return Done{};
}

}  // namespace

Result<Instrumented> instrument(const Module& module, const Function& entry, const InstrumentOptions& options,
                                std::span<const CalledFunction> called) {
  const bool has_old = std::any_of(entry.instructions.begin(), entry.instructions.end(), lacks_sync);
  if (auto checked = check_accesses(module, entry, options, called); !checked.ok()) return checked.error();
  std::string text = raise_target(module.text, has_old);
  if (auto checked = check_statements(module, entry, called); !checked.ok()) return checked.error();
  FunctionText place = place_of(text, entry.name);
  if (place.instructions.empty())
    return Error{tr("`{kernel}` has no code", "kernel"_a = entry.plain_name), module.name,
                 tr("Give the PTX that nvcc -ptx writes.")};
  if (calls_code(entry) || !called.empty())
    return SeveralFunctions(module, std::move(text), entry, options, called).run();
  const auto run_alone = [&](const Function& function, const FunctionText& where) {
    Instrumenter instrumenter(text, function, where, options, {.waits_for_grid = any_waits_for_grid(entry)});
    Instrumented made = instrumenter.run();
    made.text = instrumenter.rewrite().finish(RecordCode::declarations(false));
    return made;
  };
  if (place.is_flat) return run_alone(entry, place);

  text = flatten(text, place);
  const Result<Module> flat = parse(text, module.name);
  if (!flat.ok()) return flat.error();
  const Function& same = *flat->find_entry(entry.name);
  place = place_of(text, entry.name);
  Instrumented instrumented = run_alone(same, place);
  for (auto* const variables : {&instrumented.shared_variables, &instrumented.local_variables}) {
    for (std::uint32_t& v : *variables) v = same_variable(same, v, entry);
  }
  return instrumented;
}

}  // namespace warplens::ptx
