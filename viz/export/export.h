// A view of a recording as a file: what the window shows of it, without a window.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "kernels/base/result.h"
#include "viz/canvas/picture.h"
#include "viz/views/view.h"

namespace warplens::viz {

struct ExportRequest {
  std::string view;  ///< The id of one of views()
  Subject subject;
  float width = 1600, height = 900;  ///< Pixels
  float scale = 1;                   ///< Of texts and lines
  bool dark = true;
  std::shared_ptr<const void>
      subject_owner;  ///< Of what the subject points to, where nobody else keeps it as long
};

/// The view as a panel: header with title and subtitle, the picture beneath.
/// Errors: unknown view, or one without a picture; block, warp, phase or step outside the recording; sizes
/// outside 100 to 20,000 pixels or scales outside 0.25 to 8.
[[nodiscard]] Result<picture::Picture> make_view(const ExportRequest& request);

/// The view's data as comma-separated values with a header line. Errors: unknown view, or one without a
/// table; a place outside the recording; more than is counted.
[[nodiscard]] Result<std::string> make_table(const ExportRequest& request);

/// The view's trace. Errors: unknown view, or one without a trace; a place outside the recording.
[[nodiscard]] Result<std::string> make_trace(const ExportRequest& request);

/// What is written, by a file's extension: a picture, a table (.csv), or a trace (.json).
inline constexpr std::array<std::string_view, 4> kExtensions{".png", ".svg", ".csv", ".json"};
/// Returns whether the view can be exported with that extension.
[[nodiscard]] bool is_written_as(const View& view, std::string_view extension);
/// The bytes of a file with one of them. Errors as above.
[[nodiscard]] Result<std::string> make_file(const ExportRequest& request, std::string_view extension);

/// Writes `path` by its extension. Errors as above, and what the file system says.
[[nodiscard]] Result<Done> export_view(const ExportRequest& request, const std::filesystem::path& path);

}  // namespace warplens::viz
