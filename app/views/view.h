// What a view is, what it may read and change, and the registry of views. To add one: a file in this folder that ends with a RegisterView.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/measure/meter.h"
#include "app/session/selection.h"
#include "app/session/session.h"
#include "app/views/frame_watch.h"
#include "app/views/gpu_model.h"
#include "app/views/look.h"
#include "viz/picture/moment.h"
#include "viz/render/heat_texture.h"

namespace warplens::app {

/// How fast a replay was: measured while a recording was made in this window.
struct ReplayRate {
  std::string kernel;
  double seconds_since_start = 0;  ///< When, on the meter's clock
  double warp_instructions_per_second = 0;
  double gflops = 0;  ///< Of the product; 0 if only a part of the grid was replayed
};

/// Everything that views draw. They change none of it.
struct Model {
  std::shared_ptr<const Loaded> loaded;  ///< Null until the first recording is made or opened
  std::string waiting_for;               ///< What the window is busy with, if loaded is null: "Recording tiled"
  std::vector<ReplayRate> replay_rates;  ///< Oldest first
  GpuModel gpu;
};

/// One frame of one view: what to draw, and where its clicks go.
struct Frame {
  const Model& model;
  const Look& look;
  const render::HeatPainter& heat_painter;
  measure::Meter& meter;
  const Hover& hovered;  ///< By any view, in the frame before
  Selection& selection;
  GpuWishes& wishes;
  Hover& hover;                       ///< What the pointer is over now
  const std::function<void()>& wake;  ///< Makes the window draw a frame; called from any thread
  FrameWatch& watch;                  ///< Told what is drawn

  [[nodiscard]] const Loaded& loaded() const { return *model.loaded; }
  [[nodiscard]] const Recording& recording() const { return model.loaded->recording; }
  [[nodiscard]] picture::Moment moment() const;
  /// What is selected, or else hovered.
  [[nodiscard]] picture::Highlight highlight() const;
};

class View {
 public:
  virtual ~View() = default;
  /// Draws into the current window. Returns what the panel's header says at its right. Called only while there is a recording, or where
  /// `ViewInfo::needs_recording` is false.
  [[nodiscard]] virtual std::string draw(const Frame& frame) = 0;
};

/// Where a view lies in the layout of a first start.
enum class Place : unsigned char { left, middle_top, middle_bottom, right_top, right_bottom };

struct ViewInfo {
  std::string_view name;   ///< Of the panel, in menus and in the kept layout
  std::string_view shows;  ///< One sentence
  Place place = Place::middle_top;
  int rank = 0;  ///< Order in menus, and of tabs in one place: the lowest is in front
  bool needs_recording = true;
  std::unique_ptr<View> (*make)() = nullptr;
};

/// All views, by rank.
[[nodiscard]] const std::vector<ViewInfo>& views();
/// Registration in one line beside the definition. A duplicate name aborts with a message.
struct RegisterView {
  explicit RegisterView(ViewInfo info);
};

}  // namespace warplens::app
