#include "viz/export/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/base/files.h"
#include "viz/export/raster.h"
#include "viz/export/svg.h"
#include "viz/export/views.h"
#include "viz/picture/frame.h"

namespace warplens::viz {
namespace {

const picture::Palette& palette_of(const ExportRequest& request) {
  return request.dark ? picture::dark_palette() : picture::light_palette();
}

Result<const View*> find_view(const std::string& name) {
  std::string known;
  for (const View& view : views()) {
    if (name == view.name) return &view;
    known += (known.empty() ? "" : ", ") + std::string(view.name);
  }
  return Error{fmt::format("there is no view `{}`", name), "", fmt::format("The views: {}.", known)};
}

Error outside(const char* what, std::uint64_t value, std::uint64_t count) {
  if (count == 0) return {fmt::format("the recording has no {}", what), "", "Record the kernel with blocks chosen for events."};
  return {fmt::format("there is no {} {}", what, value), "", fmt::format("It can be 0 to {} here.", count - 1)};
}

/// The moment that the request names, if the recording has it. A recording of totals alone has none; its pictures say so.
Result<picture::Moment> find_moment(const ExportRequest& request) {
  const Recording& recording = *request.recording;
  const picture::Moment moment{&recording, request.cc, request.event_block, request.warp, request.phase, request.step};
  if (recording.events.size() == 0) return moment;
  if (request.event_block >= recording.event_blocks.size()) return outside("recorded block", request.event_block, recording.event_blocks.size());
  if (request.warp >= recording.warps_per_block()) return outside("warp", request.warp, recording.warps_per_block());
  if (request.phase >= recording.phases.size()) return outside("phase", request.phase, recording.phases.size());
  const std::size_t steps = moment.steps().size();
  if (request.step >= std::max<std::size_t>(1, steps)) return outside("step of this warp in this phase", request.step, steps);
  return moment;
}

}  // namespace

const std::vector<ExportedView>& exported_views() {
  static const std::vector<ExportedView> all = [] {
    std::vector<ExportedView> names;
    for (const View& view : views()) names.push_back({view.name, view.title});
    return names;
  }();
  return all;
}

Result<picture::Picture> make_view(const ExportRequest& request) {
  const Result<const View*> view = find_view(request.view);
  if (!view.ok()) return view.error();
  const Result<picture::Moment> moment = find_moment(request);
  if (!moment.ok()) return moment.error();
  const auto within = [](float value, float least, float most) { return value >= least && value <= most; };
  if (!within(request.width, 100, 20000) || !within(request.height, 100, 20000) || !within(request.scale, 0.25f, 8)) {
    return Error{fmt::format("a picture of {:.0f} x {:.0f} pixels at scale {} cannot be drawn", request.width, request.height, request.scale), "",
                 "Sizes can be 100 to 20,000 pixels, the scale 0.25 to 8."};
  }
  const picture::Style style{&palette_of(request), request.scale};
  const picture::Size size{request.width, request.height};
  const picture::Size inside = picture::frame_inside(size, style);
  const bool of_moment = (*view)->make_from == nullptr;
  return picture::framed(of_moment ? (*view)->make(*moment, inside, style) : (*view)->make_from(request, inside, style), size, style);
}

Result<std::string> make_table(const ExportRequest& request) {
  const Result<const View*> view = find_view(request.view);
  if (!view.ok()) return view.error();
  const Result<picture::Moment> moment = find_moment(request);
  if (!moment.ok()) return moment.error();
  std::string table = (*view)->table_from == nullptr ? (*view)->table(*moment) : (*view)->table_from(request);
  if (!table.empty()) return table;
  return Error{fmt::format("the accesses are scattered too widely for a table of {}", request.view), "", "Record fewer blocks, or fewer iterations."};
}

Result<Done> export_view(const ExportRequest& request, const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".csv") {
    const Result<std::string> table = make_table(request);
    if (!table.ok()) return table.error();
    return write_text(path, *table);
  }
  if (extension != ".png" && extension != ".svg") {
    return Error{fmt::format("cannot tell what to write from the extension `{}`", extension), path.string(),
                 "End the file's name in .png, .svg or .csv."};
  }
  const Result<picture::Picture> picture = make_view(request);
  if (!picture.ok()) return picture.error();
  const picture::Colour background = palette_of(request).background;
  if (extension == ".svg") {
    return write_text(path, to_svg(*picture, background));
  }
  return write_file(path, to_png(rasterise(*picture, background)));
}

}  // namespace warplens::viz
