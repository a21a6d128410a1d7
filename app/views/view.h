// What views are in the window: what they may read and change, and the widgets of those that are more than a
// picture.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/measure/meter.h"
#include "app/session/editing.h"
#include "app/session/loaded.h"
#include "app/session/recordings.h"
#include "app/session/selection.h"
#include "app/session/subject.h"
#include "app/views/frame_watch.h"
#include "app/views/gpu_model.h"
#include "app/views/look.h"
#include "viz/export/export.h"
#include "viz/render/heat_texture.h"

namespace warplens::app {

/// Everything that views draw. They change none of it.
struct Model {
  std::string waiting_for;  ///< What the window is busy with: "Recording tiled"
  GpuModel gpu;
};

/// One frame of one view: what to draw, and where its clicks go.
struct Frame {
  const Model& model;
  std::shared_ptr<const Loaded>
      shown;  ///< The recording that it draws; null until the first is made or opened
  const Look& look;
  const render::HeatPainter& heat_painter;
  measure::Meter& meter;
  const Hover& hovered;  ///< By any view, in the frame before
  Selection& selection;  ///< In that recording
  GpuWishes& wishes;
  Editing& editing;
  std::optional<BlockWanted>& block_wanted;
  Hover& hover;                       ///< What the pointer is over now
  const std::function<void()>& wake;  ///< Makes the window draw a frame; called from any thread
  FrameWatch& watch;                  ///< Told what is drawn
  /// Which launch the recording is of, in words; the same where it is not the one that the launch row says,
  /// else empty.
  const std::string &launch, &other_launch;
  const std::vector<Shown>& held;  ///< All recordings that the window holds, from the oldest
  const std::string& refused;      ///< Why what the launch row says is not recorded; empty: it is, or will be

  /// Returns the frame of another recording in the same view, with a place and a pointer of its own.
  [[nodiscard]] Frame with(std::shared_ptr<const Loaded> other, Selection& place, const Hover& was_over,
                           Hover& is_over, std::optional<BlockWanted>& block) const;
  [[nodiscard]] const Loaded& loaded() const { return *shown; }
  [[nodiscard]] const Recording& recording() const { return *shown->recording; }
  /// What pictures are made of, with what is selected or hovered lit.
  [[nodiscard]] viz::Subject subject() const { return subject_of(loaded(), selection, hovered); }
  [[nodiscard]] picture::Moment moment() const { return moment_of(loaded(), selection); }
};

/// Something that can be done in a widget, for the palette.
struct WidgetCommand {
  std::string id;    ///< "ladder": stable, of this widget's
  std::string name;  ///< "Ladder", in the language chosen: the palette puts the view's title before it
  std::function<void()> run;
};

/// What fills a view's panel.
class Widget {
 public:
  virtual ~Widget() = default;
  /// Draws into the current window. Returns what the panel's header says at its right. Called only while
  /// there is a recording, or where `viz::View::needs_recording` is false.
  [[nodiscard]] virtual std::string draw(const Frame& frame) = 0;
  /// It leaves a margin of its own around what it draws.
  [[nodiscard]] virtual bool has_margin() const { return false; }
  /// Puts what is chosen or tried out here, as it was last drawn, into a request to export the view.
  virtual void amend(viz::ExportRequest& /*request*/) const {}
  /// What it adds to the palette.
  [[nodiscard]] virtual std::vector<WidgetCommand> commands() { return {}; }
};

/// The widget that is registered for the view; else one that is its picture.
[[nodiscard]] std::unique_ptr<Widget> make_widget(const viz::View& view);
/// Registration of a widget for the view of that id, in one line beside the definition. A second one for it
/// aborts with a message.
struct RegisterWidget {
  using Make = std::unique_ptr<Widget> (*)();
  RegisterWidget(std::string_view view, Make make);
};
template <class Kind>
[[nodiscard]] std::unique_ptr<Widget> make_one() {
  return std::make_unique<Kind>();
}

}  // namespace warplens::app
