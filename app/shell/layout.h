// How the panels lie: one layout for each width of window, each kept by itself, so that scaling up for a
// projector does not squeeze six panels.
#pragma once

#include <imgui.h>

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/result.h"

namespace warplens::app {

/// A panel smaller than that, in pixels at a scale of 1, has no room for its picture, its figure and its
/// sentence.
inline constexpr ImVec2 kLeastPanel{220, 140};

enum class Density : unsigned char { wide, medium, low, narrow };
/// `size`: of the window, in pixels divided by the scale.
[[nodiscard]] Density density_of(ImVec2 size);

/// Lays all views out as at a first start.
void build_layout(ImGuiID dock_space, Density density, ImVec2 size);

/// Gives every panel its share of a dock space that has another size than `shared`, the one that was shared
/// out last; {0, 0}: what its layout was made for. Call before the dock space is drawn.
void share_room(ImGuiID dock_space, ImVec2 size, ImVec2& shared);

/// The part of the layout's width that a window's panel has, or the column of panels that it stands in; 0: it
/// has all, or is nowhere.
[[nodiscard]] float part_of_width(const std::string& window);
/// Gives it another part, between it and its neighbours; what it had stays where nothing is beside it.
void give_part_of_width(const std::string& window, float part);

/// The sizes of all nodes of a layout.
struct NodeSizes {
  ImVec2 root;
  std::vector<std::pair<ImGuiID, ImVec2>> nodes;
};
/// Returns the sizes of the layout that a window's panel is in; none where it is nowhere.
[[nodiscard]] NodeSizes sizes_of_nodes(const std::string& window);
/// Gives the nodes the sizes again that they had, or the same shares where the layout has another size by
/// now.
void give_sizes(const std::string& window, const NodeSizes& sizes);

/// The kept layout of a density. Call outside a frame. False if there is none that names views by their ids;
/// the error: it is damaged, and has been set aside.
[[nodiscard]] Result<bool> load_layout(const std::filesystem::path& folder, Density density);
[[nodiscard]] Result<Done> save_layout(const std::filesystem::path& folder, Density density);

}  // namespace warplens::app
