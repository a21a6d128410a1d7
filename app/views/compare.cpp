// Two of the recordings that the window holds, beside each other: one picture of both, and what changed.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/session/comparison.h"
#include "app/session/matching.h"
#include "app/views/own_runs.h"
#include "app/views/picture_view.h"
#include "app/views/view.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr float kArrowWidth = 36, kLaunchWidth = 200, kPictureWidth = 130, kLetterWidth = 22;
constexpr float kLeastPictureWidth = 250, kLeastPictureHeight = 170, kLeastTableHeight = 110;
constexpr float kPicturesShare = 0.68f;  ///< Of the height, where both have room
constexpr float kGap = 10;
constexpr const char* kPictures[] = {"banks", "coalescing", "phases", "heat", "divergence", "costs", "source", "occupancy"};

std::string name_of(const Shown& shown) {
  return fmt::format("{} · CC {}", launch_in_words(shown.menus), shown.loaded->cc.name());
}

bool same_side(const viz::Side& a, const viz::Side& b) {
  const auto place = [](const picture::Moment& moment) {
    return std::tuple{moment.recording, moment.cc, moment.event_block, moment.warp, moment.phase, moment.step};
  };
  return a.results == b.results && place(a.moment) == place(b.moment);
}

viz::Side side_of(const Frame& frame) {
  return {frame.moment(), frame.shown.get()};
}

/// A picture of one side, for what is selected in it, to one scale with that of the other side.
class HalfPicture {
 public:
  explicit HalfPicture(const viz::View* const& view)
      : picture_([this, &view](const Frame& frame, picture::Size size, const picture::Style& style) {
          viz::Subject subject = frame.subject();
          subject.beside = beside_;
          return view->make(subject, size, style);
        }) {}

  void draw(const Frame& frame, const viz::Side& beside, picture::Size size) {
    if (!same_side(beside, beside_)) picture_.forget();
    beside_ = beside;
    static_cast<void>(picture_.update(frame, size));
    picture_.show(frame, ImGui::GetCursorScreenPos());
  }
  void forget() { picture_.forget(); }

 private:
  viz::Side beside_;
  PictureView picture_;
};

class CompareView : public Widget {
 public:
  std::string draw(const Frame& frame) override {
    const Shown* const a = other_side(frame);
    const Shown* const b = shown_side(frame);
    if (a == nullptr || b == nullptr) {
      if (std::exchange(changes_, nullptr)) table_.forget();
      draw_table(frame);
      return {};
    }
    follow(frame, *a, *b);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const Look& look = frame.look;
    const bool wide = room.x >= look.px(2 * kLeastPictureWidth + kGap), high = room.y >= look.px(kLeastPictureHeight + kLeastTableHeight);
    const bool halves = wide && high;
    draw_choices(frame, *a, *b, halves ? std::floor((room.x + look.px(kGap)) / 2) : 0);
    place_note_.clear();
    if (halves) draw_halves(frame, *a, {room.x, std::floor(room.y * kPicturesShare)});
    draw_table(frame);
    return place_note_;
  }

  void amend(viz::ExportRequest& request) const override { request.subject.changes = changes_; }

  [[nodiscard]] std::vector<WidgetCommand> commands() override {
    std::vector<WidgetCommand> commands;
    for (const char* const id : kPictures) {
      if (const viz::View* const view = viz::find_view(id)) commands.push_back({id, tr(view->title), [this, view] { choose(view); }});
    }
    return commands;
  }

 private:
  using Times = std::pair<std::optional<MeasuredTime>, std::optional<MeasuredTime>>;

  /// As it was run by itself, or among the ladder.
  static std::optional<MeasuredTime> time_of(const Frame& frame, const Shown& shown) {
    if (shown.run) return measured_time(*shown.run);
    if (shown.menus.launch.rung() == nullptr) return std::nullopt;
    for (const gpu::RunResult* const run : own_runs(frame.model.gpu)) {
      if (is_of(*run, shown.menus)) return measured_time(*run);
    }
    return std::nullopt;
  }

  static const Shown* shown_side(const Frame& frame) {
    const auto found = std::ranges::find(frame.held, frame.shown, &Shown::loaded);
    return frame.shown == nullptr || found == frame.held.end() ? nullptr : &*found;
  }

  /// What was chosen, as long as it is held; else what was on screen before, or what comes after.
  const Shown* other_side(const Frame& frame) const {
    const Shown* const b = shown_side(frame);
    if (b == nullptr || frame.held.size() < 2) return nullptr;
    const auto chosen =
        std::ranges::find_if(frame.held, [this](const Shown& shown) { return shown.loaded && shown.loaded->recording == chosen_.lock(); });
    if (chosen != frame.held.end() && &*chosen != b) return &*chosen;
    return b == &frame.held.front() ? b + 1 : b - 1;
  }

  /// What is derived from both, made once.
  void follow(const Frame& frame, const Shown& a, const Shown& b) {
    Times times{time_of(frame, a), time_of(frame, b)};
    if (a_ == a.loaded && b_ == b.loaded && times_ == times && changes_) return;
    a_ = a.loaded;
    b_ = b.loaded;
    times_ = std::move(times);
    changes_ = std::make_shared<const picture::Changes>(changes_of(compare({*a_, times_->first}, {*b_, times_->second}), name_of(a), name_of(b)));
    table_.forget();
  }

