#include "app/views/picture_view.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "app/session/navigation.h"
#include "app/views/failure.h"
#include "app/views/view_details.h"
#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"
#include "viz/canvas/fonts.h"

namespace warplens::app {
namespace {

using picture::Align;
using picture::Point;
using picture::Rect;
using picture::Target;

/// Draws the items at an offset, on whole pixels where that keeps edges sharp.
class ItemPainter {
 public:
  /// `widths`: of the texts that are centred or end where they stand, in their order; those that are not
  /// known yet are added.
  ItemPainter(ImDrawList& list, ImVec2 origin, const Fonts& fonts,
              const std::vector<render::HeatTexture>& heat, std::vector<float>& widths)
      : list_(list), origin_(origin), fonts_(fonts), heat_(heat), widths_(widths) {}

  void operator()(const picture::FilledRect& item) const {
    const auto [from, to] = sharp(item.rect);
    list_.AddRectFilled(from, to, packed(item.colour), item.rounding);
  }
  void operator()(const picture::OutlinedRect& item) const {
    const auto [from, to] = sharp(item.rect);
    list_.AddRect(from, to, packed(item.colour), item.rounding, 0, item.thickness);
  }
  void operator()(const picture::Hatch& item) const {
    const auto [from, to] = sharp(item.rect);
    const float height = to.y - from.y;
    list_.PushClipRect(from, to, true);
    for (float x = from.x - height + item.spacing * 0.5f; x < to.x; x += item.spacing) {
      list_.AddLine({x, to.y}, {x + height, from.y}, packed(item.colour), 1);
    }
    list_.PopClipRect();
  }
  void operator()(const picture::Line& item) const {
    // A line along an axis covers whole pixels, or it is drawn grey over two.
    if (item.from.x == item.to.x || item.from.y == item.to.y) {
      const float half = std::max(1.0f, std::round(item.thickness)) / 2;
      const ImVec2 from = at({std::min(item.from.x, item.to.x), std::min(item.from.y, item.to.y)});
      const ImVec2 to = at({std::max(item.from.x, item.to.x), std::max(item.from.y, item.to.y)});
      const float grow_x = item.from.x == item.to.x ? half : 0, grow_y = item.from.x == item.to.x ? 0 : half;
      list_.AddRectFilled({std::round(from.x - grow_x), std::round(from.y - grow_y)},
                          {std::round(to.x + grow_x), std::round(to.y + grow_y)}, packed(item.colour));
      return;
    }
    list_.AddLine(at(item.from), at(item.to), packed(item.colour), item.thickness);
  }
  void operator()(const picture::Curve& item) const {
    list_.AddBezierCubic(at(item.from), at(item.control1), at(item.control2), at(item.to),
                         packed(item.colour), item.thickness);
  }
  void operator()(const picture::Polygon& item) const {
    list_.AddConvexPolyFilled(placed(item.points).data(), static_cast<int>(item.points.size()),
                              packed(item.colour));
  }
  void operator()(const picture::Polyline& item) const {
    list_.AddPolyline(placed(item.points).data(), static_cast<int>(item.points.size()), packed(item.colour),
                      0, item.thickness);
  }
  void operator()(const picture::Text& item) {
    // Glyphs are rasterised at whole sizes only; drawn a trace smaller than measured they stay crisp, and
    // fit.
    const float size = std::max(1.0f, std::floor(item.size + 0.3f));
    ImFont* font = fonts_.of(item.font);
    const float width = item.align == Align::left ? 0 : width_of(item, *font, size);
    const float left = item.at.x - (item.align == Align::centre ? width / 2 : width);
    const float baseline = std::round(origin_.y + item.at.y + picture::baseline_offset(item.size, item.font));
    const float top = baseline - font->GetFontBaked(size)->Ascent;
    list_.AddText(font, size, {std::round(origin_.x + left), top}, packed(item.colour), item.text.data(),
                  item.text.data() + item.text.size());
  }
  void operator()(const picture::HeatMap& item) {
    const auto [from, to] = sharp(item.rect);
    if (next_heat_ < heat_.size()) list_.AddImage(ImTextureID{heat_[next_heat_].id()}, from, to);
    ++next_heat_;
  }

 private:
  [[nodiscard]] ImVec2 at(Point p) const { return {origin_.x + p.x, origin_.y + p.y}; }
  [[nodiscard]] std::pair<ImVec2, ImVec2> sharp(const Rect& rect) const {
    const ImVec2 from{std::round(origin_.x + rect.x), std::round(origin_.y + rect.y)};
    ImVec2 to{std::round(origin_.x + rect.right()), std::round(origin_.y + rect.bottom())};
    if (rect.width > 0) to.x = std::max(to.x, from.x + 1);
    if (rect.height > 0) to.y = std::max(to.y, from.y + 1);
    return {from, to};
  }
  [[nodiscard]] std::vector<ImVec2> placed(const std::vector<Point>& points) const {
    std::vector<ImVec2> result(points.size());
    std::ranges::transform(points, result.begin(), [this](Point p) { return at(p); });
    return result;
  }

