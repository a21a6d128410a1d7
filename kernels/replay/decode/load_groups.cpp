#include "kernels/replay/decode/load_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/register_use.h"
#include "kernels/replay/decode/code.h"

namespace warplens::replay {
namespace {

using ptx::Effect;
using Kind = ptx::Operand::Kind;

constexpr std::int64_t kWidestSpan = 8192;  ///< Bytes

/// What the loads of a group have in common.
struct Address {
  std::uint32_t reg = 0;
  bool in_shared = false;
  int bytes = 4;
  std::int64_t remainder = 0;  ///< Of their offsets, divided by their bytes
  friend bool operator<(const Address& a, const Address& b) {
    return std::tie(a.reg, a.in_shared, a.bytes, a.remainder) <
           std::tie(b.reg, b.in_shared, b.bytes, b.remainder);
  }
};

/// Returns the address of a load that may belong to a group: of whole words, into registers as wide, by all
/// lanes that are there.
std::optional<Address> address_of_load(const ptx::Function& function, const ptx::Instruction& instruction) {
  const bool in_shared = instruction.space == ptx::StateSpace::shared;
  if (ptx::effect_of(instruction) != Effect::load ||
      (!in_shared && instruction.space != ptx::StateSpace::global))
    return std::nullopt;
  if (instruction.guard.kind == Kind::reg || is_strong(instruction) || instruction.of_cluster)
    return std::nullopt;
  const ptx::Operand &address = ptx::address_of(instruction), &data = ptx::data_of(instruction);
  const int bytes = ptx::size_of(instruction.type), total = bytes * instruction.vector;
  if (address.address_base != Kind::reg || (bytes != 4 && bytes != 8) ||
      (total != 4 && total != 8 && total != 16))
    return std::nullopt;
  const auto fits = [&](const ptx::Operand& element) {
    return element.kind == Kind::reg &&
           ptx::size_of(function.registers[static_cast<std::uint32_t>(element.reg)].type) == bytes;
  };
  const bool fit = data.kind == Kind::vector ? std::ranges::all_of(data.elements, fits) : fits(data);
  if (!fit) return std::nullopt;
  const std::int64_t remainder = (address.offset % total + total) % total;
  return Address{.reg = static_cast<std::uint32_t>(address.reg),
                 .in_shared = in_shared,
                 .bytes = total,
                 .remainder = remainder};
}

/// Nothing between two loads of a group may end the warp's turn, or change which lanes run.
bool ends_groups(Effect effect) {
  switch (effect) {
    case Effect::none:
    case Effect::no_op:
    case Effect::load:
    case Effect::store:
    case Effect::atomic:
    case Effect::reduction:
    case Effect::load_matrices:
    case Effect::store_matrices:
    case Effect::load_fragment:
    case Effect::store_fragment:
    case Effect::copy: return false;
    case Effect::texture_load:
    case Effect::texture_store:
    case Effect::bulk_copy:
    case Effect::cluster_barrier:
    case Effect::warpgroup_product:
    case Effect::warpgroup_order:
    case Effect::copy_order:  // Copies land there
    case Effect::mbarrier:    // The same
    case Effect::tensor_map:
    case Effect::branch:
    case Effect::indexed_branch:
    case Effect::ret:
    case Effect::trap:
    case Effect::barrier:
    case Effect::call:
    case Effect::unknown: break;
  }
  return true;
}

class Grouper {
 public:
  Grouper(const ptx::Function& function, const ptx::ControlFlow& flow) : function_(function), flow_(flow) {}

  std::vector<LoadGroupPlan> run() {
    for (const ptx::BasicBlock& block : flow_.blocks) {
      for (std::uint32_t i = block.first; i < block.end; ++i) take(i);
      end_all();
    }
    std::ranges::sort(groups_, {},
                      [](const LoadGroupPlan& group) { return group.loads.front().instruction; });
    return std::move(groups_);
  }

 private:
  struct Offset {
    std::uint32_t instruction;
    std::int64_t offset;
  };
  using Open = std::map<Address, std::vector<Offset>>;

  void take(std::uint32_t i) {
    const ptx::Instruction& instruction = function_.instructions[i];
    if (ends_groups(ptx::effect_of(instruction))) return end_all();
    if (const auto address = address_of_load(function_, instruction))
      add(*address, {i, ptx::address_of(instruction).offset});
    for (const std::uint32_t written : ptx::register_use(instruction).writes) {
      std::erase_if(open_, [&](const auto& entry) {
        return entry.first.reg == written && (end(entry.first, entry.second), true);
      });
    }
  }

  void add(const Address& address, Offset load) {
    std::vector<Offset>& loads = open_[address];
    loads.push_back(load);
    const auto [low, high] = std::ranges::minmax(loads, {}, &Offset::offset);
    if (high.offset - low.offset <= kWidestSpan) return;
    loads.pop_back();
    end(address, std::exchange(loads, {load}));
  }

  void end_all() {
    for (const auto& [address, loads] : open_) end(address, loads);
    open_.clear();
  }

  void end(const Address& address, const std::vector<Offset>& loads) {
    if (loads.size() < 2) return;
    const auto [low, high] = std::ranges::minmax(loads, {}, &Offset::offset);
    LoadGroupPlan group{.in_shared = address.in_shared,
                        .bytes = address.bytes,
                        .lowest = low.offset,
                        .span = static_cast<std::uint32_t>(high.offset - low.offset)};
    for (const Offset& load : loads) {
      group.loads.push_back(
          {.instruction = load.instruction, .above = static_cast<std::uint32_t>(load.offset - low.offset)});
    }
    groups_.push_back(std::move(group));
  }

  const ptx::Function& function_;
  const ptx::ControlFlow& flow_;
  Open open_;
  std::vector<LoadGroupPlan> groups_;
};

}  // namespace

std::vector<LoadGroupPlan> find_load_groups(const ptx::Function& function, const ptx::ControlFlow& flow) {
  return Grouper(function, flow).run();
}

}  // namespace warplens::replay
