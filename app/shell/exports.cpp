#include "app/shell/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warplens::app {
namespace {

constexpr float kHeaderHeight = 30;
constexpr float kLeastSize = 100, kMostSize = 20000, kLeastScale = 0.25f, kMostScale = 8;  // viz::make_view's

}  // namespace

bool can_be_exported(const viz::View& view, const ExportWay& way) {
  return viz::is_written_as(view, way.extension);
}

bool can_be_exported(const viz::View& view) {
  return std::ranges::any_of(kExportWays, [&](const ExportWay& way) { return can_be_exported(view, way); });
}

std::string name_of(const ExportWay& way, const viz::View& view) {
  if (way.to_clipboard)
    return tr("Copy {view} as {format}", "view"_a = tr(view.title), "format"_a = tr(way.words));
  return tr("Export {view} as {format} ...", "view"_a = tr(view.title), "format"_a = tr(way.words));
}

std::string id_of(const ExportWay& way, const viz::View& view) {
  return fmt::format("{}.{}.{}", way.to_clipboard ? "copy" : "export", view.id, way.id);
}

viz::ExportRequest sized_request(const Panel& panel, const ExportWay& way, float scale) {
  viz::ExportRequest request{.view = std::string(panel.view->id)};
  if (panel.size.x <= 0 || panel.size.y <= 0) {
    request.width *= way.scale;
    request.height *= way.scale;
    request.scale = way.scale;
    return request;
  }
  const float larger =
      std::min({way.scale, kMostScale / scale, kMostSize / panel.size.x, kMostSize / panel.size.y});
  request.width = std::clamp(std::floor(panel.size.x * larger), kLeastSize, kMostSize);
  request.height = std::clamp(std::floor(panel.size.y * larger), kLeastSize, kMostSize);
  request.scale = std::clamp(scale * larger, kLeastScale, kMostScale);
  return request;
}

std::optional<ExportWay> ExportMenu::draw(const Look& look, const Panels& panels, bool enabled) {
  constexpr const char* kName = "export";
  if (wanted_) {
    panel_ = *std::exchange(wanted_, std::nullopt);
    ImGui::OpenPopup(kName);
  }
  const Panel& panel = panels.all()[panel_];
  ImGui::SetNextWindowPos({panel.at.x + panel.size.x - look.px(4), panel.at.y + look.px(kHeaderHeight)},
                          ImGuiCond_Appearing, {1, 0});
  if (!ImGui::BeginPopup(kName, ImGuiWindowFlags_NoMove)) return std::nullopt;
  std::optional<ExportWay> chosen;
  bool copying = false;
  for (const ExportWay& way : kExportWays) {
    if (!can_be_exported(*panel.view, way)) continue;
    if (way.to_clipboard && !std::exchange(copying, true)) ImGui::Separator();
    if (ImGui::MenuItem(labelled(name_of(way, *panel.view), id_of(way, *panel.view)).c_str(), nullptr, false,
                        enabled))
      chosen = way;
  }
  ImGui::EndPopup();
  return chosen;
}

}  // namespace warplens::app
