#include "kernels/replay/races/wgmma_registers.h"

#include <fmt/core.h>

#include <bit>

#include "kernels/ptx/opcodes.h"
#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"

namespace warplens::replay {

WgmmaRegisters::WgmmaRegisters(const ptx::Function& function, const WgmmaRegisterPlan& plan)
    : function_(&function), registers_(plan.registers.size()) {}

std::optional<WgmmaRegisters::Found> WgmmaRegisters::check(const WgmmaRegisterCheck& check,
                                                           std::uint32_t committed, std::uint32_t waited) {
  ++now_;
  if (check.kind == RegisterAccessKind::fence) {
    fenced_at_ = now_;
    return std::nullopt;
  }
  if (check.kind == RegisterAccessKind::product) {
    const std::optional<Found> found = check_product(check, waited);
    begin_product(check, committed);
    return found;
  }
  const std::optional<Found> found = check_access(check, waited);
  write(check, waited);
  return found;
}

bool WgmmaRegisters::is_same_shape(std::uint32_t product, std::uint32_t other) const {
  const ptx::Instruction &a = function_->instructions[product], &b = function_->instructions[other];
  return a.n == b.n && a.k == b.k;
}

std::optional<WgmmaRegisters::Found> WgmmaRegisters::check_product(const WgmmaRegisterCheck& check,
                                                                   std::uint32_t waited) const {
  for (const std::uint32_t r : check.reads) {
    const Use& result = registers_[r].result;
    if (in_flight(result, waited)) return Found{Misuse::read, r, result.product};
  }
  for (const std::uint32_t r : check.writes) {
    const Register& d = registers_[r];
    if (in_flight(d.read, waited)) return Found{Misuse::written, r, d.read.product};
    for (const Use& use : {d.written, d.result}) {
      if (in_flight(use, waited) && !is_same_shape(check.instruction, use.product))
        return Found{Misuse::other_shape, r, use.product};
    }
  }
  return check_fence(check);
}

/// Compilers move computations behind a fence that the program has before a wgmma. So only where there has
/// been no fence since the last wgmma is one missing.
std::optional<WgmmaRegisters::Found> WgmmaRegisters::check_fence(const WgmmaRegisterCheck& check) const {
  if (fenced_at_ == 0 && multiplied_at_ == 0) return Found{Misuse::never_fenced, 0, 0};
  if (fenced_at_ > multiplied_at_) return std::nullopt;
  for (const auto* const registers : {&check.reads, &check.writes}) {
    for (const std::uint32_t r : *registers) {
      const Register& operand = registers_[r];
      if (operand.computed_at > fenced_at_) return Found{Misuse::not_fenced, r, operand.computed_by};
    }
  }
  return std::nullopt;
}

std::optional<WgmmaRegisters::Found> WgmmaRegisters::check_access(const WgmmaRegisterCheck& check,
                                                                  std::uint32_t waited) const {
  if (check.kind == RegisterAccessKind::spill) return std::nullopt;
  const bool is_copy = check.kind == RegisterAccessKind::copy;
  for (const std::uint32_t r : check.reads) {
    const Use& result = registers_[r].result;
    if (!is_copy && in_flight(result, waited)) return Found{Misuse::read, r, result.product};
  }
  for (const std::uint32_t r : check.writes) {
    const Register& target = registers_[r];
    if (in_flight(target.written, waited) && !(is_copy && target.is_copied))
      return Found{Misuse::written, r, target.written.product};
    if (!is_copy && in_flight(target.read, waited)) return Found{Misuse::written, r, target.read.product};
  }
  return std::nullopt;
}

void WgmmaRegisters::begin_product(const WgmmaRegisterCheck& check, std::uint32_t committed) {
  const Use use{check.instruction, committed + 1};
  for (const std::uint32_t r : check.reads) registers_[r].read = use;
  for (const std::uint32_t r : check.writes) registers_[r] = {.written = use, .read = {}, .result = use};
  multiplied_at_ = now_;
}

void WgmmaRegisters::write(const WgmmaRegisterCheck& check, std::uint32_t waited) {
  Register value;
  if (check.kind == RegisterAccessKind::ordinary)
    value.computed_at = now_, value.computed_by = check.instruction;
  if (check.kind == RegisterAccessKind::copy) {
    for (const std::uint32_t r : check.reads) {
      Register& from = registers_[r];
      if (in_flight(from.result, waited)) {
        value.result = from.result;
        value.is_copied = from.is_copied = true;
      }
      if (from.computed_at > value.computed_at)
        value.computed_at = from.computed_at, value.computed_by = from.computed_by;
    }
  }
  for (const std::uint32_t r : check.writes) registers_[r] = value;
}

const Instr* check_wgmma_registers(Machine& m, const Instr* i) {
  constexpr std::uint32_t kNoGuard = 0xffffffffu;
  std::uint32_t lanes = m.active;
  if (i->a != kNoGuard) {
    const auto holds = static_cast<std::uint32_t>(reinterpret_cast<const Head*>(m.registers + i->a)->base);
    lanes &= (i->flags & kNegateGuard) != 0 ? ~holds : holds;
  }
  if (lanes != 0) m.runner->check_wgmma_registers(*i, lanes);
  return i + 1;
}

void BlockRunner::check_wgmma_registers(const Instr& i, std::uint32_t lanes) {
  const std::uint32_t w = machine_.warp;
  const WarpState& warp = warps_[w];
  const auto found = wgmma_registers_.at(w).check(code_.wgmma_registers.checks[i.b], warp.product_groups,
                                                  warp.products_waited);
  if (found) report_wgmma_registers(i.index, lanes, *found);
}

void BlockRunner::report_wgmma_registers(std::uint32_t instruction, std::uint32_t lanes,
                                         const WgmmaRegisters::Found& found) {
  using Misuse = WgmmaRegisters::Misuse;
  const ptx::Instruction &here = code_.function.instructions[instruction],
                         &there = code_.function.instructions[found.other];
  Finding finding = make_finding(FindingKind::wgmma_registers, here, machine_.warp, lanes);
  if (found.misuse != Misuse::never_fenced) finding.other_line = there.location.own_line;
  const auto text = [&](const char* words) {
    const std::uint32_t r = code_.wgmma_registers.registers[found.number];
    return fmt::format(fmt::runtime(words), "op"_a = here.text.substr(0, here.text.find(' ')),
                       "warp"_a = machine_.warp, "register"_a = code_.function.registers[r].name,
                       "line"_a = finding.other_line);
  };
  switch (found.misuse) {
    case Misuse::read: finding.text = text(finding_texts::kResultInFlight); break;
    case Misuse::written: finding.text = text(finding_texts::kRegisterInFlight); break;
    case Misuse::other_shape: finding.text = text(finding_texts::kOtherShape); break;
    case Misuse::never_fenced: finding.text = text(finding_texts::kNeverFenced); break;
    case Misuse::not_fenced: finding.text = text(finding_texts::kNotFenced); break;
  }
  findings.add(linear_, std::move(finding));
}

}  // namespace warplens::replay
