#include "app/shell/lesson_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/lesson/fields.h"
#include "app/session/subject.h"
#include "app/shell/lesson_words.h"
#include "app/shell/scene_words.h"
#include "app/shell/speaker_page.h"
#include "kernels/base/text.h"
#include "kernels/base/texts.h"
#include "viz/canvas/fonts.h"
#include "viz/picture/source_margin.h"
#include "viz/picture/touched_elements.h"

namespace warplens::app {
namespace {

constexpr float kMargin = 14, kStrip = 54, kTitleSize = 16, kTab = 58, kWidestTab = 95, kLeastTab = 22;
constexpr double kWavefrontSeconds = 0.25;  ///< As it is unfolded

std::optional<std::size_t> digit_pressed() {
  for (int digit = 0; digit <= 9; ++digit) {
    if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_0 + digit), false) ||
        ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_Keypad0 + digit), false))
      return static_cast<std::size_t>(digit);
  }
  return std::nullopt;
}

bool pressed(std::initializer_list<ImGuiKey> keys) {
  return std::ranges::any_of(keys, [](ImGuiKey key) { return ImGui::IsKeyPressed(key); });
}

void fill_box(const ImVec2& from, const ImVec2& size, picture::Colour colour, float rounding = 0) {
  ImGui::GetWindowDrawList()->AddRectFilled(from, {from.x + size.x, from.y + size.y}, packed(colour),
                                            rounding);
}

}  // namespace

LessonWindow::LessonWindow(OpenedLesson opened, double now, std::function<void()> wake)
    : given_(std::move(opened), std::move(wake)), begun_(now), thumbnails_(given_.lesson().scenes.size()) {}

// A clicker sends Page Down and Page Up, and B.
void LessonWindow::take_keys() {
  if (ImGui::GetIO().KeyCtrl || ImGui::GetIO().KeyAlt) return;
  if (black_) {
    if (pressed({ImGuiKey_B, ImGuiKey_Period, ImGuiKey_Space, ImGuiKey_PageDown, ImGuiKey_PageUp,
                 ImGuiKey_Escape}))
      black_ = false;
    return;
  }
  if (pressed({ImGuiKey_Escape})) {  // One thing at a time
    if (!number_.empty()) return number_.clear();
    if (!std::exchange(listed_, false)) left_ = true;
    return;
  }
  if (const auto digit = digit_pressed()) take_digit(*digit);
  if (pressed({ImGuiKey_Enter, ImGuiKey_KeypadEnter}) && !number_.empty())
    go(std::max<std::size_t>(std::stoul(std::exchange(number_, {})), 1) - 1);
  if (pressed({ImGuiKey_PageDown, ImGuiKey_Space, ImGuiKey_DownArrow})) go_on();
  if (pressed({ImGuiKey_PageUp, ImGuiKey_Backspace, ImGuiKey_UpArrow})) given_.back();
  if (pressed({ImGuiKey_Home})) go(0);
  if (pressed({ImGuiKey_End})) go(given_.lesson().scenes.size() - 1);
  if (pressed({ImGuiKey_B})) black_ = true;
  if (pressed({ImGuiKey_L})) listed_ = !listed_;
  if (pressed({ImGuiKey_N})) {
    bool& where = ImGui::GetIO().KeyShift ? notes_shown_ : notes_apart_;
    where = !where;
  }
  const std::int64_t by = (pressed({ImGuiKey_RightArrow}) ? 1 : 0) - (pressed({ImGuiKey_LeftArrow}) ? 1 : 0);
  if (by != 0) step_by(by);
}

void LessonWindow::go(std::size_t scene) {
  given_.go(scene);
  shown_.reset();
}

/// Uncovers, and unfolds; who is in a hurry sees all of it by the same key.
void LessonWindow::go_on() {
  uncovered_at_.reset();
  if (unfolding_) return;
  const bool asks = given_.covered();
  given_.forward();
  if (asks) uncovered_at_ = now_;
}

