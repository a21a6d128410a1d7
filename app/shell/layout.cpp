#include "app/shell/layout.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/shell/kept_file.h"
#include "app/shell/layout_check.h"
#include "app/shell/panels.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

/// The view with the lowest rank in each node is in front of its tabs.
void choose_front_tabs(const std::array<ImGuiID, 5>& nodes) {
  std::vector<ImGuiID> chosen;
  for (const viz::View& view : viz::views()) {
    if (!view.place) continue;
    const ImGuiID id = nodes[static_cast<std::size_t>(*view.place)];
    if (std::ranges::find(chosen, id) != chosen.end()) continue;
    chosen.push_back(id);
    const ImGuiID window = ImHashStr(window_name(view).c_str());
    if (ImGuiDockNode* node = ImGui::DockBuilderGetNode(id))
      node->SelectedTabId = ImHashStr("#TAB", 0, window);
  }
}

/// Dock nodes by viz::Place.
using Nodes = std::array<ImGuiID, 5>;

std::filesystem::path file_of(const std::filesystem::path& folder, Density density) {
  constexpr std::array kNames{"layout-wide.ini", "layout-medium.ini", "layout-low.ini", "layout-narrow.ini"};
  return folder / kNames[static_cast<std::size_t>(density)];
}

/// False of a layout from when panels were known by their titles.
bool names_views(const std::string& layout) {
  return std::ranges::any_of(viz::views(), [&](const viz::View& view) {
    return layout.find(fmt::format("[Window][{}]", view.id)) != std::string::npos;
  });
}

ImGuiID split(ImGuiID& node, ImGuiDir side, float part) {
  ImGuiID rest = 0;
  const ImGuiID cut = ImGui::DockBuilderSplitNode(node, side, part, nullptr, &rest);
  node = rest;
  return cut;
}

Nodes split_wide(ImGuiID root) {
  const ImGuiID left = split(root, ImGuiDir_Left, 0.25f);
  ImGuiID right = split(root, ImGuiDir_Right, 0.57f);
  const ImGuiID right_bottom = split(right, ImGuiDir_Down, 0.45f);
  const ImGuiID middle_bottom = split(root, ImGuiDir_Down, 0.5f);
  return {left, root, middle_bottom, right, right_bottom};
}

Nodes split_medium(ImGuiID root) {
  const ImGuiID left = split(root, ImGuiDir_Left, 0.42f);
  const ImGuiID bottom = split(root, ImGuiDir_Down, 0.5f);
  return {left, root, bottom, bottom, root};
}

/// Two panels side by side: the source and the tiles, the accesses and the throughput.
Nodes split_low(ImGuiID root) {
  const ImGuiID left = split(root, ImGuiDir_Left, 0.48f);
  return {left, left, root, root, root};
}

void scale_nodes(ImGuiDockNode& node, ImVec2 by) {
  node.SizeRef = {node.SizeRef.x * by.x, node.SizeRef.y * by.y};
  for (ImGuiDockNode* child : node.ChildNodes) {
    if (child != nullptr) scale_nodes(*child, by);
  }
}

/// Returns the room of a layout that was loaded: the node itself has a size only once it is drawn.
/// `else_size`: if it has no parts.
ImVec2 room_of_parts(const ImGuiDockNode& node, ImVec2 else_size) {
  const ImGuiDockNode *const one = node.ChildNodes[0], *const other = node.ChildNodes[1];
  if (one == nullptr || other == nullptr) return else_size;
  const ImVec2 a = one->SizeRef, b = other->SizeRef;
  return node.SplitAxis == ImGuiAxis_X ? ImVec2(a.x + b.x, std::max(a.y, b.y))
                                       : ImVec2(std::max(a.x, b.x), a.y + b.y);
}

/// The node of a window, or the one around it, that has another beside it; null: there is none.
ImGuiDockNode* column_of(const std::string& window) {
  const ImGuiWindow* const drawn = ImGui::FindWindowByName(window.c_str());
  ImGuiDockNode* node = drawn == nullptr ? nullptr : drawn->DockNode;
  while (node != nullptr && node->ParentNode != nullptr && node->ParentNode->SplitAxis != ImGuiAxis_X)
    node = node->ParentNode;
  return node == nullptr || node->ParentNode == nullptr ? nullptr : node;
}

void note_sizes(const ImGuiDockNode& node, NodeSizes& sizes) {
  sizes.nodes.emplace_back(node.ID, node.SizeRef);
  for (const ImGuiDockNode* const child : node.ChildNodes) {
    if (child != nullptr) note_sizes(*child, sizes);
  }
}

}  // namespace

Density density_of(ImVec2 size) {
  if (size.x >= 1100 && size.y >= 560) return Density::wide;
  if (size.x < 760) return Density::narrow;
  return size.y >= 640 ? Density::medium : Density::low;
}

