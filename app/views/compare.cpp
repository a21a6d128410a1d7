// Two of the recordings that the window holds, beside each other: one picture of both, and what changed.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/session/comparison.h"
#include "app/session/matching.h"
#include "app/views/compare_choice.h"
#include "app/views/compare_halves.h"
#include "app/views/own_runs.h"
#include "app/views/picture_view.h"
#include "app/views/view.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr float kArrowWidth = 36, kLaunchWidth = 200, kPictureWidth = 120, kMannerWidth = 110,
                kMatchWidth = 96, kLetterWidth = 22;
constexpr float kLeastPictureWidth = 250, kLeastPictureHeight = 170, kLeastTableHeight = 110;
constexpr float kPicturesShare = 0.7f;  ///< Of the height beneath the menus, where both have room
constexpr float kFirstRows =
    76;  ///< Of the table's height, which it keeps: its heading, and what changed most
constexpr float kLeastHeightInHall = 230;  ///< Where letters are as large as a hall needs
constexpr float kPicturesShareInHall = 0.64f, kSourceShareInHall = 0.27f, kLeastWidthForSource = 820;
constexpr float kGap = 10;

constexpr const char *kFirstPicture = "banks", *kFirstWithoutBanks = "coalescing";

bool uses_shared_memory(const Loaded& loaded) {
  return std::ranges::any_of(loaded.recording->sites,
                             [](const Site& site) { return site.space == Space::shared; });
}

/// Whether a view can be compared: it has a panel of its own, and is of a recording.
bool is_compared(const viz::View& view) {
  return view.needs_recording && !view.of_two && view.place.has_value();
}

/// "tiled · T 16 · CC 9.0" of "tiled · 256³ · T 16 · CC 9.0".
std::string without_size(std::string name) {
  constexpr std::string_view kCube = "\u00b3";
  const std::size_t cube = name.find(kCube);
  const std::size_t begin = cube == std::string::npos ? cube : name.rfind(" · ", cube);
  return begin == std::string::npos ? name : name.erase(begin, cube + kCube.size() - begin);
}

/// A launch's name, without its size where there is no room for it, and with what there is room for.
std::string fitted_name(const Look& look, const std::string& name, const TextStyle& style, float width) {
  return shortened(look, width_of(look, name, style) > width ? without_size(name) : name, style, width);
}

class CompareView : public Widget {
 public:
  CompareView() {
    show(*viz::find_view(kFirstPicture));
    sources_.choose(*viz::find_view("source"));
  }

  std::string draw(const Frame& frame) override {
    const Shown* const b = launch_on_screen(frame);
    const Shown* const a = choice_.find(frame);
    place_note_.clear();
    drawn_.reset();
    if (b == nullptr || a == nullptr) {
      forget_both();
      if (b != nullptr) draw_choices(frame, nullptr, *b, 0);
      if (choice_.failed()) {
        show_nothing(frame, tr("There is not enough memory to show this launch with other memory rules."),
                     tr("Choose another launch for A."));
      } else if (choice_.costing()) {
        show_nothing(frame,
                     tr("This launch uses the memory rules of compute capability {capability}.",
                        "capability"_a = choice_.costing()->name()),
                     tr("It is compared as soon as that is done."));
      } else {
        draw_table(frame);
      }
      return {};
    }
    follow(frame, *a, *b);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const Look& look = frame.look;
    const bool in_hall = look.min_text > 0;
    const bool wide = room.x >= look.px(2 * kLeastPictureWidth + kGap),
               high =
                   room.y >= look.px(in_hall ? kLeastHeightInHall : kLeastPictureHeight + kLeastTableHeight);
    const bool halves = wide && high;
    draw_choices(frame, a, *b, halves ? std::floor((room.x + look.px(kGap)) / 2) : 0);
    if (halves && in_hall) {
      draw_in_hall(frame, *a);
      return place_note_;
    }
    if (halves) {
      const float rest = ImGui::GetContentRegionAvail().y;
      draw_both(frame, *a, {room.x, std::floor(std::min(rest * kPicturesShare, rest - look.px(kFirstRows)))});
    }
    draw_table(frame);
    return place_note_;
  }

  void amend(viz::ExportRequest& request) const override {
    request.subject.changes = changes_;
    if (!drawn_) return;
    request.subject.beside = beside_;
    request.subject.drawn = drawn_;
    request.subject_owner = a_;
  }

