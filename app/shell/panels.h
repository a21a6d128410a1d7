// The docked panels: a window a view, with its title in the tab and its state at the right of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/views/view.h"

namespace warplens::app {

struct Panel {
  const viz::View* view = nullptr;
  std::unique_ptr<Widget> widget;
  bool open = true;
  bool focus_wanted = false;
  bool visible = false;  ///< In front of its tabs, in the last frame
  bool moves = false;    ///< Its tabs were being scrolled then
  std::string subtitle;
  ImVec2 at, size;  ///< Of the whole panel, as last drawn; {0, 0}: not yet
};

/// What Dear ImGui knows the view's window by: it shows the title and keeps the id.
[[nodiscard]] std::string window_name(const viz::View& view);

/// Returns the window's name of the view with that id.
[[nodiscard]] std::string window_name_of(std::string_view id);

class Panels {
 public:
  /// `hidden`: ids of views.
  explicit Panels(const std::vector<std::string>& hidden);
  void draw(const Frame& frame);
  /// The presented views, one or two, and nothing else, in a rectangle of the window.
  void draw_presentation(const Frame& frame, ImVec2 at, ImVec2 size);

  [[nodiscard]] std::vector<Panel>& all() { return panels_; }
  [[nodiscard]] const std::vector<Panel>& all() const { return panels_; }
  [[nodiscard]] std::vector<std::string> hidden() const;
  /// Opens the view of that id and brings it to the front.
  void show(std::string_view id);
  /// The same, but the keys stay with the panel that has them.
  void bring_forward(std::string_view id);
  /// The view that is presented: the one used last, or chosen since.
  [[nodiscard]] std::size_t presented() const { return latest_; }
  [[nodiscard]] std::optional<std::size_t> presented_beside() const { return beside_; }
  /// Two views, and Compare, which is of two launches, have smaller letters: each is to show what it shows
  /// alone.
  [[nodiscard]] float part_of_presented_scale() const;
  void present(std::size_t index);
  /// The same view again: none beside.
  void present_beside(std::size_t index);
  /// The view used last, or where it has nothing to draw the next one that has.
  void present_latest() { latest_wanted_ = true; }
  /// The next of those that are open and have something to draw; beside, after the last comes none.
  void present_next() { next_wanted_ = true; }
  void present_next_beside() { next_beside_wanted_ = true; }
  /// The panel whose menu was asked for since this was last called.
  [[nodiscard]] std::optional<std::size_t> take_menu_wanted() {
    return std::exchange(menu_wanted_, std::nullopt);
  }

 private:
  void draw_panel(const Frame& frame, std::size_t index);
  void draw_presented(const Frame& frame, std::size_t index, ImVec2 at, ImVec2 size);
  void set_latest(std::size_t index);
  void step_presentation(const Frame& frame);
  [[nodiscard]] std::optional<std::size_t> next_to_present(const Frame& frame, std::size_t after,
                                                           std::size_t until) const;

  std::vector<Panel> panels_;
  std::size_t latest_ = 0;
  std::optional<std::size_t> beside_;
  bool latest_wanted_ = false, next_wanted_ = false, next_beside_wanted_ = false;
  std::optional<std::size_t> menu_wanted_;
};

}  // namespace warplens::app
