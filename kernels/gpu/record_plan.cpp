#include "kernels/gpu/record_plan.h"

#include <algorithm>
#include <utility>

#include "kernels/ptx/instrument/record_frame.h"
#include "kernels/replay/block/block_runner.h"

namespace warplens::gpu {
namespace {

VariableRegion region_of(const replay::VariableSpace& space, std::uint32_t variable,
                         std::uint64_t dynamic_from, std::uint64_t dynamic_bytes) {
  const auto placed = std::find_if(space.variables.begin(), space.variables.end(),
                                   [&](const auto& other) { return other.variable == variable; });
  return placed != space.variables.end() ? VariableRegion{placed->bytes, placed->offset}
                                         : VariableRegion{dynamic_bytes, dynamic_from};
}

}  // namespace

ValueKind value_kind_of(const ptx::AccessGroup& group) {
  if (group.is_of_texels()) return ValueKind::texel;
  if (group.as_generic) return ValueKind::generic;
  switch (group.space) {
    case ptx::StateSpace::global: return ValueKind::global;
    case ptx::StateSpace::shared: return ValueKind::shared;
    case ptx::StateSpace::local: return ValueKind::local;
    case ptx::StateSpace::none:
    case ptx::StateSpace::generic:
    case ptx::StateSpace::constant:
    case ptx::StateSpace::param:
    case ptx::StateSpace::reg: break;
  }
  return ValueKind::generic;
}

ValueKind value_kind_of(const ptx::RecordedOperand& operand) {
  using Holds = ptx::RecordedOperand::Holds;
  switch (operand.holds) {
    case Holds::number: break;
    case Holds::shared_address: return ValueKind::shared;
    case Holds::global_address: return ValueKind::global;
    case Holds::address_of_map: return ValueKind::map;
  }
  return ValueKind::number;
}

RecordPlan::RecordPlan(const replay::Program::Code& code, ptx::Instrumented& instrumented,
                       const ptx::InstrumentOptions& options, std::uint32_t dynamic_shared_bytes)
    : segments(std::move(instrumented.segments)),
      shared_variables(static_cast<std::uint32_t>(instrumented.shared_variables.size())),
      local_variables(static_cast<std::uint32_t>(instrumented.local_variables.size())),
      entries(std::move(instrumented.entries)),
      together(std::move(instrumented.together)) {
  for (std::uint32_t s = 0; s < segments.size(); ++s) {
    const auto first = static_cast<std::uint32_t>(values.size());
    if (options.mode == ptx::RecordMode::totals) {
      for (const ptx::GuardGroup& guard : segments[s].guards) {
        value_infos.push_back({.kind = ValueKind::guard,
                               .compared = Compared::narrow,
                               .root = static_cast<std::uint32_t>(values.size()) - first});
        values.push_back({s, nullptr, &guard});
      }
    }
    const std::uint32_t guards = static_cast<std::uint32_t>(values.size()) - first;
    for (std::uint32_t g = 0; g < segments[s].accesses.size(); ++g) {
      const ptx::AccessGroup& access = segments[s].accesses[g];
      values.push_back({s, &access, nullptr});
      const bool in_window = options.one_window && access.wide && access.space == ptx::StateSpace::global;
      const Compared compared = in_window     ? Compared::in_window
                                : access.wide ? Compared::whole
                                              : Compared::narrow;
      value_infos.push_back({value_kind_of(access), compared, guards + access.root.value_or(g)});
    }
    for (const ptx::OperandGroup& group : segments[s].operands) add_operands(s, group, options.mode);
    segment_infos.push_back({.first_value = first,
                             .values = static_cast<std::uint32_t>(values.size()) - first,
                             .first_distance = static_cast<std::uint32_t>(shifted.size()),
                             .distances = static_cast<std::uint32_t>(segments[s].shifted.size()),
                             .counts_block = segments[s].counts_block});
    for (const ptx::AccessGroup& access : segments[s].shifted) {
      shifted.push_back({first + guards + *access.root, &access});
      distance_roots.push_back(guards + *access.root);
    }
  }
  for (const std::uint32_t v : instrumented.shared_variables) {
    variables.push_back(region_of(code.shared, v, code.shared.bytes, dynamic_shared_bytes));
  }
  for (const std::uint32_t v : instrumented.local_variables)
    variables.push_back(region_of(code.local, v, 0, 0));
  if (!instrumented.functions.empty()) place_variables_of_functions(code, instrumented);
}

/// In events mode operands are values of their segment.
void RecordPlan::add_operands(std::uint32_t segment, const ptx::OperandGroup& group, ptx::RecordMode mode) {
  OperandsInfo info{.operands = static_cast<std::uint32_t>(group.operands.size()),
                    .is_of_warp = group.is_of_warp ? 1u : 0u,
                    .kinds = {}};
  for (std::size_t k = 0; k < group.operands.size(); ++k) {
    info.kinds[k] = value_kind_of(group.operands[k]);
    if (mode == ptx::RecordMode::totals) continue;
    value_infos.push_back({.kind = info.kinds[k], .compared = Compared::whole, .root = 0});
    values.push_back({segment, nullptr, nullptr});
  }
  operands.push_back(&group);
  operands_infos.push_back(info);
}

void RecordPlan::place_variables_of_functions(const replay::Program::Code& code,
                                              const ptx::Instrumented& instrumented) {
  constexpr std::uint64_t kAlignment = 16;
  FunctionInfo next{
      .first_shared = 0, .shared = 0, .first_local = shared_variables, .local = 0, .call_bytes = 0};
  for (std::size_t f = 0; f < instrumented.functions.size(); ++f) {
    next.shared = instrumented.functions[f].shared_variables;
    next.local = instrumented.functions[f].local_variables;
    const replay::CalledPiece& piece = code.pieces[f];
    next.call_bytes =
        piece.is_recursive
            ? static_cast<std::uint32_t>((piece.local_bytes + kAlignment - 1) / kAlignment * kAlignment)
            : 0;
    for (std::uint32_t k = 0; k < next.local; ++k) {
      const std::uint32_t v = next.first_local + k;
      variables[v].to = code.variable_addresses[instrumented.local_variables[v - shared_variables]];
    }
    functions.push_back(next);
    next.first_shared += next.shared;
    next.first_local += next.local;
  }
  called_shared_variables = std::exchange(shared_variables, 0);
  local_variables = 0;
}

}  // namespace warplens::gpu
