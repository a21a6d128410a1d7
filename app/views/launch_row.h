// The row under the menu: what to record, and how the last recording went.
#pragma once

#include <string>

#include "app/kernel_file/kernel_file.h"
#include "app/launch/launch_menus.h"
#include "app/views/view.h"

namespace warplens::app {

/// What the row shows besides its menus.
struct LaunchStatus {
  std::string busy_with;              ///< Empty: nothing runs
  bool gpu_busy = false;              ///< With what is not launched live
  std::uint64_t done = 0, total = 0;  ///< Of its parts; total 0: not known
  std::uint64_t instructions = 0;     ///< Warp instructions of a replay so far
  std::uint32_t line = 0;             ///< Where a block that runs long is; 0: none does
  WorkPart part = WorkPart::blocks;
  const Loaded* loaded = nullptr;              ///< On screen, and of what the menus say
  const gpu::RunResult* latest_run = nullptr;  ///< Of what the menus say, and later than the recording
  const KernelFile* kernels = nullptr;         ///< The file that is open, whose kernels can be chosen
  const Error* refused = nullptr;              ///< Why what the menus say is not recorded
  bool separate_sizes = false;                 ///< m, p and n have a field each though they are equal
  std::string unreadable_folder;               ///< Whose files the launch names, and that may not be read
  bool focus_missing = false;                  ///< The keyboard goes to the first field that the launch lacks
};
struct LaunchActions {
  bool record = false, run_once = false, toggle_live = false, cancel = false;
  bool separate_sizes = false;        ///< As LaunchStatus has it, or as the user wants it now
  bool allow_reading = false;         ///< Of LaunchStatus::unreadable_folder
  const FileEntry* chosen = nullptr;  ///< A kernel of the file, to be launched as it says
  std::size_t chosen_launch = 0;      ///< Of FileEntry::launches
};
/// Draws the row at the cursor, up to the screen x `right`, in as many lines as it needs. A change of the
/// compute capability asks for the costs by its rules.
[[nodiscard]] LaunchActions draw_launch_row(const Model& model, const Look& look, const LaunchStatus& status,
                                            LaunchMenus& menus, float right);

}  // namespace warplens::app
