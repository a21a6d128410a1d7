#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "kernels/recording/recording.h"

namespace warplens::replay {

/// Findings grouped by kind and lines; each keeps the first one's place and text, in block order.
class Findings {
 public:
  /// `block` is the linear index of finding.block in the grid; within a block findings come in the order of
  /// execution.
  void add(std::uint64_t block, Finding finding);
  void merge(const Findings& other);
  void keep_only(const std::function<bool(const Finding&)>& wanted);
  [[nodiscard]] bool empty() const { return groups_.empty(); }
  [[nodiscard]] std::vector<Finding> take();

 private:
  using Key = std::tuple<FindingKind, std::uint32_t, std::uint32_t, std::uint32_t>;
  struct Group {
    std::uint64_t block = 0;
    Finding finding;
  };
  void add_group(const Key& key, const Group& group);
  std::map<Key, Group> groups_;
};

}  // namespace warplens::replay
