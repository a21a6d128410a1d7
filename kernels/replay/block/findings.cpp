#include "kernels/replay/block/findings.h"

#include <algorithm>
#include <utility>

namespace warplens::replay {

void Findings::add(std::uint64_t block, Finding finding) {
  const Key key{finding.kind, finding.file, finding.line, finding.other_line};
  add_group(key, {block, std::move(finding)});
}

void Findings::add_group(const Key& key, const Group& group) {
  const auto [entry, is_new] = groups_.try_emplace(key, group);
  if (is_new) return;
  Group& kept = entry->second;
  const std::uint64_t count = kept.finding.count + group.finding.count;
  if (group.block < kept.block) kept = group;
  kept.finding.count = count;
}

void Findings::merge(const Findings& other) {
  for (const auto& [key, group] : other.groups_) add_group(key, group);
}

void Findings::keep_only(const std::function<bool(const Finding&)>& wanted) {
  std::erase_if(groups_, [&](const auto& entry) { return !wanted(entry.second.finding); });
}

std::vector<Finding> Findings::take() {
  std::vector<Group> groups;
  for (auto& [key, group] : groups_) groups.push_back(std::move(group));
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.block < b.block; });
  std::vector<Finding> findings;
  for (Group& group : groups) findings.push_back(std::move(group.finding));
  groups_.clear();
  return findings;
}

}  // namespace warplens::replay
