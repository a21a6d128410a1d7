// The row under the menu: what to record, and how the last recording went.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "app/session/session.h"
#include "app/views/view.h"

namespace warplens::app {

/// Which blocks are replayed, and of which every access is kept to be drawn.
enum class BlocksMenu : unsigned char { all, all_draw_one, centre_only, chosen };
inline constexpr std::array kBlocksMenu{BlocksMenu::all, BlocksMenu::all_draw_one, BlocksMenu::centre_only, BlocksMenu::chosen};
[[nodiscard]] const char* name_of(BlocksMenu choice);

/// What the row's menus say.
struct LaunchState {
  std::string kernel = "tiled";  ///< Empty: the recording's own, a user's, which is not launched from here
  std::string users_kernel;      ///< What that is called: "scan of scan.ptx"
  std::uint64_t m = 256, p = 256, n = 256;
  std::vector<NamedValue> parameters;  ///< Those that were chosen; others are at their defaults
  std::string value_type = "f32";
  bool on_gpu = false;  ///< Record there
  analysis::ComputeCapability cc;
  BlocksMenu blocks = BlocksMenu::all;
  std::string chosen_blocks = "0,0";
};
/// What the menus call the kernel.
[[nodiscard]] const std::string& kernel_name(const LaunchState& state);
/// The request that the menus describe; the error says which of them cannot be.
[[nodiscard]] Result<RecordRequest> request_of(const LaunchState& state);
/// The launch on the GPU that they describe.
[[nodiscard]] Result<gpu::RunRequest> run_request_of(const LaunchState& state);
/// Chooses a kernel, with its parameters at their defaults; the sizes stay if they are alike in both kernels.
void choose_kernel(LaunchState& state, const KernelDescriptor& kernel);
/// Sets the menus to what a recording was made with; of a user's kernel that is its name alone.
void follow(LaunchState& state, const Recording& recording);

/// What the row shows besides its menus.
struct LaunchStatus {
  std::string busy_with;              ///< Empty: nothing runs
  std::uint64_t done = 0, total = 0;  ///< Total 0: not known
  std::string_view unit = "blocks";
  const gpu::RunResult* latest_run = nullptr;  ///< If it is later than the recording
};
struct LaunchActions {
  bool record = false, run_once = false, toggle_live = false, cancel = false;
};
/// Draws the row at the cursor, up to the screen x `right`, in as many lines as it needs. A change of LaunchState::cc asks for a new judgement.
[[nodiscard]] LaunchActions draw_launch_row(const Model& model, const Look& look, const LaunchStatus& status, LaunchState& state, float right);

}  // namespace warplens::app