  float width_of(const picture::Text& item, ImFont& font, float size) {
    if (next_width_ == widths_.size()) {
      widths_.push_back(
          font.CalcTextSizeA(size, FLT_MAX, 0, item.text.data(), item.text.data() + item.text.size()).x);
    }
    return widths_[next_width_++];
  }

  ImDrawList& list_;
  ImVec2 origin_;
  const Fonts& fonts_;
  const std::vector<render::HeatTexture>& heat_;
  std::vector<float>& widths_;
  std::size_t next_heat_ = 0, next_width_ = 0;
};

/// Places in time can be dragged through.
bool is_place_in_time(const Target& target) {
  return target.kind == Target::Kind::event || target.kind == Target::Kind::phase;
}

/// A second choice of the same word takes it back.
void choose_word(Selection& selection, std::uint32_t word) {
  selection.shared_word = selection.shared_word == word ? std::nullopt : std::optional(word);
  selection.element.reset();
}

/// A cell of Banks stands for both: a lane, and the word that it touches.
void choose_lane_and_word(Selection& selection, int lane, std::uint32_t word) {
  const bool again = selection.lane == lane && selection.shared_word == word;
  selection.lane = again ? std::nullopt : std::optional(lane);
  selection.shared_word = again ? std::nullopt : std::optional(word);
  selection.element.reset();
}

MatrixElementRef matrix_element_of(const Target& target) {
  return {.matrix = static_cast<std::uint32_t>(target.a / kWarpSize),
          .row = static_cast<std::uint32_t>(target.b),
          .column = static_cast<std::uint32_t>(target.c)};
}
MatrixElementRef shared_matrix_element_of(const Target& target) {
  return {.matrix = static_cast<std::uint32_t>(target.a >> 32),
          .row = static_cast<std::uint32_t>(target.b),
          .column = static_cast<std::uint32_t>(target.c)};
}
std::uint32_t word_of(const Target& shared_matrix_element) {
  return static_cast<std::uint32_t>(shared_matrix_element.a);
}
int lane_of(const Target& matrix_element) {
  return static_cast<int>(matrix_element.a % kWarpSize);
}

/// Selects the element and the lane that holds it; a second click clears both.
void choose_matrix_element(Selection& selection, const Target& target) {
  const bool again = selection.matrix_element == matrix_element_of(target);
  selection.matrix_element = again ? std::nullopt : std::optional(matrix_element_of(target));
  selection.lane = again ? std::nullopt : std::optional(lane_of(target));
}

/// Selects the element and the word of shared memory that has it; a second click clears both.
void choose_shared_matrix_element(Selection& selection, const Target& target) {
  const bool again = selection.matrix_element == shared_matrix_element_of(target);
  selection.matrix_element = again ? std::nullopt : std::optional(shared_matrix_element_of(target));
  selection.shared_word = again ? std::nullopt : std::optional(word_of(target));
  selection.element.reset();
  selection.lane.reset();
}

/// The access that the site belongs to is chosen, and the warp's first one of it in the phase is where one
/// goes; without a phase the next one.
Selection at_site(const Frame& frame, Selection next, const Target& target) {
  const Recording& recording = frame.recording();
  const analysis::Divergence& divergence = frame.loaded().divergence();
  next.site = static_cast<std::uint32_t>(target.b);
  if (divergence.empty()) return next;
  const auto& sites = divergence.accesses[divergence.access_or_first_load(recording, *next.site)].sites;
  if (target.a < 0) return at_sites(recording, next, sites);
  const EventRange phase =
      events_of_phase(recording, next.event_block, next.warp, static_cast<std::uint32_t>(target.a));
  for (std::size_t event = phase.begin; event < phase.end; ++event) {
    if (std::ranges::find(sites, recording.events.site[event]) != sites.end())
      return at_event(recording, next, event);
  }
  return moved_by_phases(recording, next, target.a - std::int64_t{next.phase});
}

void hover_site(const Frame& frame, const Target& target) {
  const Site& site = frame.recording().sites[static_cast<std::size_t>(target.b)];
  if (site.file == frame.loaded().facts->source_file) frame.hover.line = site.line;
}

/// The block in the recording; one that is not in it is asked for.
Selection at_block(const Frame& frame, const Selection& from, const Dim3& block) {
  const std::vector<Dim3>& recorded = frame.recording().event_blocks;
  const auto found = std::ranges::find(recorded, block);
  if (found == recorded.end()) {
    frame.block_wanted = BlockWanted{.block = block, .at = {}};
    return from;
  }
  return moved_by_blocks(frame.recording(), from,
                         (found - recorded.begin()) - std::int64_t{from.event_block});
}

class PicturePanel : public Widget {
 public:
  explicit PicturePanel(const viz::View& view)
      : details_(view),
        view_([this, &view](const Frame& frame, picture::Size size, const picture::Style& style) {
          viz::Subject subject = frame.subject();
          subject.details = details_.found();
          return view.make(subject, size, style);
        }) {}
  std::string draw(const Frame& frame) override {
    if (details_.follow(frame)) view_.forget();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const picture::Picture& made = view_.update(frame, {std::floor(room.x), std::floor(room.y)});
    std::string subtitle = made.subtitle;
    view_.show(frame, ImGui::GetCursorScreenPos());
    return subtitle;
  }
  [[nodiscard]] bool has_margin() const override { return true; }
  void amend(viz::ExportRequest& request) const override { details_.amend(request); }