/// It marks an answer while the question waits for one; else it is of a scene's number, which Enter goes to.
void LessonWindow::take_digit(std::size_t digit) {
  constexpr std::size_t kMostDigits = 3;
  if (given_.covered()) {
    if (digit > 0) given_.mark(digit - 1);
  } else {
    number_ += static_cast<char>('0' + digit);
    if (number_.size() > kMostDigits) number_.erase(0, 1);
  }
}

void LessonWindow::follow(const PreparedScene& scene) {
  if (shown_ == given_.scene()) return;
  shown_ = given_.scene();
  here_ = scene;
  uncovered_at_.reset();
  number_.clear();
  hovered_ = hover_ = {};
  pictures_.clear();
  asked_.clear();
  for (const ViewRow& row : given_.scene_now().views) {
    for (const std::string& id : row) {
      const viz::View* const view = viz::find_view(id);
      pictures_.push_back(std::make_unique<PictureView>(
          [this, view](const Frame& frame, picture::Size size, picture::Style style) {
            viz::Subject subject = subject_of_scene(*here_.scene, here_.staged);
            if (frame.hovered.lane) subject.highlight.lane = frame.hovered.lane;
            style.scale *= here_.scene->zoom;
            return view->make(subject, size, style);
          }));
      asked_.push_back(asked_picture(id));
    }
  }
}

/// What is shown of a view while its picture would tell the answer; null: nothing, or it tells none.
std::unique_ptr<PictureView> LessonWindow::asked_picture(const std::string& view) const {
  const auto make = here_.scene->tells_answer(view) ? viz::find_view(view)->make_covered : nullptr;
  constexpr picture::Size kAnySize{640, 480};
  if (make == nullptr ||
      make(subject_of_scene(*here_.scene, here_.staged), kAnySize, {&picture::dark_palette(), 1})
          .items.empty())
    return nullptr;
  return std::make_unique<PictureView>(
      [this, make](const Frame& frame, picture::Size size, picture::Style style) {
        viz::Subject subject = subject_of_scene(*here_.scene, here_.staged);
        if (frame.hovered.lane) subject.highlight.lane = frame.hovered.lane;
        style.scale *= here_.scene->zoom;
        return make(subject, size, style);
      });
}

// The sentence is of the scene's own access: of another one that is said which it is, and what to see in it.
void LessonWindow::move_to(const Selection& place) {
  const PreparedScene& scene = **given_.prepared();
  here_.staged = here_.staged.at(place);
  const std::optional<std::size_t> event = here_.staged.event();
  if (event == scene.staged.event()) {
    if (Result<FilledScene> words = filled(given_.lesson(), *here_.scene, here_.staged); words.ok()) {
      here_.words = *std::move(words);
      return;
    }
  }
  here_.words = scene.words;
  const picture::Moment moment = moment_of(*here_.staged.loaded, place);
  here_.words.sentence =
      event ? tr("Step {step} of {steps}, {access}: {sentence}", "step"_a = place.step + 1,
                 "steps"_a = here_.staged.steps(), "access"_a = picture::access_name(moment, *event),
                 "sentence"_a = picture::access_sentence(moment, *event))
            : tr("The warp makes no access in this phase.");
  for (FilledFigure& figure : here_.words.figures) {
    const Result<FieldValue> value = field_value(figure.name, here_.staged);
    figure.text = value.ok() ? value->text : "\u2013";
  }
}

