#include "app/views/published_rates.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr float kTableMenuWidth = 220, kLowPanel = 200;

/// The six orders of the loops, which the published table has too.
constexpr std::array kLoopOrders{measure::CpuProduct::ijk, measure::CpuProduct::ikj,
                                 measure::CpuProduct::jik, measure::CpuProduct::jki,
                                 measure::CpuProduct::kij, measure::CpuProduct::kji};

bool measures_all_orders(const Frame& frame) {
  return frame.meter.on() && std::ranges::all_of(kLoopOrders, [&](measure::CpuProduct order) {
           return frame.meter.chosen(order);
         });
}

}  // namespace

PublishedRates::PublishedRates()
    : picture_([this](const Frame&, picture::Size size, const picture::Style& style) {
        return picture::make_published(compared_, size, style);
      }),
      source_([this](const Frame&, picture::Size size, const picture::Style& style) {
        return picture::make_published_source(compared_, size, style);
      }) {}

const PublishedTable* PublishedRates::table() const {
  const auto& tables = published_tables();
  return tables && chosen_ < tables->size() ? &(*tables)[chosen_] : nullptr;
}

void PublishedRates::draw_controls(const Frame& frame) {
  const Look& look = frame.look;
  const auto& tables = published_tables();
  if (!tables) return;
  const bool orders = table()->by == PublishedBy::loop_order;
  const float wanted = look.px(orders ? kTableMenuWidth - 70 : kTableMenuWidth);
  same_line_if_fits(look, wanted, 16);
  ImGui::SetNextItemWidth(std::min(ImGui::GetContentRegionAvail().x, wanted));
  if (ImGui::BeginCombo("##table", tr(table()->title.c_str()), ImGuiComboFlags_HeightLargest)) {
    for (std::size_t i = 0; i < tables->size(); ++i) {
      const PublishedTable& one = (*tables)[i];
      if (list_entry(labelled(tr(one.title.c_str()), one.id).c_str(), i == chosen_)) chosen_ = i;
      explain(look, tr(one.source.c_str()));
    }
    ImGui::EndCombo();
  }
  explain(look, tr("{table}: which published figures are shown.", "table"_a = tr(table()->title.c_str())));
  if (!orders) return;
  same_line_if_fits(look, checkbox_width(look, tr("Measure here")));
  bool on = measures_all_orders(frame);
  if (tick(look, labelled(tr("Measure here"), "measure_here").c_str(), on)) {
    for (const measure::CpuProduct order : kLoopOrders) {
      if (on) frame.meter.choose(order, true);
    }
    frame.meter.switch_on(on);
  }
  explain(look, tr("Multiplies in all six loop orders on this machine's CPU, again and again, for a ninth of "
                   "the time at most."));
}

void PublishedRates::draw_picture(const Frame& frame) {
  const auto& tables = published_tables();
  if (!tables)
    return write_wrapped(frame.look, tables.error().message(), {.colour = frame.look.palette->text});
  picture::Compared compared = compared_with_own(*table(), frame);
  if (compared != compared_) {
    compared_ = std::move(compared);
    picture_.forget();
    source_.forget();
  }
  const picture::Style style = frame.look.style();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool low =
      room.y < frame.look.px(kLowPanel);  // Then the menu of the tables alone says where they are from
  const float source =
      low ? 0
          : std::min(std::ceil(published_source_height(compared_, room.x, style)), std::floor(room.y * 0.5f));
  if (ImGui::BeginChild("published", {0, low ? 0 : -source - ImGui::GetStyle().ItemSpacing.y})) {
    const ImVec2 inside = ImGui::GetContentRegionAvail();
    const float height = std::max(inside.y, published_height(compared_, style));
    static_cast<void>(picture_.update(frame, {std::floor(inside.x), std::floor(height)}));
    picture_.show(frame, ImGui::GetCursorScreenPos());
  }
  end_child(frame.look);
  if (low) return;
  ImGui::PushID("source");
  static_cast<void>(source_.update(frame, {std::floor(room.x), source}));
  source_.show(frame, ImGui::GetCursorScreenPos());
  ImGui::PopID();
}

std::string PublishedRates::subtitle() const {
  return table() == nullptr ? "" : tr(table()->machine.c_str());
}

}  // namespace warplens::app
