#include "kernels/replay/block/async_proxy.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "kernels/base/tensor_map.h"
#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"

namespace warplens::replay {

void UnfencedStores::start_block() {
  std::ranges::fill(by_warp_, 0);
  std::ranges::fill(of_any_, 0);
  std::ranges::fill(fenced_, 0);
}

void UnfencedStores::end_turn(std::uint32_t w, const std::uint64_t* written) {
  for (std::uint64_t k = 0; k < words_; ++k) {
    const std::uint64_t unfenced = written[k] & ~fenced_[k];
    by_warp_[w * words_ + k] |= unfenced;
    of_any_[k] |= unfenced;
    fenced_[k] = 0;
  }
}

void UnfencedStores::fence(std::uint32_t w, const std::uint64_t* written) {
  for (std::uint64_t k = 0; k < words_; ++k) {
    fenced_[k] |= written[k];
    std::uint64_t& own = by_warp_[w * words_ + k];
    if (own == 0) continue;
    own = 0;
    std::uint64_t left = 0;
    for (std::uint64_t at = k; at < by_warp_.size(); at += words_) left |= by_warp_[at];
    of_any_[k] = left;
  }
}

void UnfencedStores::forget(std::uint32_t address, std::uint64_t run) {
  const std::uint64_t word = address / 64;
  if ((of_any_[word] & run) == 0) return;
  of_any_[word] &= ~run;
  for (std::uint64_t at = word; at < by_warp_.size(); at += words_) by_warp_[at] &= ~run;
}

std::optional<std::uint32_t> UnfencedStores::writer_of(std::uint32_t address, std::uint64_t run,
                                                       std::uint32_t w, const std::uint64_t* written) const {
  const std::uint64_t word = address / 64;
  if ((written[word] & ~fenced_[word] & run) != 0) return w;
  if ((of_any_[word] & run) == 0) return std::nullopt;
  for (std::uint32_t other = 0; other * words_ < by_warp_.size(); ++other) {
    if ((by_warp_[other * words_ + word] & run) != 0) return other;
  }
  return std::nullopt;
}

const Instr* fence_async_proxy(Machine& m, const Instr* i) {
  m.runner->fence_async_proxy();
  return i + 1;
}

void BlockRunner::fence_async_proxy() {
  if (unfenced_ != nullptr) unfenced_->fence(machine_.warp, machine_.shadow.written);
}

/// `pieces`: of 16 bytes, that the async proxy reads.
bool BlockRunner::check_proxy(const Instr& i, std::uint32_t lane, std::uint32_t pieces,
                              const std::uint64_t* addresses) {
  if (unfenced_ == nullptr) return false;
  for (; pieces != 0; pieces &= pieces - 1) {
    const auto address = static_cast<std::uint32_t>(addresses[std::countr_zero(pieces)]);
    const auto writer = unfenced_->writer_of(address, shadow_bits(address, kBoxPieceBytes), machine_.warp,
                                             machine_.shadow.written);
    if (!writer) continue;
    Finding finding = make_finding(FindingKind::async_copy, code_.function.instructions[i.index],
                                   machine_.warp, 1u << lane);
    finding.text = fmt::format(finding_texts::kUnfenced, "lane"_a = lane, "warp"_a = machine_.warp,
                               "address"_a = fmt::format("0x{:x}", as_recorded(Space::shared, address)),
                               "other_warp"_a = *writer);
    findings.add(linear_, std::move(finding));
    return true;
  }
  return false;
}

}  // namespace warplens::replay