  /// `right`: where the right half begins, from the left; 0: there are no halves.
  void draw_choices(const Frame& frame, const Shown& a, const Shown& b, float right) {
    const Look& look = frame.look;
    const float left = ImGui::GetCursorPosX(), room = right > 0 ? right - look.px(kGap) : ImGui::GetContentRegionAvail().x;
    draw_letter(look, "A", look.palette->accent);
    const std::string name = name_of(a);
    const float width = std::min(menu_width(look, name, kLaunchWidth) + look.px(kArrowWidth / 2), room - look.px(kLetterWidth));
    ImGui::SetNextItemWidth(width);
    draw_launch_choice(frame, a, shortened(look, name, {}, width - look.px(kArrowWidth)));
    if (right > 0) {
      ImGui::SameLine(left + right);
    } else {
      same_line_if_fits(look, look.px(kLetterWidth) + width_of(look, name_of(b), {}));
    }
    draw_letter(look, "B", look.palette->fill);
    const TextStyle muted{.colour = look.palette->muted};
    const float of_name = ImGui::GetContentRegionAvail().x - (right > 0 ? look.px(kPictureWidth + kGap) : 0);
    write(look, shortened(look, name_of(b), muted, of_name), muted);
    explain(look, name_of(b));
    if (right > 0) draw_picture_choice(look);
  }

  static void draw_letter(const Look& look, const char* letter, picture::Colour colour) {
    ImGui::AlignTextToFramePadding();
    write(look, letter, {.colour = colour, .font = picture::Font::sans_bold});
    ImGui::SameLine();
  }

  void draw_launch_choice(const Frame& frame, const Shown& a, const std::string& name) {
    if (ImGui::BeginCombo("##a", name.c_str(), ImGuiComboFlags_HeightLarge)) {
      for (std::size_t i = 0; i < frame.held.size(); ++i) {
        const Shown& held = frame.held[i];
        if (held.loaded == nullptr || held.loaded == frame.shown) continue;
        if (list_entry(labelled(name_of(held), std::to_string(i)).c_str(), &held == &a)) chosen_ = held.loaded->recording;
      }
      ImGui::EndCombo();
    }
    explain(frame.look, tr("A: {launch}. Any launch that the window holds; B is the one on screen.", "launch"_a = name_of(a)));
  }

  void draw_picture_choice(const Look& look) {
    ImGui::SameLine();
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - look.px(kPictureWidth));
    ImGui::SetNextItemWidth(look.px(kPictureWidth));
    if (ImGui::BeginCombo("##picture", tr(view_->title), ImGuiComboFlags_HeightLarge)) {
      for (const char* const id : kPictures) {
        const viz::View* const view = viz::find_view(id);
        if (view != nullptr && list_entry(labelled(tr(view->title), id).c_str(), view == view_)) choose(view);
      }
      ImGui::EndCombo();
    }
    explain(look, tr("Which picture of both."));
  }

  void choose(const viz::View* view) {
    view_ = view;
    half_a_.forget();
    half_b_.forget();
  }

  void draw_halves(const Frame& frame, const Shown& a, ImVec2 size) {
    const float gap = frame.look.px(kGap), width = std::floor((size.x - gap) / 2);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Matched& match = match_of(frame, a);
    Selection selection = match.selection;
    Hover hovered, hover;
    hovered.lane = frame.hovered.lane;
    std::optional<Dim3> no_block;
    const Frame of_a = frame.with(a.loaded, selection, hovered, hover, no_block);
    ImGui::PushID("A");
    half_a_.draw(of_a, side_of(frame), {width, size.y});
    ImGui::PopID();
    if (hover.lane) frame.hover.lane = hover.lane;
    if (!(selection == match.selection)) frame.selection = matched(*a.loaded, selection, frame.loaded()).selection;
    ImGui::PushID("B");
    ImGui::SetCursorScreenPos({at.x + width + gap, at.y});
    half_b_.draw(frame, side_of(of_a), {width, size.y});
    ImGui::PopID();
    ImGui::SetCursorScreenPos({at.x, at.y + size.y});
    place_note_ = match.difference.empty() ? std::string(tr("matched by phase")) : match.difference;
  }

  /// Looked for when the place changes, not in every frame: a phase may have many accesses.
  const Matched& match_of(const Frame& frame, const Shown& a) {
    if (!match_ || match_->from != frame.shown || match_->to != a.loaded || !(match_->selection == frame.selection))
      match_ = Match{frame.shown, a.loaded, frame.selection, matched(frame.loaded(), frame.selection, *a.loaded)};
    return match_->found;
  }

  void draw_table(const Frame& frame) {
    if (ImGui::BeginChild("table")) {
      const ImVec2 room = ImGui::GetContentRegionAvail();
      const float least = changes_ ? picture::changes_height(*changes_, room.x, frame.look.style()) : 0;
      static_cast<void>(table_.update(frame, {std::floor(room.x), std::floor(std::max(room.y, least))}));
      table_.show(frame, ImGui::GetCursorScreenPos());
    }
    ImGui::EndChild();
  }

  struct Match {
    std::shared_ptr<const Loaded> from, to;
    Selection selection;
    Matched found;
  };

  std::weak_ptr<const Recording> chosen_;
  std::shared_ptr<const Loaded> a_, b_;  ///< That `changes_` is of
  std::optional<Times> times_;
  std::optional<Match> match_;
  std::shared_ptr<const picture::Changes> changes_;
  const viz::View* view_ = viz::find_view(kPictures[0]);
  std::string place_note_;
  HalfPicture half_a_{view_}, half_b_{view_};
  PictureView table_{[this](const Frame& frame, picture::Size size, const picture::Style& style) {
    viz::Subject subject = frame.subject();
    subject.changes = changes_;
    return viz::find_view("compare")->make(subject, size, style);
  }};
};

const RegisterWidget kWidget{"compare", make_one<CompareView>};

}  // namespace
}  // namespace warplens::app
