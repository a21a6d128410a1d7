// What the launch row's menus describe.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "app/launch/launch.h"
#include "app/launch/launch_words.h"

namespace warplens::app {

/// Which blocks are replayed, and of which every access is kept to be drawn.
enum class BlocksMenu : unsigned char { all, all_draw_one, centre_only, chosen };
inline constexpr std::array kBlocksMenu{BlocksMenu::all, BlocksMenu::all_draw_one, BlocksMenu::centre_only,
                                        BlocksMenu::chosen};
[[nodiscard]] const char* name_of(BlocksMenu choice);  ///< "All", in the language chosen

/// What the row's menus say: a launch, but for its blocks, of which the menu knows more than one can know
/// before the grid is.
struct LaunchMenus {
  LaunchRequest launch = launch_of_kernel("tiled", {{"m", 256}, {"p", 256}, {"n", 256}});
  BlocksMenu blocks = BlocksMenu::all;
  std::string chosen_blocks = "0,0";
  std::optional<Dim3>
      drawn;  ///< With `all_draw_one`: which; nullopt, or one outside the grid: that of the middle

  /// The id of a kernel of the ladder, or cuBLAS's; empty: the launch is one of a file's kernel.
  [[nodiscard]] std::string kernel() const;
  [[nodiscard]] bool on_gpu() const { return launch.engine == Engine::gpu; }
};
/// What the menu of the blocks shows while it is closed: its choice, and of one block, which: "All, draw
/// 66,64".
[[nodiscard]] std::string blocks_in_words(const LaunchMenus& menus);
/// The launch that the menus describe; the error says which of them cannot be.
[[nodiscard]] Result<LaunchRequest> request_of(const LaunchMenus& menus);
[[nodiscard]] Dim3 middle_of(Dim3 grid);
/// Whether the accesses of all blocks are more than are kept unless each is looked at, as far as the middle
/// one tells: as much of it is replayed as it takes, of a kernel of the catalogue without what its buffers
/// hold. False where it cannot be told.
[[nodiscard]] bool has_too_many_events(const LaunchRequest& request, replay::Progress* progress);
/// A launch in words, to be recorded with the events of those blocks; nullopt: of none. Where those of all
/// blocks are more than are kept, they are those of `drawn`, or of the block in the middle.
[[nodiscard]] Result<LaunchRequest> make_request_to_record(SubjectKind kind, const std::string& subject,
                                                           const LaunchWords& words,
                                                           analysis::ComputeCapability cc,
                                                           const std::optional<BlockChoice>& event_blocks,
                                                           const std::optional<Dim3>& drawn = {});
/// The launch on the GPU that they describe.
[[nodiscard]] Result<gpu::RunRequest> run_request_of(const LaunchMenus& menus);
/// Chooses a kernel; sizes stay if they are alike in both kernels, parameters that both have if the value is
/// one of this kernel's, others are at their defaults.
void choose_kernel(LaunchMenus& menus, const KernelDescriptor& kernel);
/// Up to which value the window lets one type an extent: larger products take longer than anyone looks at a
/// window, and are for the command line.
[[nodiscard]] std::int64_t largest_in_window(const KernelDescriptor& kernel, const ExtentInfo& extent);
/// Whether both say the same launch, blocks and where it runs included. Under which rules it is costed is no
/// part of a launch.
[[nodiscard]] bool same_launch(const LaunchMenus& a, const LaunchMenus& b);
/// The same, but for the block that is drawn of all of them.
[[nodiscard]] bool same_but_drawn(const LaunchMenus& a, const LaunchMenus& b);
/// Whether a run on the GPU was of what the menus say.
[[nodiscard]] bool is_of(const gpu::RunResult& run, const LaunchMenus& menus);
/// "tiled · m 256 · p 256 · n 256 · T 16"
[[nodiscard]] std::string launch_in_words(const LaunchMenus& menus);
/// Sets the menus to what a recording was made with; rules and where it runs stay.
void follow(LaunchMenus& menus, const Recording& recording);

}  // namespace warplens::app
