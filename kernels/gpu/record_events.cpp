// Reads the log of events mode, which the recorder wrote on the GPU, into a recording.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/gpu/log_order.h"
#include "kernels/gpu/record_plan.h"
#include "kernels/gpu/recorded_sites.h"
#include "kernels/ptx/instrument/record_frame.h"
#include "kernels/recording/shape_table.h"
#include "kernels/replay/block/block_runner.h"

namespace warplens::gpu {
namespace {

/// Accesses of a segment in the order of the code.
struct OrderedAccess {
  std::uint32_t instruction = 0;
  std::uint32_t value = 0;                   ///< Within the segment: access groups, operands, shifted groups
  const ptx::AccessGroup* access = nullptr;  ///< Null: of `operands`, whose values begin with `value`
  std::int64_t offset = 0;
  const ptx::OperandGroup* operands = nullptr;
};

std::vector<OrderedAccess> accesses_in_order(const ptx::Segment& segment) {
  std::vector<OrderedAccess> accesses;
  for (std::uint32_t g = 0; g < segment.accesses.size(); ++g) {
    for (const auto& member : segment.accesses[g].members)
      accesses.push_back({member.instruction, g, &segment.accesses[g], member.offset});
  }
  auto value = static_cast<std::uint32_t>(segment.accesses.size());
  for (const ptx::OperandGroup& group : segment.operands) {
    accesses.push_back({group.instruction, value, nullptr, 0, &group});
    value += static_cast<std::uint32_t>(group.operands.size());
  }
  for (const ptx::AccessGroup& shifted : segment.shifted) {
    for (const auto& member : shifted.members)
      accesses.push_back({member.instruction, value, &shifted, member.offset});
    ++value;
  }
  std::stable_sort(accesses.begin(), accesses.end(), [](const OrderedAccess& a, const OrderedAccess& b) {
    const auto place = [](const OrderedAccess& one) {  // A copy reads global memory before it writes
      return std::pair(one.instruction,
                       one.access != nullptr && one.access->space != ptx::StateSpace::global);
    };
    return place(a) < place(b);
  });
  return accesses;
}

class EventReader {
 public:
  EventReader(const RecordPlan& plan, const replay::Program::Code& code,
              const OperandAccesses& operand_accesses, const EventTables& tables, Recording& recording)
      : plan_(plan),
        sites_(code.sites),
        operand_accesses_(operand_accesses),
        distances_(tables.distances),
        variable_addresses_(tables.variable_addresses),
        recording_(recording) {
    for (const ptx::Segment& segment : plan.segments) accesses_.push_back(accesses_in_order(segment));
    for (const ptx::Segment& segment : plan.segments) {
      std::vector<ValueKind>& kinds = values_.emplace_back();
      for (const ptx::AccessGroup& group : segment.accesses) kinds.push_back(value_kind_of(group));
      for (const ptx::OperandGroup& group : segment.operands) {
        for (const ptx::RecordedOperand& operand : group.operands) kinds.push_back(value_kind_of(operand));
      }
    }
    for (const Shape& shape : recording.shapes)
      static_cast<void>(shapes_.intern(shape));  // Those of the totals stay where they are
  }

  void read_warp(std::uint32_t block, std::uint32_t warp, std::span<const std::byte> log) {
    std::uint32_t order = 0;
    for (const Execution& execution : executions_in(log)) {
      const ptx::EventHeader& header = execution.header;
      lanes_.resize(values_[header.segment].size() * kWarpSize);
      std::memcpy(lanes_.data(), log.data() + execution.at, lanes_.size() * sizeof lanes_[0]);
      place(header);
      add_shifted(header);
      for (const OrderedAccess& access : accesses_[header.segment]) {
        if (access.access != nullptr) {
          add(block, warp, order, header, access);
        } else {
          add_operands(block, warp, order, header, access);
        }
      }
    }
  }

  void finish() { recording_.shapes = shapes_.take(); }
  [[nodiscard]] bool met_damage() const { return damaged_; }
  [[nodiscard]] bool lacks_map() const { return lacks_map_; }

 private:
  static constexpr int kSpaceShift = 62;
  static constexpr std::uint64_t kSpaceBits = std::uint64_t{3} << kSpaceShift;

  struct Execution {
    ptx::EventHeader header;
    std::size_t at = 0;  ///< Its addresses in the log
  };