bool LessonWindow::draw(const Frame& frame, double now, bool keys) {
  now_ = now;
  if (keys) take_keys();
  unfolding_ = false;
  const Look& look = frame.look;
  const ImGuiViewport* const viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->Pos);
  ImGui::SetNextWindowSize(viewport->Size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, black_ ? ImVec4{0, 0, 0, 1} : as_vector(look.palette->panel));
  constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                          ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                          ImGuiWindowFlags_NoBringToFrontOnFocus;
  const bool open = ImGui::Begin("###lesson", nullptr, kFlags);
  ImGui::PopStyleVar(2);
  if (open && !black_) {
    const float margin = look.px(kMargin), strip = std::min(look.px(kStrip), viewport->Size.y / 4);
    const ImVec2 at{viewport->Pos.x + margin, viewport->Pos.y + margin};
    const ImVec2 room{std::max(1.0f, viewport->Size.x - 2 * margin),
                      std::max(1.0f, viewport->Size.y - strip - 2 * margin)};
    const PreparedResult prepared = given_.prepared();
    if (!prepared) {
      FlowedWords(look, tr("Recording scene {number} ..", "number"_a = given_.scene() + 1),
                  {look.palette->muted, SceneWords::kSentence}, room.x)
          .draw(look, at);
    } else if (!prepared->ok()) {
      FlowedWords(look, prepared->error().message(), {look.palette->costly, SceneWords::kSentence}, room.x)
          .draw(look, at);
    } else {
      follow(**prepared);
      const float header = draw_header(look, at, room.x);
      const float gap = look.px(SceneWords::kGap) * 1.5f;
      const ImVec2 below{at.x, at.y + header};
      const float height = std::max(1.0f, room.y - header);
      const Room of_words = draws_any() ? room_of_words(look, {room.x, height}) : Room{1, 1};
      const float width = std::max(1.0f, std::floor(room.x * of_words.share));
      draw_pictures(frame, below, {room.x - width - gap, height});
      SceneWords words(look, here_, width, of_words.size);
      static_cast<void>(words.lay_out(given_, given_.covered() || unfolding_, notes_shown_));
      if (const auto answer = words.draw(given_, {below.x + room.x - width, below.y})) given_.mark(*answer);
    }
    draw_strip(frame, {viewport->Pos.x, viewport->Pos.y + viewport->Size.y - strip},
               {viewport->Size.x, strip}, now);
    if (listed_) draw_list(look);
  }
  ImGui::End();
  ImGui::PopStyleColor();
  return !left_;
}

void LessonWindow::follow_language() {
  given_.prepare_anew();
  shown_.reset();
}

std::vector<Command> LessonWindow::commands() {
  const std::string lesson = "lesson.";
  std::vector<Command> all{
      {.id = lesson + "next",
       .name = tr("Next scene, or its answer"),
       .key = ImGuiKey_PageDown,
       .other_key = ImGuiKey_Space,
       .run = [this] { go_on(); }},
      {.id = lesson + "back",
       .name = tr("Previous scene"),
       .key = ImGuiKey_PageUp,
       .other_key = ImGuiKey_Backspace,
       .run = [this] { given_.back(); }},
      {.id = lesson + "first", .name = tr("First scene"), .key = ImGuiKey_Home, .run = [this] { go(0); }},
      {.id = lesson + "last",
       .name = tr("Last scene"),
       .key = ImGuiKey_End,
       .run = [this] { go(given_.lesson().scenes.size() - 1); }},
      {.id = lesson + "list",
       .name = tr("List of scenes"),
       .key = ImGuiKey_L,
       .run = [this] { listed_ = !listed_; }},
      {.id = lesson + "black", .name = tr("Black"), .key = ImGuiKey_B, .run = [this] { black_ = true; }},
      {.id = lesson + "notes",
       .name = tr("Notes on the other monitor"),
       .key = ImGuiKey_N,
       .run = [this] { notes_apart_ = !notes_apart_; }},
      {.id = lesson + "notes_here",
       .name = tr("Notes in the lesson"),
       .key = ImGuiMod_Shift | ImGuiKey_N,
       .run = [this] { notes_shown_ = !notes_shown_; }},
      {.id = lesson + "step_on",
       .name = tr("Next step"),
       .key = ImGuiKey_RightArrow,
       .run = [this] { step_by(1); }},
      {.id = lesson + "step_back",
       .name = tr("Previous step"),
       .key = ImGuiKey_LeftArrow,
       .run = [this] { step_by(-1); }},
      {.id = lesson + "leave", .name = tr("Leave the lesson"), .key = ImGuiKey_Escape, .run = [this] {
         left_ = true;
       }}};
  for (std::size_t scene = 0; scene < given_.lesson().scenes.size(); ++scene) {
    all.push_back(
        {.id = fmt::format("{}scene.{}", lesson, scene + 1),
         .name = tr("Scene {number}: {title}", "number"_a = scene + 1, "title"_a = given_.title_of(scene)),
         .run = [this, scene] { go(scene); }});
  }
  return all;
}

