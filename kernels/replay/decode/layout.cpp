#include "kernels/replay/decode/layout.h"

#include <algorithm>
#include <cstring>

namespace warplens::replay {
namespace {

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return alignment == 0 ? value : (value + alignment - 1) / alignment * alignment;
}

std::uint64_t alignment_of(const ptx::Variable& variable) {
  return std::max<std::uint64_t>(
      {1, variable.alignment, static_cast<std::uint64_t>(ptx::size_of(variable.type))});
}

std::uint64_t bytes_of(const ptx::Variable& variable) {
  const auto size = static_cast<std::uint64_t>(ptx::size_of(variable.type));
  return variable.elements >= kEndlessBytes ? kEndlessBytes
                                            : std::min(kEndlessBytes, variable.elements * size);
}

std::uint64_t place(VariableSpace& space, const std::vector<ptx::Variable>& variables, std::uint32_t v) {
  const ptx::Variable& variable = variables[v];
  const std::uint64_t offset = align_up(space.bytes, alignment_of(variable)), bytes = bytes_of(variable);
  space.variables.push_back(
      {.name = variable.name,
       .offset = offset,
       .bytes = bytes,
       .element_bytes = static_cast<std::uint32_t>(std::max(1, ptx::size_of(variable.type))),
       .initial = variable.initial,
       .variable = v});
  space.bytes = std::min(kEndlessBytes, offset + bytes);
  return offset;
}

std::vector<ModuleVariable> variables_of(const VariableSpace& space, std::uint64_t base,
                                         std::span<const VariableContents> set) {
  const std::vector<std::byte> contents = space.contents(set);
  std::vector<ModuleVariable> variables;
  for (const VariableSpace::Placed& placed : space.variables) {
    const auto first = contents.begin() + static_cast<std::ptrdiff_t>(placed.offset);
    variables.push_back(
        {placed.name, base + placed.offset, {first, first + static_cast<std::ptrdiff_t>(placed.bytes)}});
  }
  return variables;
}

}  // namespace

void VariableSpace::write(std::span<const VariableContents> set, std::byte* to) const {
  for (const Placed& variable : variables) {
    const std::size_t n = std::min<std::size_t>(variable.initial.size(), variable.bytes);
    if (n != 0) std::memcpy(to + variable.offset, variable.initial.data(), n);
    for (const VariableContents& one : set) {
      const std::size_t given = std::min<std::size_t>(one.bytes.size(), variable.bytes);
      if (one.name == variable.name && given != 0) std::memcpy(to + variable.offset, one.bytes.data(), given);
    }
  }
}

std::vector<std::byte> VariableSpace::contents(std::span<const VariableContents> set) const {
  std::vector<std::byte> result(bytes);
  write(set, result.data());
  return result;
}

ZeroPages VariableSpace::pages(std::span<const VariableContents> set) const {
  ZeroPages result(bytes);
  write(set, result.data());
  return result;
}

std::uint64_t bytes_of_global_variables(const Program& program) {
  return program.code().global.bytes;
}

std::vector<ModuleVariable> global_variables(const Program& program, std::span<const VariableContents> set) {
  return variables_of(program.code().global, kModuleBase, set);
}

std::vector<ModuleVariable> constant_variables(const Program& program,
                                               std::span<const VariableContents> set) {
  return variables_of(program.code().constant, 0, set);
}

void lay_out_variables(Program::Code& code, std::vector<std::uint64_t>& addresses) {
  const ptx::Function& function = code.function;
  addresses.assign(function.variables.size(), 0);
  std::vector<std::uint32_t> dynamic;
  for (const std::uint32_t p : function.parameters) {
    const ptx::Variable& variable = function.variables[p];
    addresses[p] = align_up(code.parameter_bytes, alignment_of(variable));
    code.parameters.push_back(variable);
    code.parameter_offsets.push_back(addresses[p]);
    code.parameter_bytes = std::min(kEndlessBytes, addresses[p] + bytes_of(variable));
  }
  for (std::uint32_t v = 0; v < function.variables.size(); ++v) {
    const ptx::Variable& variable = function.variables[v];
    if (variable.is_hidden) {  // Zeros behind what is passed
      addresses[v] = align_up(code.parameter_bytes, alignment_of(variable));
      code.parameter_bytes = std::min(kEndlessBytes, addresses[v] + bytes_of(variable));
      continue;
    }
    switch (variable.space) {
      case ptx::StateSpace::shared:
        if (variable.elements == 0 || variable.is_extern) {
          dynamic.push_back(v);
        } else {
          addresses[v] = place(code.shared, function.variables, v);
        }
        break;
      case ptx::StateSpace::local: addresses[v] = place(code.local, function.variables, v); break;
      case ptx::StateSpace::constant: addresses[v] = place(code.constant, function.variables, v); break;
      case ptx::StateSpace::global:
        code.global.bytes = align_up(code.global.bytes, 256);
        addresses[v] = kModuleBase + place(code.global, function.variables, v);
        break;
      case ptx::StateSpace::none:
      case ptx::StateSpace::generic:
      case ptx::StateSpace::param:
      case ptx::StateSpace::reg: break;
    }
  }
  // Every extern array is the same memory: it begins where the static arrays end.
  for (const std::uint32_t v : dynamic) {
    const ptx::Variable& variable = function.variables[v];
    code.dynamic_shared_alignment =
        std::max(code.dynamic_shared_alignment, static_cast<std::uint32_t>(alignment_of(variable)));
    code.dynamic_shared_name = variable.name;
    code.dynamic_element_bytes = static_cast<std::uint32_t>(std::max(1, ptx::size_of(variable.type)));
  }
  if (!dynamic.empty()) code.shared.bytes = align_up(code.shared.bytes, code.dynamic_shared_alignment);
  for (const std::uint32_t v : dynamic) addresses[v] = code.shared.bytes;
  code.local.bytes = align_up(code.local.bytes, 16);
}

}  // namespace warplens::replay
