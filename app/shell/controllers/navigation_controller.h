// Where the user goes in the recording on screen: steps, warps, blocks, findings, places that were copied.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/session/navigation.h"
#include "app/shell/commands.h"
#include "app/shell/shell_context.h"

namespace warplens::app {

class RecordingController;

class NavigationController {
 public:
  NavigationController(const ShellContext& shell, RecordingController& recordings);

  /// Has another block recorded if one is wanted.
  void follow_block_wanted();
  /// Brings the picture of a finding's access to the front, where it was selected after `before`.
  void follow_finding(const Selection& before);

  void go_to_block(Dim3 block);
  void go_to_warp(std::uint32_t warp);
  /// A block that the recording has no events of: views and commands ask for it.
  [[nodiscard]] std::optional<BlockWanted>& block_wanted() { return block_wanted_; }

  /// `forget`: what Escape does.
  void add_commands(std::vector<Command>& commands, const std::function<void()>& forget);

 private:
  void move(Selection (*how)(const Recording&, const Selection&, std::int64_t), std::int64_t by);
  void choose(ChosenFinding finding);
  /// Copy and paste the place as `--select` of the command line has it.
  void copy_place();
  void paste_place();

  ShellContext shell_;
  RecordingController& recordings_;
  std::optional<BlockWanted> block_wanted_;
};

}  // namespace warplens::app