  /// Returns the executions in the replay's order.
  std::vector<Execution> executions_in(std::span<const std::byte> log) {
    std::vector<Execution> executions;
    std::vector<LogEntry> entries;
    bool parted = false;
    for (std::size_t at = 0; at < log.size();) {
      if (sizeof(ptx::EventHeader) > log.size() - at) return damaged();
      ptx::EventHeader header{};
      std::memcpy(&header, log.data() + at, sizeof header);
      at += sizeof header;
      if (header.segment != ptx::kParting && header.segment >= values_.size()) return damaged();
      const std::size_t bytes = header.segment == ptx::kParting
                                    ? sizeof(LogEntry::together)
                                    : values_[header.segment].size() * kWarpSize * sizeof lanes_[0];
      if (bytes > log.size() - at) return damaged();
      LogEntry entry{.mask = header.mask, .parting = header.segment == ptx::kParting, .taken = header.taken};
      entry.calls = entry.parting && header.phase == ptx::kPartForCalls;
      if (entry.parting && header.phase == ptx::kPartBeforeJoin) entry.taken = header.mask & ~header.taken;
      if (entry.parting && header.phase == ptx::kMeet) entry.awaited = header.taken;
      if (entry.parting) std::memcpy(entry.together.data(), log.data() + at, sizeof entry.together);
      executions.push_back({header, at});
      at += bytes;
      parted = parted || entry.parting;
      entries.push_back(entry);
    }
    if (!parted) return executions;
    std::vector<Execution> ordered;
    for (const std::uint32_t e : replay_order(entries)) ordered.push_back(executions[e]);
    return ordered;
  }

  std::vector<Execution> damaged() {
    damaged_ = true;
    return {};
  }

  void place(const ptx::EventHeader& header) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if ((header.mask >> i % kWarpSize & 1) != 0 && lanes_[i] != ptx::kNoLane)
        lanes_[i] = placed(values_[header.segment][i / kWarpSize], lanes_[i]);
    }
  }
  /// Returns the address as recordings have it, with its space.
  [[nodiscard]] std::uint64_t placed(ValueKind kind, std::uint64_t address) const {
    switch (kind) {
      case ValueKind::global: return placed(plan_.regions, address);
      case ValueKind::shared: return placed_in_shared(address) | std::uint64_t{1} << kSpaceShift;
      case ValueKind::local: return placed_in_local(address) | std::uint64_t{2} << kSpaceShift;
      case ValueKind::map: return ptx::is_parameter_place(address) ? address : placed(plan_.regions, address);
      case ValueKind::guard:
      case ValueKind::generic:
      case ValueKind::texel:
      case ValueKind::number: break;
    }
    return address;
  }
  [[nodiscard]] static std::uint64_t placed(std::span<const Region> regions, std::uint64_t address) {
    for (const Region& region : regions) {
      if (address - region.from < region.bytes) return address - region.from + region.to;
    }
    return address;
  }
  /// Blocks of a cluster have addresses that differ in their rank.
  [[nodiscard]] std::uint64_t placed_in_shared(std::uint64_t address) const {
    const std::uint32_t bits = shared_address_bits(recording_.cluster.count() > 1),
                        in_block = static_cast<std::uint32_t>(address) & bits;
    for (std::size_t v = 0; v < plan_.shared_variables; ++v) {
      const std::uint32_t offset = in_block - (variable_addresses_[v] & bits);
      if (offset < plan_.variables[v].bytes) return offset + plan_.variables[v].to;
    }
    return in_block - recording_.shared_base;
  }
  [[nodiscard]] std::uint64_t placed_in_local(std::uint64_t address) const {
    for (std::size_t v = plan_.shared_variables; v < plan_.variables.size(); ++v) {
      const std::uint64_t from = variable_addresses_[v];
      if (address - from < plan_.variables[v].bytes) return address - from + plan_.variables[v].to;
    }
    return address;
  }