void LessonWindow::step_by(std::int64_t by) {
  if (shown_ != given_.scene() || here_.staged.steps() == 0) return;
  Selection place = here_.staged.selection;
  place.step = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(std::int64_t{place.step} + by, 0, std::int64_t{here_.staged.steps()} - 1));
  move_to(place);
}

std::optional<SpeakerPage> LessonWindow::speaker_page(double now) const {
  return notes_apart_ ? std::optional(app::speaker_page(given_, now - begun_)) : std::nullopt;
}

float LessonWindow::draw_header(const Look& look, ImVec2 at, float width) {
  constexpr float kLine = 1.4f;
  const TextStyle title{look.palette->text, kTitleSize, picture::Font::sans_bold},
      below{look.palette->muted, SceneWords::kSmall};
  const Recording& recording = *here_.staged.loaded->recording;
  const auto event = here_.staged.event();
  std::string code;
  if (event) {
    const Site& site = recording.sites[recording.events.site[*event]];
    if (site.line != 0 && site.file < recording.files.size())
      code = escaped(trimmed_line(recording.files[site.file].text, site.line));
  }
  const std::string launch =
      given_.covered() ? std::string()
                       : fmt::format("{} · CC {}", given_.scene_now().launch, here_.staged.loaded->cc.name());
  ImGui::SetCursorScreenPos(at);
  write(look, shortened(look, here_.words.title, title, width), title);
  const float top = at.y + look.px(kTitleSize) * kLine, of_launch = width_of(look, launch, below);
  const bool launch_fits = of_launch < width / 2;
  // The code is what a question is about: all of it is there, over as many lines as it takes.
  const float room = std::max(1.0f, launch_fits ? width - of_launch - look.px(SceneWords::kGap) : width);
  const TextStyle mono{look.palette->text, SceneWords::kSmall, picture::Font::mono};
  float y = top;
  std::string_view rest = code;
  while (!rest.empty()) {
    const std::size_t fits =
        std::max<std::size_t>(picture::end_of_line(rest, room, look.px(mono.size), mono.font), 1);
    ImGui::SetCursorScreenPos({at.x, y});
    write(look, rest.substr(0, fits), mono);
    rest.remove_prefix(fits);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    y += look.px(SceneWords::kSmall) * kLine;
  }
  if (launch_fits) {
    ImGui::SetCursorScreenPos({at.x, top});
    write_right(look, launch, below, at.x + width);
  }
  return std::max(y, top + look.px(SceneWords::kSmall) * kLine) - at.y + look.px(SceneWords::kGap);
}

void LessonWindow::unfold(const Look& look, const picture::Picture& picture, ImVec2 at) {
  const auto unfolded = static_cast<std::int64_t>((now_ - *uncovered_at_) / kWavefrontSeconds);
  const auto next = std::ranges::find_if(picture.regions, [unfolded](const picture::Region& region) {
    return region.target.kind == picture::Target::Kind::wavefront && region.target.a >= unfolded;
  });
  if (next == picture.regions.end()) return;
  unfolding_ = true;
  fill_box({at.x, at.y + next->rect.y}, {picture.width, picture.height - next->rect.y},
           look.palette->background, look.px(6));
}

bool LessonWindow::is_drawn(const std::string& view, std::size_t index) const {
  return !given_.hides(view) || asked_[index] != nullptr;
}

