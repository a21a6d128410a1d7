// The blocks next to the one that is drawn, recorded before anybody goes there: where all blocks make too
// many accesses to be kept.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "app/launch/launch_menus.h"
#include "app/session/loaded.h"
#include "app/shell/background.h"

namespace warplens::app {

class BlocksAhead {
 public:
  /// `wake` is called on another thread when a block has been recorded.
  explicit BlocksAhead(std::function<void()> wake);

  /// To be called again and again: records those of the blocks that are not there yet, one after the other,
  /// and forgets all others.
  void record(const LaunchMenus& menus, std::span<const Dim3> blocks);
  /// Null if that block is not there.
  [[nodiscard]] std::shared_ptr<const Loaded> find(const LaunchMenus& menus) const;
  /// What somebody waits for needs the processor.
  void pause() { work_.cancel(); }
  void poll() { work_.poll(); }

 private:
  struct Recorded {
    LaunchMenus menus;
    std::shared_ptr<const Loaded> loaded;  ///< Null: it could not be recorded
  };
  std::vector<Recorded> recorded_;
  Background work_;  // Last: its outcome touches the rest
};

}  // namespace warplens::app