void build_layout(ImGuiID dock_space, Density density, ImVec2 size) {
  ImGui::DockBuilderRemoveNode(dock_space);
  ImGui::DockBuilderAddNode(dock_space, ImGuiDockNodeFlags_DockSpace);
  ImGui::DockBuilderSetNodeSize(dock_space, size);
  Nodes nodes;
  switch (density) {
    case Density::wide: nodes = split_wide(dock_space); break;
    case Density::medium: nodes = split_medium(dock_space); break;
    case Density::low: nodes = split_low(dock_space); break;
    case Density::narrow: nodes.fill(dock_space); break;
  }
  for (const viz::View& view : viz::views()) {
    if (view.place)
      ImGui::DockBuilderDockWindow(window_name(view).c_str(), nodes[static_cast<std::size_t>(*view.place)]);
  }
  ImGui::DockBuilderFinish(dock_space);
  choose_front_tabs(nodes);
}

// By itself Dear ImGui gives all that is won or lost to the one node that it calls central.
void share_room(ImGuiID dock_space, ImVec2 size, ImVec2& shared) {
  constexpr float kLeast = 120;  // Smaller windows show nothing; their shares would be lost in rounding
  ImGuiDockNode* const root = ImGui::DockBuilderGetNode(dock_space);
  if (root == nullptr || size.x < kLeast || size.y < kLeast) return;
  if (shared.x <= 0) shared = room_of_parts(*root, size);
  if (shared.x < kLeast || shared.y < kLeast) shared = size;
  if (std::abs(shared.x - size.x) < 1 && std::abs(shared.y - size.y) < 1)
    return;  // Dear ImGui keeps whole pixels
  scale_nodes(*root, {size.x / shared.x, size.y / shared.y});
  shared = size;
}

float part_of_width(const std::string& window) {
  const ImGuiDockNode* const column = column_of(window);
  return column == nullptr
             ? 0
             : column->Size.x / std::max(ImGui::DockNodeGetRootNode(column->ParentNode)->Size.x, 1.0f);
}

void give_part_of_width(const std::string& window, float part) {
  ImGuiDockNode* const column = column_of(window);
  if (column == nullptr) return;
  ImGuiDockNode& parent = *column->ParentNode;
  ImGuiDockNode& other = *parent.ChildNodes[parent.ChildNodes[0] == column ? 1 : 0];
  const float wanted = part * ImGui::DockNodeGetRootNode(&parent)->Size.x, least = 0.2f * parent.Size.x;
  if (column->Size.x <= 0 || other.Size.x <= 0) return;
  const float given = std::clamp(wanted, least, parent.Size.x - least),
              both = column->Size.x + other.Size.x;  // A gap lies between them
  scale_nodes(*column, {given / column->Size.x, 1});
  scale_nodes(other, {(both - given) / other.Size.x, 1});
}

NodeSizes sizes_of_nodes(const std::string& window) {
  NodeSizes sizes;
  const ImGuiDockNode* const column = column_of(window);
  if (column == nullptr) return sizes;
  const ImGuiDockNode& root = *ImGui::DockNodeGetRootNode(column->ParentNode);
  sizes.root = root.Size;
  note_sizes(root, sizes);
  return sizes;
}

void give_sizes(const std::string& window, const NodeSizes& sizes) {
  const ImGuiDockNode* const column = column_of(window);
  if (column == nullptr || sizes.root.x <= 0 || sizes.root.y <= 0) return;
  const ImGuiDockNode& root = *ImGui::DockNodeGetRootNode(column->ParentNode);
  const ImVec2 by{root.Size.x / sizes.root.x, root.Size.y / sizes.root.y};
  for (const auto& [id, size] : sizes.nodes) {
    if (ImGuiDockNode* const node = ImGui::DockBuilderGetNode(id))
      node->SizeRef = {size.x * by.x, size.y * by.y};
  }
}

Result<bool> load_layout(const std::filesystem::path& folder, Density density) {
  const auto path = file_of(folder, density);
  const auto refused = [&](const Error& error) {
    return set_aside(
        path, {tr("the layout of the panels cannot be read: {reason}", "reason"_a = error.what), "", ""},
        tr("the layout of the panels is reset"));
  };
  const auto text = read_kept(path);
  if (!text) return refused(text.error());
  if (!*text) return false;
  const auto layout = checked_layout(**text);
  if (!layout) return refused(layout.error());
  if (!names_views(*layout)) return false;
  ImGui::LoadIniSettingsFromMemory(layout->data(), layout->size());
  return true;
}

Result<Done> save_layout(const std::filesystem::path& folder, Density density) {
  std::size_t length = 0;
  const char* text = ImGui::SaveIniSettingsToMemory(&length);
  return write_kept(file_of(folder, density), std::string(text, length));
}

}  // namespace warplens::app