bool LessonWindow::draws_any() const {
  std::size_t index = 0;
  for (const ViewRow& row : given_.scene_now().views) {
    for (const std::string& view : row) {
      if (is_drawn(view, index++)) return true;
    }
  }
  return false;
}

PictureView& LessonWindow::picture_now(std::size_t index) const {
  return asked_[index] != nullptr && given_.covered() ? *asked_[index] : *pictures_[index];
}

void LessonWindow::draw_pictures(const Frame& frame, ImVec2 at, ImVec2 size) {
  const Look& look = frame.look;
  const Scene& now = given_.scene_now();
  const float gap = look.px(SceneWords::kGap);
  const auto share = [gap](float room, std::size_t parts) {
    return std::max(1.0f,
                    std::floor((room - gap * static_cast<float>(parts - 1)) / static_cast<float>(parts)));
  };
  struct Drawn {
    std::string view;
    std::size_t index;
  };
  std::vector<std::vector<Drawn>> rows;  // Those that are covered leave their room to the others
  std::size_t index = 0;
  for (const ViewRow& row : now.views) {
    std::vector<Drawn> drawn;
    for (const std::string& view : row) {
      if (is_drawn(view, index)) drawn.push_back({view, index});
      ++index;
    }
    if (!drawn.empty()) rows.push_back(std::move(drawn));
  }
  if (rows.empty()) return;
  const float height = share(size.y, rows.size());
  hovered_ = std::exchange(hover_, {});
  std::optional<BlockWanted> no_block;
  Selection selection = here_.staged.selection;
  const Frame of_scene = frame.with(here_.staged.loaded, selection, hovered_, hover_, no_block);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const float width = share(size.x, rows[row].size());
    for (std::size_t column = 0; column < rows[row].size(); ++column) {
      const Drawn& drawn = rows[row][column];
      const ImVec2 place{at.x + static_cast<float>(column) * (width + gap),
                         at.y + static_cast<float>(row) * (height + gap)};
      ImGui::SetCursorScreenPos(place);
      fill_box(place, {width, height}, look.palette->background, look.px(6));
      ImGui::PushID(static_cast<int>(drawn.index));
      PictureView& view = picture_now(drawn.index);
      const picture::Picture& picture = view.update(of_scene, {width, height});
      view.show(of_scene, place);
      if (uncovered_at_ && now.hides(drawn.view)) unfold(look, picture, place);
      ImGui::PopID();
    }
  }
  if (!(selection == here_.staged.selection)) move_to(selection);
}

/// The largest letters, and the least room, at which all that the scene says fits beside its pictures: before
/// and after the answer alike.
LessonWindow::Room LessonWindow::room_of_words(const Look& look, ImVec2 size) const {
  constexpr Room kRooms[] = {{0.34f, 1},   {0.38f, 0.95f}, {0.42f, 0.9f}, {0.46f, 0.85f},
                             {0.5f, 0.8f}, {0.56f, 0.7f},  {0.62f, 0.5f}};
  for (const Room& room : kRooms) {
    const auto fits = [&](bool covered) {
      return SceneWords(look, here_, std::floor(size.x * room.share), room.size)
                 .lay_out(given_, covered, notes_shown_) <= size.y;
    };
    if (fits(false) && (!here_.words.question || fits(true))) return room;
  }
  return kRooms[std::size(kRooms) - 1];
}

