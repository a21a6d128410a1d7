// The rules of docs/memory_model.md once more, written down word for word with sets and maps, slowly, and
// sharing nothing with the product's code: what the product is compared with on random accesses.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "viz/analysis/memory_rules.h"

namespace warplens::analysis::literal {

using Lanes = std::vector<int>;
using Address = std::uint64_t;

inline bool is_active(const WarpAccess& access, int lane) {
  return (access.mask >> lane & 1u) != 0;
}
inline Address address(const WarpAccess& access, int lane) {
  return access.address.at(static_cast<std::size_t>(lane));
}

/// The active lanes of [begin, end).
inline Lanes active(const WarpAccess& access, int begin, int end) {
  Lanes lanes;
  for (int lane = begin; lane < end; ++lane) {
    if (is_active(access, lane)) lanes.push_back(lane);
  }
  return lanes;
}

inline std::set<Address> words(const WarpAccess& access, int lane) {
  std::set<Address> touched;
  for (Address byte = 0; byte < static_cast<Address>(access.bytes); ++byte)
    touched.insert((address(access, lane) + byte) / 4);
  return touched;
}

/// Over the banks, the largest number of distinct words that the lanes touch in one bank.
inline std::size_t passes(const WarpAccess& access, const Lanes& lanes) {
  std::map<Address, std::set<Address>> by_bank;
  for (const int lane : lanes) {
    for (const Address word : words(access, lane)) by_bank[word % 32].insert(word);
  }
  std::size_t largest = 0;
  for (const auto& bank : by_bank) largest = std::max(largest, bank.second.size());
  return largest;
}

/// Over the banks, the largest number of lanes on one bank, lanes on the same word counted each.
inline std::size_t serial(const WarpAccess& access, const Lanes& lanes) {
  std::map<Address, std::size_t> by_bank;
  std::size_t largest = 0;
  for (const int lane : lanes) {
    for (const Address word : words(access, lane)) largest = std::max(largest, ++by_bank[word % 32]);
  }
  return largest;
}

inline bool pair_rule(const WarpAccess& access) {
  for (const int x : {1, 2}) {
    bool holds = true;
    for (int lane = 0; lane < 32; ++lane) {
      if (is_active(access, lane) && is_active(access, lane ^ x) &&
          address(access, lane) != address(access, lane ^ x))
        holds = false;
    }
    if (holds) return true;
  }
  return false;
}

/// The groups of lanes that hold an active lane, `size` lanes each.
inline std::vector<Lanes> groups(const WarpAccess& access, int size) {
  std::vector<Lanes> result;
  for (int begin = 0; begin < 32; begin += size) {
    if (const Lanes lanes = active(access, begin, begin + size); !lanes.empty()) result.push_back(lanes);
  }
  return result;
}

/// Shared memory, CC 5.0 and later.
inline AccessCost shared(const WarpAccess& access) {
  AccessCost cost;
  if (access.mask == 0) return cost;
  const int by_width = access.bytes == 16 ? 8 : access.bytes == 8 ? 16 : 32;
  int size = by_width;
  bool merges_words = true;
  WarpAccess counted = access;
  switch (access.op) {
    case AccessOp::load:
      if (access.bytes >= 8 && pair_rule(access)) size = 2 * by_width;
      break;
    case AccessOp::store: break;
    case AccessOp::ldmatrix:
    case AccessOp::stmatrix:
      size = 8;
      for (int lane = 8 * access.matrices; lane < 32; ++lane) counted.mask &= ~(1u << lane);
      break;
    case AccessOp::bulk_load:
    case AccessOp::bulk_store:
    case AccessOp::bulk_reduction:
    case AccessOp::wgmma: size = 8; break;
    case AccessOp::cp_async:
      if (access.bypass_l1) return cost;
      [[fallthrough]];
    default: merges_words = false;
  }
  for (const Lanes& lanes : groups(counted, size)) {
    const std::size_t wavefronts = merges_words ? passes(counted, lanes) : serial(counted, lanes);
    cost.wavefronts += wavefronts;
    cost.bank_conflicts += wavefronts - 1;
  }
  const auto bytes = static_cast<std::uint64_t>(access.bytes) * active(counted, 0, 32).size();
  const bool plain = access.op == AccessOp::load || access.op == AccessOp::store;
  const std::uint64_t spread =
      plain ? (bytes + 127) / 128 : groups(counted, access.matrices > 0 ? 8 : by_width).size();
  cost.ideal_wavefronts = std::min(cost.wavefronts, spread);
  return cost;
}

/// Global and local memory, CC 5.0 and later.
inline AccessCost sectors(const WarpAccess& access) {
  AccessCost cost;
  std::set<Address> touched, lines, ideal;
  std::map<Address, std::map<Address, std::size_t>> lanes_on_word;  // By sector, by word
  const Lanes lanes = active(access, 0, 32);
  for (const int lane : lanes) {
    for (Address byte = 0; byte < static_cast<Address>(access.bytes); ++byte) {
      Address at = address(access, lane) + byte;
      if (access.space == Space::local) {
        ideal.insert((byte / 4 * 32 + static_cast<Address>(lane)) * 4 / 32);
        at = (at / 4 * 32 + static_cast<Address>(lane)) * 4 + at % 4;
      }
      touched.insert(at / 32);
      lines.insert(at / 128);
    }
    for (const Address word : words(access, lane)) ++lanes_on_word[word / 8][word];
  }
  cost.sectors = touched.size();
  cost.lines = lines.size();
  if (access.op == AccessOp::atomic || access.op == AccessOp::reduction) {
    cost.sectors = 0;
    for (const auto& sector : lanes_on_word) {
      std::size_t max = 0;
      for (const auto& word : sector.second) max = std::max(max, word.second);
      cost.sectors += max;
    }
  }
  cost.ideal_sectors = std::min<std::uint64_t>(
      cost.sectors, (lanes.size() * static_cast<std::size_t>(access.bytes) + 31) / 32);
  if (access.space == Space::local) cost.ideal_sectors = ideal.size();
  return cost;
}

}  // namespace warplens::analysis::literal
