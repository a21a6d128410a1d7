// One view of two launches, side by side or as what differs.
#pragma once

#include <memory>
#include <optional>

#include "app/views/picture_view.h"
#include "app/views/view.h"

namespace warplens::app {

/// A frame's launch where it is looked at, for pictures of another one.
[[nodiscard]] viz::Side side_of(const Frame& frame);

/// A view of one launch, with the other beside it: its picture to one scale with that of the other, or where
/// it has no picture its own widget.
class HalfView {
 public:
  void choose(const viz::View& view);
  void draw(const Frame& frame, const viz::Side& beside, ImVec2 size);

 private:
  const viz::View* view_ = nullptr;
  viz::Side beside_;
  std::unique_ptr<Widget> widget_;  ///< Null: it has a picture
  PictureView picture_{[this](const Frame& frame, picture::Size size, const picture::Style& style) {
    viz::Subject subject = frame.subject();
    subject.beside = beside_;
    return view_->make(subject, size, style);
  }};
};

/// B less A, of what is selected in both. Of a list that is higher than its place the wheel and a bar at the
/// right show the rest; B's line comes into sight when it changes.
class DifferenceView {
 public:
  void choose(const viz::View& view);
  void draw(const Frame& frame, const viz::Side& a, ImVec2 size);

 private:
  /// What the rows were counted of.
  struct Place {
    const analysis::Results *a = nullptr, *b = nullptr;
    std::uint32_t line = 0;
    float scale = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };

  const viz::View* view_ = nullptr;
  viz::Side a_;
  std::optional<Place> counted_;
  picture::ListRows rows_;
  std::size_t first_row_ = 0;
  PictureView picture_{[this](const Frame& frame, picture::Size size, const picture::Style& style) {
    return view_->difference(subject(frame), size, style);
  }};

  [[nodiscard]] viz::Subject subject(const Frame& frame) const;
  void draw_list(const Frame& frame, ImVec2 size);
};

}  // namespace warplens::app