  [[nodiscard]] std::vector<WidgetCommand> commands() override {
    std::vector<WidgetCommand> commands;
    for (const viz::View& view : viz::views()) {
      if (is_compared(view))
        commands.push_back({std::string(view.id), tr(view.title), [this, &view] { choose(view); }});
    }
    commands.push_back({"side_by_side", tr("Side by side"), [this] { difference_ = false; }});
    commands.push_back({"difference", tr("Difference"), [this] { difference_ = true; }});
    commands.push_back({"by_phase", tr("Match by phase"), [this] { by_ = MatchBy::phase; }});
    commands.push_back({"by_step", tr("Match by step"), [this] { by_ = MatchBy::step; }});
    return commands;
  }

 private:
  /// Beside the pictures, where there is room, the sources of both; beneath, what changed.
  void draw_in_hall(const Frame& frame, const Shown& a) {
    const Look& look = frame.look;
    const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    const bool with_source = room.x >= look.px(kLeastWidthForSource);
    const float gap = look.px(kGap), source = with_source ? std::floor(room.x * kSourceShareInHall) : 0;
    const ImVec2 right{at.x + source + (with_source ? gap : 0), at.y};
    const ImVec2 pictures{at.x + room.x - right.x, std::floor(room.y * kPicturesShareInHall)};
    ImGui::SetCursorScreenPos(right);
    draw_both(frame, a, pictures);
    if (with_source && beside_) {
      ImGui::SetCursorScreenPos(at);
      ImGui::PushID("source");
      sources_.draw(frame, *beside_, {source, room.y});
      ImGui::PopID();
    }
    ImGui::SetCursorScreenPos({right.x, at.y + pictures.y});
    draw_table(frame);
  }

  using Times = std::pair<std::optional<MeasuredTime>, std::optional<MeasuredTime>>;

  /// Returns the time of a launch as it was run by itself, or among the ladder.
  static std::optional<MeasuredTime> time_of(const Frame& frame, const Shown& shown) {
    if (shown.run) return measured_time(*shown.run);
    if (shown.menus.launch.catalog_kernel() == nullptr) return std::nullopt;
    for (const gpu::RunResult* const run : own_runs(frame.model.gpu)) {
      if (is_of(*run, shown.menus)) return measured_time(*run);
    }
    return std::nullopt;
  }

  void forget_both() {
    a_.reset();
    b_.reset();
    if (std::exchange(changes_, nullptr)) table_.forget();
  }

  /// What is derived from both, made once.
  void follow(const Frame& frame, const Shown& a, const Shown& b) {
    Times times{time_of(frame, a), time_of(frame, b)};
    if (a_ == a.loaded && b_ == b.loaded && times_ == times && changes_) return;
    a_ = a.loaded;
    b_ = b.loaded;
    times_ = std::move(times);
    changes_ = std::make_shared<const picture::Changes>(
        changes_of(compare({*a_, times_->first}, {*b_, times_->second}), compared_name(frame, a),
                   compared_name(frame, b)));
    table_.forget();
    if (!picked_)
      show(*viz::find_view(uses_shared_memory(*a_) || uses_shared_memory(*b_) ? kFirstPicture
                                                                              : kFirstWithoutBanks));
  }