/// The scenes, of which the one that is on is in sight; the lesson, and since when it is given.
void LessonWindow::draw_strip(const Frame& frame, ImVec2 at, ImVec2 size, double now) {
  const Look& look = frame.look;
  const picture::Palette& palette = *look.palette;
  fill_box(at, size, palette.header);
  const TextStyle muted{palette.muted, SceneWords::kSmall};
  const std::size_t scenes = given_.lesson().scenes.size(), scene = given_.scene();
  const std::string place = number_.empty()
                                ? tr("{number} of {count}", "number"_a = scene + 1, "count"_a = scenes)
                                : tr("to scene {number}: Enter", "number"_a = number_);
  const std::string title = fmt::format("{} · {}", given_.lesson().title, place),
                    clock = minutes_and_seconds(now - begun_);
  const float pad = look.px(5), line = look.px(SceneWords::kSmall) * 1.35f;
  const float right =
      std::min(std::max(width_of(look, title, muted), width_of(look, clock, muted)), size.x * 0.4f) + 2 * pad;
  const auto write_at_right = [&](const std::string& words, float y) {
    const std::string shown = shortened(look, words, muted, right - 2 * pad);
    ImGui::SetCursorScreenPos({at.x + size.x - pad - width_of(look, shown, muted), y});
    write(look, shown, muted);
  };
  write_at_right(title, at.y + size.y / 2 - line);
  write_at_right(clock, at.y + size.y / 2);

  const float room = size.x - right - pad, share = room / static_cast<float>(scenes);
  const bool titled = share >= look.px(kTab);  // Else their numbers
  const float tab = std::clamp(share, look.px(kLeastTab), look.px(kWidestTab));
  const std::size_t fit =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::max(1.0f, room / tab)), 1, scenes);
  const std::size_t first = std::min(scene > fit / 2 ? scene - fit / 2 : 0, scenes - fit);
  for (std::size_t i = first; i < first + fit; ++i) {
    const ImVec2 from{at.x + pad + tab * static_cast<float>(i - first), at.y + pad},
        box{tab - look.px(6), std::max(1.0f, size.y - 2 * pad)};
    const bool on = i == scene;
    fill_box(from, box, on ? picture::with_alpha(palette.accent, 0.2f) : palette.panel, look.px(4));
    ImGui::GetWindowDrawList()->AddRect(from, {from.x + box.x, from.y + box.y},
                                        packed(on ? palette.accent : palette.line), look.px(4), 0,
                                        look.px(on ? 2 : 1));
    const ImVec2 below{from.x + look.px(3), from.y + line};
    const ImVec2 left_for_picture{box.x - look.px(6), box.y - line - look.px(3)};
    const bool pictured = left_for_picture.y >= line && left_for_picture.x >= line;
    if (pictured) thumbnails_.draw(frame, given_, i, below, left_for_picture);
    ImGui::SetCursorScreenPos(from);
    if (ImGui::InvisibleButton(fmt::format("scene {}", i + 1).c_str(), box)) go(i);
    if (ImGui::IsItemHovered()) show_tooltip(look, given_.title_of(i));
    const TextStyle style{on ? palette.text : palette.muted, SceneWords::kSmall};
    const std::string number = std::to_string(i + 1);
    const std::string label = titled ? shortened(look, fmt::format("{}  {}", number, given_.title_of(i)),
                                                 style, box.x - look.px(12))
                                     : number;
    const float inset = titled ? look.px(6) : (box.x - width_of(look, label, style)) / 2;
    ImGui::SetCursorScreenPos(
        {from.x + inset,
         pictured ? from.y + look.px(1) : from.y + (box.y - look.px(SceneWords::kSmall) * 1.2f) / 2});
    write(look, label, style);
  }
}

/// L: all scenes by their titles.
void LessonWindow::draw_list(const Look& look) {
  const ImVec2 size = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {size.x * 0.8f, size.y * 0.8f});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, look.px(14, 12));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  if (ImGui::Begin("###lesson scenes", nullptr,
                   ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                       ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings)) {
    ImGui::PushFont(look.fonts.sans, SceneWords::kSmall);
    for (std::size_t i = 0; i < given_.lesson().scenes.size(); ++i) {
      const std::string label =
          labelled(fmt::format("{}  {}", i + 1, given_.title_of(i)), fmt::format("list {}", i + 1));
      if (!ImGui::Selectable(label.c_str(), i == given_.scene())) continue;
      go(i);
      listed_ = false;
    }
    ImGui::PopFont();
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
}

}  // namespace warplens::app