 private:
  ViewDetails details_;
  PictureView view_;
};

}  // namespace

bool PictureView::same(const Key& a, const Key& b) {
  return a.loaded == b.loaded && a.selection == b.selection && a.hovered == b.hovered &&
         a.size.width == b.size.width && a.size.height == b.size.height && a.style == b.style &&
         a.context == b.context && a.language == b.language;
}

const picture::Picture& PictureView::update(const Frame& frame, picture::Size size) {
  Key key{frame.shown,        frame.selection,
          frame.hovered,      {std::max(size.width, 1.0f), std::max(size.height, 1.0f)},
          frame.look.style(), frame.heat_painter.context(),
          language_in_use()};
  if (!key_ || !same(*key_, key)) {
    key_ = std::move(key);
    picture_ = make(frame, *key_);
    widths_.clear();
    draw_heat_maps(frame);
  }
  return picture_;
}

picture::Picture PictureView::make(const Frame& frame, const Key& key) const {
  try {
    return maker_(frame, key.size, key.style);
  } catch (...) {
    const Error error = failure_in_words();
    return picture::empty_picture({}, tr("This cannot be drawn: {reason}.", "reason"_a = error.what),
                                  tr("{what_to_do}.", "what_to_do"_a = error.hint), key.size, key.style);
  }
}

void PictureView::draw_heat_maps(const Frame& frame) {
  std::size_t count = 0;
  for (const picture::Item& item : picture_.items) {
    const auto* map = std::get_if<picture::HeatMap>(&item);
    if (map == nullptr) continue;
    if (heat_textures_.size() <= count) heat_textures_.emplace_back();
    const auto width = std::max(1, static_cast<int>(std::lround(map->rect.width)));
    const auto height = std::max(1, static_cast<int>(std::lround(map->rect.height)));
    heat_textures_[count++].draw(frame.heat_painter, *map, width, height);
  }
}

void PictureView::paint(const Frame& frame, ImVec2 at) const {
  ItemPainter painter(*ImGui::GetWindowDrawList(), {std::floor(at.x), std::floor(at.y)}, frame.look.fonts,
                      heat_textures_, widths_);
  for (const picture::Item& item : picture_.items) std::visit(painter, item);
}

void PictureView::show(const Frame& frame, ImVec2 at) {
  paint(frame, at);
  const ImVec2 origin{std::floor(at.x), std::floor(at.y)};
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton("picture", {std::max(picture_.width, 1.0f), std::max(picture_.height, 1.0f)});
  const bool held = ImGui::IsItemActive();
  if (!held) dragging_ = false;
  if (!held && (frame.look.pointer_rests || !ImGui::IsItemHovered())) return;

  const ImVec2 mouse = ImGui::GetMousePos();
  const auto hit = picture_.hit({mouse.x - origin.x, mouse.y - origin.y});
  if (!hit) return;
  hover(frame, hit->target);
  if (!dragging_) show_tooltip(frame.look, hit->tooltip);
  const bool pressed = ImGui::IsItemActivated();
  if (pressed) dragging_ = is_place_in_time(hit->target);
  if (pressed || (dragging_ && is_place_in_time(hit->target))) frame.selection = selected(frame, hit->target);
}

void show_nothing(const Frame& frame, const std::string& what, const std::string& what_to_do) {
  const ImVec2 room = ImGui::GetContentRegionAvail(), at = ImGui::GetCursorScreenPos();
  const picture::Size size{std::max(std::floor(room.x), 1.0f), std::max(std::floor(room.y), 1.0f)};
  const picture::Picture picture = picture::empty_picture({}, what, what_to_do, size, frame.look.style());
  const std::vector<render::HeatTexture> none;
  std::vector<float> widths;
  ItemPainter painter(*ImGui::GetWindowDrawList(), {std::floor(at.x), std::floor(at.y)}, frame.look.fonts,
                      none, widths);
  for (const picture::Item& item : picture.items) std::visit(painter, item);
  ImGui::Dummy({size.width, size.height});
}

std::unique_ptr<Widget> make_picture_panel(const viz::View& view) {
  return std::make_unique<PicturePanel>(view);
}

Selection selected(const Frame& frame, const Target& target) {
  if (!frame.shown) return frame.selection;  // A picture of no recording, such as the ladder's rates
  const Recording& recording = frame.recording();
  Selection next = frame.selection;
  switch (target.kind) {
    case Target::Kind::lane: {
      const int lane = static_cast<int>(target.a);
      next.lane = next.lane == lane ? std::nullopt : std::optional(lane);
      break;
    }
    case Target::Kind::line:
      next =
          at_line(recording, next, frame.loaded().facts->source_file, static_cast<std::uint32_t>(target.a));
      break;
    case Target::Kind::event: next = at_event(recording, next, static_cast<std::size_t>(target.a)); break;
    case Target::Kind::phase:
      next = moved_by_phases(recording, next, target.a - std::int64_t{next.phase});
      break;
    case Target::Kind::element: {
      const ElementRef element{static_cast<std::uint32_t>(target.a), static_cast<std::uint64_t>(target.b),
                               static_cast<std::uint64_t>(target.c)};
      next.element = next.element == element ? std::nullopt : std::optional(element);
      next.shared_word.reset();
      break;
    }
    case Target::Kind::shared_word: choose_word(next, static_cast<std::uint32_t>(target.a)); break;
    case Target::Kind::lane_word:
      choose_lane_and_word(next, static_cast<int>(target.a), static_cast<std::uint32_t>(target.b));
      break;
    case Target::Kind::matrix_element: choose_matrix_element(next, target); break;
    case Target::Kind::shared_matrix_element: choose_shared_matrix_element(next, target); break;
    case Target::Kind::site: next = at_site(frame, next, target); break;
    case Target::Kind::block:
      return at_block(frame, next,
                      {static_cast<std::uint32_t>(target.a), static_cast<std::uint32_t>(target.b), 0});
    case Target::Kind::finding:
      return at_chosen(frame, {static_cast<std::uint32_t>(target.a), target.b != 0});
    case Target::Kind::none:
    case Target::Kind::bank:
    case Target::Kind::wavefront:
    case Target::Kind::transaction:
    case Target::Kind::kernel: break;
  }
  return next;
}

Selection at_chosen(const Frame& frame, ChosenFinding chosen) {
  const Recording& recording = frame.recording();
  const Dim3 block = block_of(recording.findings[chosen.index], chosen);
  if (std::ranges::find(recording.event_blocks, block) == recording.event_blocks.end())
    frame.block_wanted = BlockWanted{.block = block, .at = {}};
  return at_finding(recording, frame.selection, chosen);
}

void hover(const Frame& frame, const Target& target) {
  switch (target.kind) {
    case Target::Kind::lane: frame.hover.lane = static_cast<int>(target.a); break;
    case Target::Kind::line: frame.hover.line = static_cast<std::uint32_t>(target.a); break;
    case Target::Kind::event: frame.hover.event = static_cast<std::size_t>(target.a); break;
    case Target::Kind::element:
      frame.hover.element =
          ElementRef{static_cast<std::uint32_t>(target.a), static_cast<std::uint64_t>(target.b),
                     static_cast<std::uint64_t>(target.c)};
      break;
    case Target::Kind::shared_word: frame.hover.shared_word = static_cast<std::uint32_t>(target.a); break;
    case Target::Kind::lane_word:
      frame.hover.lane = static_cast<int>(target.a);
      frame.hover.shared_word = static_cast<std::uint32_t>(target.b);
      break;
    case Target::Kind::matrix_element:
      frame.hover.matrix_element = matrix_element_of(target);
      frame.hover.lane = lane_of(target);
      break;
    case Target::Kind::shared_matrix_element:
      frame.hover.matrix_element = shared_matrix_element_of(target);
      frame.hover.shared_word = word_of(target);
      break;
    case Target::Kind::site: hover_site(frame, target); break;
    case Target::Kind::block:
    case Target::Kind::finding:
    case Target::Kind::none:
    case Target::Kind::phase:
    case Target::Kind::bank:
    case Target::Kind::wavefront:
    case Target::Kind::transaction:
    case Target::Kind::kernel: break;
  }
}

}  // namespace warplens::app
