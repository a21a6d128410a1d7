#include "app/shell/blocks_ahead.h"

#include <algorithm>
#include <string>
#include <utility>

#include "app/launch/launch.h"

namespace warplens::app {
namespace {

bool same_record(const LaunchMenus& a, const LaunchMenus& b) {
  return same_launch(a, b) && a.launch.cc == b.launch.cc;
}

}  // namespace

// What goes wrong is told when somebody goes there.
BlocksAhead::BlocksAhead(std::function<void()> wake)
    : work_(std::move(wake), [](const std::string&, const Error&) {}) {}

void BlocksAhead::record(const LaunchMenus& menus, std::span<const Dim3> blocks) {
  if (work_.busy()) return;
  std::vector<LaunchMenus> wanted;
  for (const Dim3& block : blocks) wanted.emplace_back(menus).drawn = block;
  const auto is_wanted = [&](const Recorded& one) {
    return std::ranges::any_of(wanted,
                               [&](const LaunchMenus& other) { return same_record(one.menus, other); });
  };
  std::erase_if(recorded_, [&](const Recorded& one) { return !is_wanted(one); });
  const auto next = std::ranges::find_if_not(wanted, [&](const LaunchMenus& one) {
    return std::ranges::any_of(recorded_,
                               [&](const Recorded& other) { return same_record(other.menus, one); });
  });
  if (next == wanted.end()) return;
  const auto request = request_of(*next);
  if (!request.ok()) return recorded_.push_back({*next, nullptr});
  work_.start(
      {}, [this, menus = *next, request = *request](replay::Progress& progress) -> Background::Outcome {
        const auto loaded = record_loaded(request, &progress, MachineCode::at_hand);
        if (progress.cancel) return {};
        return
            [this, menus, loaded = loaded.ok() ? *loaded : nullptr] { recorded_.push_back({menus, loaded}); };
      });
}

std::shared_ptr<const Loaded> BlocksAhead::find(const LaunchMenus& menus) const {
  const auto found =
      std::ranges::find_if(recorded_, [&](const Recorded& one) { return same_record(one.menus, menus); });
  return found == recorded_.end() ? nullptr : found->loaded;
}

}  // namespace warplens::app
