#include "app/views/compare_halves.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace warplens::app {
namespace {

constexpr float kBesidesRows = 70;  ///< Of a list: its margins, headings and sentence

bool same_side(const viz::Side& a, const viz::Side& b) {
  const auto place = [](const picture::Moment& moment) {
    return std::tuple{moment.recording, moment.cc,    moment.event_block,
                      moment.warp,      moment.phase, moment.step};
  };
  return a.results == b.results && a.by_step == b.by_step && place(a.moment) == place(b.moment);
}

}  // namespace

viz::Side side_of(const Frame& frame) {
  return {frame.moment(), frame.shown.get()};
}

void HalfView::choose(const viz::View& view) {
  view_ = &view;
  widget_ = view.make == nullptr ? make_widget(view) : nullptr;
  picture_.forget();
}

void HalfView::draw(const Frame& frame, const viz::Side& beside, ImVec2 size) {
  if (widget_) {
    if (ImGui::BeginChild("half", size)) static_cast<void>(widget_->draw(frame));
    ImGui::EndChild();
    return;
  }
  if (!same_side(beside, beside_)) picture_.forget();
  beside_ = beside;
  static_cast<void>(picture_.update(frame, {size.x, size.y}));
  picture_.show(frame, ImGui::GetCursorScreenPos());
}

void DifferenceView::choose(const viz::View& view) {
  view_ = &view;
  counted_.reset();
  first_row_ = 0;
  picture_.forget();
}

viz::Subject DifferenceView::subject(const Frame& frame) const {
  viz::Subject subject = frame.subject();
  subject.beside = a_;
  if (view_->difference_rows != nullptr) subject.first_row = first_row_;
  return subject;
}

void DifferenceView::draw(const Frame& frame, const viz::Side& a, ImVec2 size) {
  if (!same_side(a, a_)) picture_.forget();
  a_ = a;
  if (view_->difference_rows != nullptr) {
    draw_list(frame, size);
  } else {
    static_cast<void>(picture_.update(frame, {size.x, size.y}));
    picture_.show(frame, ImGui::GetCursorScreenPos());
  }
}

void DifferenceView::draw_list(const Frame& frame, ImVec2 size) {
  const float besides = frame.look.px(kBesidesRows), height = std::max(1.0f, rows_.height);
  ImGui::SetNextWindowContentSize({0, height * static_cast<float>(rows_.count) + besides});
  if (ImGui::BeginChild("list", size)) {
    const picture::Moment moment = frame.moment();
    const auto event = moment.event();
    const Place place{a_.results, frame.shown.get(), event ? moment.site_of(*event).line : 0,
                      frame.look.scale};
    if (counted_ != place) {
      counted_ = place;
      rows_ = view_->difference_rows(subject(frame), frame.look.style());
      const auto fit =
          static_cast<std::size_t>(std::max(0.0f, size.y - besides) / std::max(1.0f, rows_.height));
      if (rows_.current < first_row_ || rows_.current >= first_row_ + fit) {
        const std::size_t first = rows_.current > fit / 3 ? rows_.current - fit / 3 : 0;
        ImGui::SetScrollY(rows_.height * static_cast<float>(first));
      }
    }
    const auto first = static_cast<std::size_t>(std::round(ImGui::GetScrollY() / height));
    if (std::exchange(first_row_, first) != first) picture_.forget();
    const ImVec2 at = ImGui::GetWindowPos();
    static_cast<void>(picture_.update(frame, {std::floor(ImGui::GetContentRegionAvail().x), size.y}));
    picture_.show(frame, at);
  }
  ImGui::EndChild();
}

}  // namespace warplens::app
