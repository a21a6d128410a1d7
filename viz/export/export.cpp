#include "viz/export/export.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "kernels/base/files.h"
#include "kernels/base/texts.h"
#include "viz/canvas/frame.h"
#include "viz/export/raster.h"
#include "viz/export/svg.h"

namespace warplens::viz {
namespace {

const picture::Palette& palette_of(const ExportRequest& request) {
  return request.dark ? picture::dark_palette() : picture::light_palette();
}

Result<const View*> known_view(const std::string& id) {
  if (const View* const view = find_view(id)) return view;
  std::string known;
  for (const View& view : views()) known += (known.empty() ? "" : ", ") + std::string(view.id);
  return Error{tr("there is no view `{view}`", "view"_a = id), "",
               tr("The views: {views}.", "views"_a = known)};
}

/// `count` are there: `none`, or none of that number.
Error outside(std::uint64_t count, const char* none, std::string not_that) {
  if (count == 0) return {none, "", tr("Record the kernel with blocks chosen for events.")};
  return {std::move(not_that), "", tr("It can be 0 to {last} here.", "last"_a = count - 1)};
}

/// Whether the recording has the moment. A recording of totals alone has none; its pictures say so.
Result<Done> check(const picture::Moment& moment) {
  const Recording& recording = *moment.recording;
  if (recording.events.size() == 0) return Done{};
  if (moment.event_block >= recording.event_blocks.size()) {
    return outside(recording.event_blocks.size(), tr("the recording has no recorded block"),
                   tr("there is no recorded block {block}", "block"_a = moment.event_block));
  }
  if (moment.warp >= recording.warps_per_block()) {
    return outside(recording.warps_per_block(), tr("the recording has no warp"),
                   tr("there is no warp {warp}", "warp"_a = moment.warp));
  }
  if (moment.phase >= recording.phases.size()) {
    return outside(recording.phases.size(), tr("the recording has no phase"),
                   tr("there is no phase {phase}", "phase"_a = moment.phase));
  }
  const std::size_t steps = moment.steps().size();
  if (moment.step >= std::max<std::size_t>(1, steps)) {
    return outside(steps, tr("the recording has no step of this warp in this phase"),
                   tr("there is no step {step} of this warp in this phase", "step"_a = moment.step));
  }
  return Done{};
}

/// The view, if it can be drawn or listed for the request's subject.
Result<const View*> view_of(const ExportRequest& request) {
  Result<const View*> view = known_view(request.view);
  if (!view.ok() || !(*view)->needs_recording) return view;
  const Result<Done> checked = check(request.subject.moment);
  if (!checked.ok()) return checked.error();
  return view;
}

}  // namespace

Result<picture::Picture> make_view(const ExportRequest& request) {
  const Result<const View*> view = view_of(request);
  if (!view.ok()) return view.error();
  if ((*view)->make == nullptr)
    return Error{tr("the view `{view}` has no picture", "view"_a = request.view), "",
                 tr("Export it as a table: .csv.")};
  const auto within = [](float value, float min, float max) { return value >= min && value <= max; };
  if (!within(request.width, 100, 20000) || !within(request.height, 100, 20000) ||
      !within(request.scale, 0.25f, 8)) {
    return Error{tr("a picture of {width:.0f} x {height:.0f} pixels at scale {scale} cannot be drawn",
                    "width"_a = request.width, "height"_a = request.height, "scale"_a = request.scale),
                 "", tr("Sizes can be 100 to 20,000 pixels, the scale 0.25 to 8.")};
  }
  const picture::Style style{&palette_of(request), request.scale};
  const picture::Size size{request.width, request.height};
  return picture::framed((*view)->make(request.subject, picture::frame_inside(size, style), style), size,
                         style);
}

Result<std::string> make_table(const ExportRequest& request) {
  const Result<const View*> view = view_of(request);
  if (!view.ok()) return view.error();
  if ((*view)->table == nullptr)
    return Error{tr("the view `{view}` has no table", "view"_a = request.view), "",
                 tr("Export it as a picture: .png or .svg.")};
  std::string table = (*view)->table(request.subject);
  if (!table.empty()) return table;
  return Error{tr("the accesses are scattered too widely for a table of {view}", "view"_a = request.view), "",
               tr("Record fewer blocks, or fewer iterations.")};
}

Result<std::string> make_trace(const ExportRequest& request) {
  const Result<const View*> view = view_of(request);
  if (!view.ok()) return view.error();
  if ((*view)->trace != nullptr) return (*view)->trace(request.subject);
  return Error{tr("the view `{view}` has no trace", "view"_a = request.view), "",
               tr("Export it as a picture: .png or .svg.")};
}

bool is_written_as(const View& view, std::string_view extension) {
  if (extension == ".csv") return view.table != nullptr;
  if (extension == ".json") return view.trace != nullptr;
  return view.make != nullptr;
}

Result<std::string> make_file(const ExportRequest& request, std::string_view extension) {
  assert(std::ranges::find(kExtensions, extension) != kExtensions.end());
  if (extension == ".csv") return make_table(request);
  if (extension == ".json") return make_trace(request);
  const Result<picture::Picture> picture = make_view(request);
  if (!picture.ok()) return picture.error();
  const picture::Colour background = palette_of(request).background;
  if (extension == ".svg") return to_svg(*picture, background);
  const std::vector<std::byte> png = to_png(rasterise(*picture, background));
  return std::string(reinterpret_cast<const char*>(png.data()), png.size());
}

Result<Done> export_view(const ExportRequest& request, const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (std::ranges::find(kExtensions, extension) == kExtensions.end()) {
    return Error{tr("cannot tell what to write from the extension `{extension}`", "extension"_a = extension),
                 path.string(), tr("End the file's name in .png, .svg, .csv or .json.")};
  }
  const Result<std::string> contents = make_file(request, extension);
  if (!contents.ok()) return contents.error();
  return write_text(path, *contents);
}

}  // namespace warplens::viz
