#include "viz/export/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "kernels/base/files.h"
#include "viz/export/raster.h"
#include "viz/export/svg.h"
#include "viz/picture/frame.h"

namespace warplens::viz {
namespace {

const picture::Palette& palette_of(const ExportRequest& request) {
  return request.dark ? picture::dark_palette() : picture::light_palette();
}

Result<const View*> known_view(const std::string& id) {
  if (const View* const view = find_view(id)) return view;
  std::string known;
  for (const View& view : views()) known += (known.empty() ? "" : ", ") + std::string(view.id);
  return Error{fmt::format("there is no view `{}`", id), "", fmt::format("The views: {}.", known)};
}

Error outside(const char* what, std::uint64_t value, std::uint64_t count) {
  if (count == 0) return {fmt::format("the recording has no {}", what), "", "Record the kernel with blocks chosen for events."};
  return {fmt::format("there is no {} {}", what, value), "", fmt::format("It can be 0 to {} here.", count - 1)};
}

/// Whether the recording has the moment. A recording of totals alone has none; its pictures say so.
Result<Done> check(const picture::Moment& moment) {
  const Recording& recording = *moment.recording;
  if (recording.events.size() == 0) return Done{};
  if (moment.event_block >= recording.event_blocks.size()) return outside("recorded block", moment.event_block, recording.event_blocks.size());
  if (moment.warp >= recording.warps_per_block()) return outside("warp", moment.warp, recording.warps_per_block());
  if (moment.phase >= recording.phases.size()) return outside("phase", moment.phase, recording.phases.size());
  const std::size_t steps = moment.steps().size();
  if (moment.step >= std::max<std::size_t>(1, steps)) return outside("step of this warp in this phase", moment.step, steps);
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
  if ((*view)->make == nullptr) return Error{fmt::format("the view `{}` has no picture", request.view), "", "Export it as a table: .csv."};
  const auto within = [](float value, float least, float most) { return value >= least && value <= most; };
  if (!within(request.width, 100, 20000) || !within(request.height, 100, 20000) || !within(request.scale, 0.25f, 8)) {
    return Error{fmt::format("a picture of {:.0f} x {:.0f} pixels at scale {} cannot be drawn", request.width, request.height, request.scale), "",
                 "Sizes can be 100 to 20,000 pixels, the scale 0.25 to 8."};
  }
  const picture::Style style{&palette_of(request), request.scale};
  const picture::Size size{request.width, request.height};
  return picture::framed((*view)->make(request.subject, picture::frame_inside(size, style), style), size, style);
}

Result<std::string> make_table(const ExportRequest& request) {
  const Result<const View*> view = view_of(request);
  if (!view.ok()) return view.error();
  if ((*view)->table == nullptr) return Error{fmt::format("the view `{}` has no table", request.view), "", "Export it as a picture: .png or .svg."};
  std::string table = (*view)->table(request.subject);
  if (!table.empty()) return table;
  return Error{fmt::format("the accesses are scattered too widely for a table of {}", request.view), "", "Record fewer blocks, or fewer iterations."};
}

Result<std::string> make_file(const ExportRequest& request, std::string_view extension) {
  assert(std::ranges::find(kExtensions, extension) != kExtensions.end());
  if (extension == ".csv") return make_table(request);
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
    return Error{fmt::format("cannot tell what to write from the extension `{}`", extension), path.string(),
                 "End the file's name in .png, .svg or .csv."};
  }
  const Result<std::string> contents = make_file(request, extension);
  if (!contents.ok()) return contents.error();
  return write_text(path, *contents);
}

}  // namespace warplens::viz
