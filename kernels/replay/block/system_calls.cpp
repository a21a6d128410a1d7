// Functions that have no body in any module, being the system's: printf, malloc, free, and what a failed
// assertion calls. CUDA C++ Programming Guide, "Formatted Output", "Assertion", "Dynamic Global Memory
// Allocation and Operations"; how they are called, PTX Writer's Guide to Interoperability, "System Calls".
#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/base/text.h"
#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/block/format.h"

namespace warplens::replay {
namespace {

constexpr std::uint64_t kMaxText = std::uint64_t{64} << 10;  ///< Of one format, string or message
constexpr std::size_t kMaxShown = 200;                       ///< Of a failed assertion's condition

}  // namespace

std::optional<SystemFunction> system_function(std::string_view name) {
  if (name == "vprintf") return SystemFunction::print;
  if (name == "__assertfail") return SystemFunction::fail_assertion;
  if (name == "malloc") return SystemFunction::allocate;
  if (name == "free") return SystemFunction::release;
  return std::nullopt;
}

const std::byte* BlockRunner::readable(std::uint32_t lane, std::uint64_t address, std::uint64_t bytes) const {
  const auto within = [&](const std::byte* data, std::uint64_t size) -> const std::byte* {
    const std::uint64_t offset = address & (kWindowBytes - 1);
    return offset <= size && bytes <= size - offset ? data + offset : nullptr;
  };
  switch (address & ~(kWindowBytes - 1)) {
    case kSharedWindow: return within(machine_.shared.data, machine_.shared.end);
    case kLocalWindow:
      return within(machine_.memory.local + std::uint64_t{lane} * machine_.memory.local_bytes,
                    machine_.memory.local_bytes);
    case kConstantWindow: return within(machine_.kernel.constants, machine_.kernel.constant_bytes);
    case kParameterWindow: return within(machine_.kernel.parameters, machine_.kernel.parameter_bytes);
    default: break;
  }
  const Region* const region = find_region(address, bytes);
  return region != nullptr ? region->data + (address - region->base) : nullptr;
}

std::optional<std::string> BlockRunner::text_at(std::uint32_t lane, std::uint64_t address) const {
  std::string text;
  for (std::uint64_t i = 0; i < kMaxText; ++i) {
    const std::byte* const at = readable(lane, address + i, 1);
    if (at == nullptr) return std::nullopt;
    if (*at == std::byte{0}) return text;
    text += static_cast<char>(*at);
  }
  return text;
}

std::uint64_t BlockRunner::argument_of(const CallSite& site, std::size_t index, std::uint32_t lane) const {
  if (index >= site.arguments.size()) return 0;
  const CallArgument& value = site.arguments[index];
  if (value.in_register)
    return value_of_lane(*reinterpret_cast<const Head*>(machine_.registers + value.head), value.bytes == 8,
                         lane);
  std::uint64_t bits = 0;
  std::memcpy(&bits, call_param_at(value, lane), std::min<std::uint64_t>(value.bytes, sizeof bits));
  return bits;
}

const Instr* BlockRunner::call_system(const Instr* i, std::uint32_t mask) {
  const CallSite& site = code_.calls[static_cast<std::size_t>(i->imm)];
  if (*site.system == SystemFunction::fail_assertion) {
    fail_assertion(i, site, mask);
    return stop_call(i, Stop::asserted);
  }
  if (*site.system == SystemFunction::allocate) {
    allocate(site, mask);
    return i + 2;
  }
  if (*site.system == SystemFunction::release) {
    release(i, site, mask);
    return i + 2;
  }
  for_each_lane(mask, [&](std::uint32_t lane) {
    const std::int32_t result = print(i, site, lane);
    if (!site.results.empty())
      pass_back(site.results.front(), lane, reinterpret_cast<const std::byte*>(&result), sizeof result);
  });
  return i + 2;
}

void BlockRunner::allocate(const CallSite& site, std::uint32_t mask) {
  if (job_.heap == nullptr) job_.heap = std::make_unique<Heap>();
  for_each_lane(mask, [&](std::uint32_t lane) {
    const std::uint64_t address = job_.heap->allocate(argument_of(site, 0, lane));
    if (!site.results.empty())
      pass_back(site.results.front(), lane, reinterpret_cast<const std::byte*>(&address), sizeof address);
  });
}

void BlockRunner::release(const Instr* i, const CallSite& site, std::uint32_t mask) {
  std::uint32_t wrong = 0;
  for_each_lane(mask, [&](std::uint32_t lane) {
    const std::uint64_t address = argument_of(site, 0, lane);
    if (address != 0 && (job_.heap == nullptr || !job_.heap->release(address))) wrong |= 1u << lane;
  });
  if (wrong == 0) return;
  Finding finding =
      make_finding(FindingKind::out_of_bounds, code_.function.instructions[i->index], machine_.warp, wrong);
  const std::uint64_t address = argument_of(site, 0, static_cast<std::uint32_t>(std::countr_zero(wrong)));
  finding.text = fmt::format(finding_texts::kFreesNothing, "address"_a = fmt::format("0x{:x}", address));
  findings.add(linear_, std::move(finding));
}

std::int32_t BlockRunner::print(const Instr* i, const CallSite& site, std::uint32_t lane) {
  const std::optional<std::string> format = text_at(lane, argument_of(site, 0, lane));
  if (!format) return -1;
  const std::uint64_t values = argument_of(site, 1, lane);
  const Printed line = printed(
      *format,
      [&](std::uint64_t offset, std::uint64_t bytes) -> std::optional<std::uint64_t> {
        const std::byte* const at = readable(lane, values + offset, bytes);
        if (at == nullptr) return std::nullopt;
        std::uint64_t bits = 0;
        std::memcpy(&bits, at, bytes);
        return bits;
      },
      [&](std::uint64_t address) { return text_at(lane, address); });
  const ptx::SourceLocation& place = code_.function.instructions[i->index].location;
  messages.add(linear_, {.file = place.outer_file,
                         .line = place.own_line,
                         .block = block_,
                         .thread = machine_.warp * kWarpSize + lane,
                         .text = valid_utf8(line.text)});
  return line.arguments;
}

void BlockRunner::fail_assertion(const Instr* i, const CallSite& site, std::uint32_t mask) {
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
  std::string condition = text_at(lane, argument_of(site, 0, lane)).value_or("?");
  if (condition.size() > kMaxShown) condition.resize(kMaxShown);
  Finding finding =
      make_finding(FindingKind::failed_assertion, code_.function.instructions[i->index], machine_.warp, mask);
  finding.text = fmt::format(finding_texts::kAssertion, "condition"_a = valid_utf8(condition));
  findings.add(linear_, std::move(finding));
}

}  // namespace warplens::replay