  /// `a` may be null. `right`: where the right half begins, from the left; 0: there are no halves. The menus
  /// have a line of their own where both names would be cut beside them.
  void draw_choices(const Frame& frame, const Shown* a, const Shown& b, float right) {
    const Look& look = frame.look;
    const float left = ImGui::GetCursorPosX(),
                room = right > 0 ? right - look.px(kGap) : ImGui::GetContentRegionAvail().x;
    const std::string name_a = name_of_a(frame, a, b), name_b = compared_name(frame, b);
    const TextStyle muted{.colour = look.palette->muted};
    const bool in_hall =
        look.min_text > 0;  // There is room for the names; how places are matched is chosen by the palette
    const float beside_a = right > 0 && !in_hall ? look.px(kMatchWidth + kGap) : 0,
                beside_b = look.px(kPictureWidth + kMannerWidth + 2 * kGap);
    const float least_a = width_of(look, without_size(name_a), {}) + look.px(kArrowWidth),
                least_b = width_of(look, without_size(name_b), muted);
    const bool apart = right > 0 && !in_hall &&
                       std::max(least_a + beside_a, least_b + beside_b) > room - look.px(kLetterWidth);
    draw_letter(look, "A", look.palette->accent);
    const float wanted = menu_width(look, name_a, kLaunchWidth) + look.px(kArrowWidth / 2);
    const float width = std::min(wanted, room - look.px(kLetterWidth) - (apart ? 0 : beside_a));
    ImGui::SetNextItemWidth(width);
    choice_.draw_menu(frame, a, fitted_name(look, name_a, {}, width - look.px(kArrowWidth)));
    explain(look, tr("A: {launch}. Any launch that the window holds, or the one on screen with other memory "
                     "rules; B is the one on screen.",
                     "launch"_a = name_a));
    if (right > 0) {
      if (!apart && !in_hall) draw_match_choice(look, left + right - look.px(kGap + kMatchWidth));
      ImGui::SameLine(left + right);
    } else {
      same_line_if_fits(look, look.px(kLetterWidth) + width_of(look, name_b, {}));
    }
    draw_letter(look, "B", look.palette->fill);
    const float of_name = ImGui::GetContentRegionAvail().x - (right > 0 && !apart ? beside_b : 0);
    write(look,
          in_hall ? shortened_by_parts(look, without_size(name_b), muted, of_name)
                  : fitted_name(look, name_b, muted, of_name),
          muted);
    explain(look, name_b);
    if (right == 0) return;
    if (apart) {
      ImGui::Dummy({0, 0});
      draw_match_choice(look, left + right - look.px(kGap + kMatchWidth));
    }
    draw_picture_choices(look);
  }

  [[nodiscard]] std::string name_of_a(const Frame& frame, const Shown* a, const Shown& b) const {
    if (a != nullptr) return compared_name(frame, *a);
    if (choice_.costing()) return compared_name(b, *choice_.costing());
    return tr("choose a launch");
  }

  static void draw_letter(const Look& look, const char* letter, picture::Colour colour) {
    ImGui::AlignTextToFramePadding();
    write(look, letter, {.colour = colour, .font = picture::Font::sans_bold});
    ImGui::SameLine();
  }

  void draw_match_choice(const Look& look, float x) {
    ImGui::SameLine(x);
    ImGui::SetNextItemWidth(look.px(kMatchWidth));
    if (ImGui::BeginCombo("##match", by_ == MatchBy::phase ? tr("by phase") : tr("by step"))) {
      if (list_entry(labelled(tr("by phase"), "by_phase").c_str(), by_ == MatchBy::phase))
        by_ = MatchBy::phase;
      if (list_entry(labelled(tr("by step"), "by_step").c_str(), by_ == MatchBy::step)) by_ = MatchBy::step;
      ImGui::EndCombo();
    }
    explain(look, tr("What of A stands for what of B. By phase: fill k for fill k, and there the k-th access "
                     "of a kind. By step: the k-th access of the "
                     "warp for the k-th."));
  }

