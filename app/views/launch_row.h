// The row under the menu: what to record, and how the last recording went.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "app/session/launch.h"
#include "app/views/view.h"

namespace warplens::app {

/// Which blocks are replayed, and of which every access is kept to be drawn.
enum class BlocksMenu : unsigned char { all, all_draw_one, centre_only, chosen };
inline constexpr std::array kBlocksMenu{BlocksMenu::all, BlocksMenu::all_draw_one, BlocksMenu::centre_only, BlocksMenu::chosen};
[[nodiscard]] const char* name_of(BlocksMenu choice);  ///< "All", in the language chosen

/// What the row's menus say: a launch, but for its blocks, of which the menu knows more than one can know before the grid is.
struct LaunchMenus {
  LaunchRequest launch = launch_of_rung("tiled", {{"m", 256}, {"p", 256}, {"n", 256}});
  BlocksMenu blocks = BlocksMenu::all;
  std::string chosen_blocks = "0,0";

  /// The id of a kernel of the ladder, or cuBLAS's; empty: the launch is one of a file's kernel.
  [[nodiscard]] std::string kernel() const;
  [[nodiscard]] bool on_gpu() const { return launch.engine == Engine::gpu; }
};
/// The launch that the menus describe; the error says which of them cannot be.
[[nodiscard]] Result<LaunchRequest> request_of(const LaunchMenus& menus);
/// The launch on the GPU that they describe.
[[nodiscard]] Result<gpu::RunRequest> run_request_of(const LaunchMenus& menus);
/// Chooses a kernel, with its parameters at their defaults; the sizes stay if they are alike in both kernels.
void choose_kernel(LaunchMenus& menus, const KernelDescriptor& kernel);
/// Sets the menus to what a recording was made with; rules, blocks and where it runs stay.
void follow(LaunchMenus& menus, const Recording& recording);

/// What the row shows besides its menus.
struct LaunchStatus {
  std::string busy_with;              ///< Empty: nothing runs
  std::uint64_t done = 0, total = 0;  ///< Of its parts; total 0: not known
  WorkPart part = WorkPart::blocks;
  const Recording* recording = nullptr;        ///< On screen
  const gpu::RunResult* latest_run = nullptr;  ///< If it is later than the recording
};
struct LaunchActions {
  bool record = false, run_once = false, toggle_live = false, cancel = false;
};
/// Draws the row at the cursor, up to the screen x `right`, in as many lines as it needs. A change of the compute capability asks for a new
/// judgement.
[[nodiscard]] LaunchActions draw_launch_row(const Model& model, const Look& look, const LaunchStatus& status, LaunchMenus& menus, float right);

}  // namespace warplens::app