  void add_shifted(const ptx::EventHeader& header) {
    const std::vector<ptx::AccessGroup>& shifted = plan_.segments[header.segment].shifted;
    for (std::size_t d = 0; d < shifted.size(); ++d) {
      const std::int64_t distance = distances_[plan_.segment_infos[header.segment].first_distance + d];
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        const std::uint64_t root = lanes_[std::size_t{*shifted[d].root} * kWarpSize + lane];
        lanes_.push_back(root == ptx::kNoLane ? root : root + static_cast<std::uint64_t>(distance));
      }
    }
  }

  void add_operands(std::uint32_t block, std::uint32_t warp, std::uint32_t& order,
                    const ptx::EventHeader& header, const OrderedAccess& of) {
    const std::size_t count = of.operands->operands.size();
    const std::uint64_t* const lanes = lanes_.data() + std::size_t{of.value} * kWarpSize;
    std::uint32_t left = 0;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if ((header.mask >> lane & 1) != 0 && lanes[lane] != ptx::kNoLane) left |= 1u << lane;
    }
    if (of.operands->is_of_warp) left &= ~left + 1;
    for (; left != 0; left &= left - 1) {
      std::vector<std::uint64_t> values;
      for (std::size_t k = 0; k < count; ++k) {
        const std::uint64_t value = lanes[k * kWarpSize + static_cast<std::size_t>(std::countr_zero(left))];
        const bool has_space = values_[header.segment][of.value + k] == ValueKind::shared;
        values.push_back(has_space ? value & ~kSpaceBits : value);
      }
      const auto accesses = operand_accesses_.of(*of.operands, values, warp % kWarpsOfWarpgroup);
      lacks_map_ = lacks_map_ || !accesses;
      if (!accesses) return;
      const std::uint32_t site = first_site(sites_, of.instruction);
      for (const OperandAccess& access : *accesses)
        append(block, warp, order, header, site + access.site, access.mask, base_of(access),
               shape_of(access));
    }
  }

  void append(std::uint32_t block, std::uint32_t warp, std::uint32_t& order, const ptx::EventHeader& header,
              std::uint32_t site, std::uint32_t mask, std::uint64_t base, const Shape& shape) {
    EventColumns& events = recording_.events;
    events.site.push_back(site);
    events.block.push_back(block);
    events.warp.push_back(warp);
    events.phase.push_back(std::min(header.phase, replay::kMaxPhases - 1));
    events.order.push_back(order++);
    events.mask.push_back(mask);
    events.base.push_back(base);
    events.shape.push_back(shapes_.intern(shape));
  }

  void add(std::uint32_t block, std::uint32_t warp, std::uint32_t& order, const ptx::EventHeader& header,
           const OrderedAccess& access) {
    const std::uint64_t* const lanes = lanes_.data() + std::size_t{access.value} * kWarpSize;
    std::array<std::uint32_t, 3> masks{};  // By space
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if ((header.mask >> lane & 1) != 0 && lanes[lane] != ptx::kNoLane)
        masks[lanes[lane] >> kSpaceShift] |= 1u << lane;
    }
    for (std::uint32_t space = 0; space < masks.size(); ++space) {
      if (masks[space] == 0) continue;
      const auto leader = static_cast<std::size_t>(std::countr_zero(masks[space]));
      Shape shape{};
      for (std::size_t lane = leader; lane < shape.size(); ++lane) {
        if ((masks[space] >> lane & 1) != 0)
          shape[lane] = static_cast<std::int64_t>(lanes[lane] - lanes[leader]);
      }
      append(block, warp, order, header, site_of(sites_, *access.access, access.instruction, space),
             masks[space], (lanes[leader] & ~kSpaceBits) + static_cast<std::uint64_t>(access.offset), shape);
    }
  }

  const RecordPlan& plan_;
  const std::vector<Site>& sites_;
  const OperandAccesses& operand_accesses_;
  std::span<const std::int64_t> distances_;
  std::span<const std::uint32_t> variable_addresses_;
  Recording& recording_;
  std::vector<std::vector<OrderedAccess>> accesses_;  ///< By segment
  std::vector<std::vector<ValueKind>> values_;        ///< By segment, by value
  std::vector<std::uint64_t> lanes_;
  ShapeTable shapes_;
  bool damaged_ = false, lacks_map_ = false;
};

}  // namespace

Result<Done> add_events(const RecordPlan& plan, const replay::Program::Code& code,
                        const replay::Options& options, const OperandAccesses& operand_accesses,
                        const EventTables& tables, Recording& recording) {
  EventReader reader(plan, code, operand_accesses, tables, recording);
  const std::uint32_t warps = recording.warps_per_block();
  for (std::size_t w = 0; w < tables.used.size(); ++w) {
    reader.read_warp(static_cast<std::uint32_t>(w / warps), static_cast<std::uint32_t>(w % warps),
                     tables.log.subspan(tables.begin[w], tables.used[w]));
    if (reader.met_damage())
      return Error{tr("the GPU's log of the accesses is inconsistent"), code.function.plain_name,
                   tr("Record on the CPU.")};
    if (reader.lacks_map()) return no_map_error(code);
    if (recording.events.size() > options.max_events) return replay::too_many_events(code, options);
  }
  reader.finish();
  return Done{};
}

}  // namespace warplens::gpu