  void draw_picture_choices(const Look& look) {
    ImGui::SameLine();
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x -
                         look.px(kPictureWidth + kMannerWidth + kGap));
    ImGui::SetNextItemWidth(look.px(kMannerWidth));
    ImGui::BeginDisabled(view_->difference == nullptr);
    if (ImGui::BeginCombo("##manner", shows_difference() ? tr("Difference") : tr("Side by side"))) {
      if (list_entry(labelled(tr("Side by side"), "side_by_side").c_str(), !difference_)) difference_ = false;
      if (list_entry(labelled(tr("Difference"), "difference").c_str(), difference_)) difference_ = true;
      ImGui::EndCombo();
    }
    ImGui::EndDisabled();
    explain(look, view_->difference != nullptr
                      ? tr("Side by side at one scale, or one picture of the difference, B − A.")
                      : tr("Of this picture there is none of the difference."));
    ImGui::SameLine(0, look.px(kGap));
    ImGui::SetNextItemWidth(look.px(kPictureWidth));
    if (ImGui::BeginCombo("##picture", tr(view_->title), ImGuiComboFlags_HeightLarge)) {
      for (const viz::View& view : viz::views()) {
        if (is_compared(view) && list_entry(labelled(tr(view.title), view.id).c_str(), &view == view_))
          choose(view);
      }
      ImGui::EndCombo();
    }
    explain(look, tr("Side by side, or the difference."));
  }

  void choose(const viz::View& view) {
    picked_ = true;
    show(view);
  }

  void show(const viz::View& view) {
    view_ = &view;
    half_a_.choose(view);
    half_b_.choose(view);
    both_.choose(view);
  }

  [[nodiscard]] bool shows_difference() const { return difference_ && view_->difference != nullptr; }

  void draw_both(const Frame& frame, const Shown& a, ImVec2 size) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Matched& match = match_of(frame, a);
    Selection selection = match.selection;
    Hover hovered, hover;
    hovered.lane = frame.hovered.lane;
    std::optional<BlockWanted> no_block;
    const Frame of_a = frame.with(a.loaded, selection, hovered, hover, no_block);
    beside_ = side_of(of_a);
    beside_->by_step = by_ == MatchBy::step;
    if (shows_difference()) {
      both_.draw(frame, *beside_, {size.x, size.y});
    } else {
      draw_halves(frame, of_a, size);
    }
    if (hover.lane) frame.hover.lane = hover.lane;
    if (!(selection == match.selection))
      frame.selection = matched(*a.loaded, selection, frame.loaded(), by_).selection;
    ImGui::SetCursorScreenPos({at.x, at.y + size.y});
    const char* const matched_by = by_ == MatchBy::phase ? tr("matched by phase") : tr("matched by step");
    place_note_ = match.difference.empty() ? std::string(matched_by) : match.difference;
    if (view_->make != nullptr) drawn_ = viz::Drawn{view_, shows_difference(), place_note_};
  }

  void draw_halves(const Frame& frame, const Frame& of_a, ImVec2 size) {
    const float gap = frame.look.px(kGap), width = std::floor((size.x - gap) / 2);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushID("A");
    half_a_.draw(of_a, side_of(frame), {width, size.y});
    ImGui::PopID();
    ImGui::PushID("B");
    ImGui::SetCursorScreenPos({at.x + width + gap, at.y});
    half_b_.draw(frame, *beside_, {width, size.y});
    ImGui::PopID();
  }

  /// Looked for when the place changes, not in every frame: a phase may have many accesses.
  const Matched& match_of(const Frame& frame, const Shown& a) {
    if (!match_ || match_->from != frame.shown || match_->to != a.loaded || match_->by != by_ ||
        !(match_->selection == frame.selection))
      match_ = Match{frame.shown, a.loaded, by_, frame.selection,
                     matched(frame.loaded(), frame.selection, *a.loaded, by_)};
    return match_->found;
  }

  void draw_table(const Frame& frame) {
    if (ImGui::BeginChild("table")) {
      const ImVec2 room = ImGui::GetContentRegionAvail();
      const float least = changes_ ? picture::changes_height(*changes_, room.x, frame.look.style()) : 0;
      static_cast<void>(table_.update(frame, {std::floor(room.x), std::floor(std::max(room.y, least))}));
      table_.show(frame, ImGui::GetCursorScreenPos());
    }
    end_child(frame.look);
  }

  struct Match {
    std::shared_ptr<const Loaded> from, to;
    MatchBy by;
    Selection selection;
    Matched found;
  };

  ChoiceOfA choice_;
  std::shared_ptr<const Loaded> a_, b_;  ///< That `changes_` is of
  std::optional<Times> times_;
  MatchBy by_ = MatchBy::phase;
  std::optional<Match> match_;
  std::shared_ptr<const picture::Changes> changes_;
  const viz::View* view_ = nullptr;
  bool picked_ = false;  ///< The picture was chosen, and stays
  bool difference_ = false;
  std::optional<viz::Side> beside_;  ///< A, as it was last drawn
  std::optional<viz::Drawn> drawn_;  ///< Nothing: the table alone is a picture
  std::string place_note_;
  HalfView half_a_, half_b_;
  DifferenceView both_, sources_;
  PictureView table_{[this](const Frame& frame, picture::Size size, const picture::Style& style) {
    viz::Subject subject = frame.subject();
    subject.changes = changes_;
    return viz::find_view("compare")->make(subject, size, style);
  }};
};

const RegisterWidget kWidget{"compare", make_one<CompareView>};

}  // namespace
}  // namespace warplens::app
