// A view of a recording as a file: what the window shows of it, without a window.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/recording/recording.h"
#include "viz/analysis/arithmetic.h"
#include "viz/analysis/memory_rules.h"
#include "viz/analysis/occupancy.h"
#include "viz/picture/picture.h"

namespace warplens::viz {

struct ExportRequest {
  const Recording* recording = nullptr;
  analysis::ComputeCapability cc;
  std::string view;               ///< One of exported_views()
  std::uint32_t event_block = 0;  ///< Index into Recording::event_blocks
  std::uint32_t warp = 0, phase = 0, step = 0;
  float width = 1600, height = 900;  ///< Pixels
  float scale = 1;                   ///< Of texts and lines
  bool dark = true;
  /// What roofline, intensity and gain draw; nullopt: what the recording counts, without the ladder, under the textbook's roof.
  std::optional<analysis::Arithmetic> arithmetic;
  const analysis::OccupancySubject* occupancy = nullptr;  ///< For that view; without, the registers are not known
};

struct ExportedView {
  const char* name;   ///< "banks"
  const char* title;  ///< "Banks"
};
[[nodiscard]] const std::vector<ExportedView>& exported_views();

/// The view as a panel: header with title and subtitle, the picture beneath.
/// Errors: unknown view; block, warp, phase or step outside the recording; sizes outside 100 to 20,000 pixels or scales outside 0.25 to 8.
[[nodiscard]] Result<picture::Picture> make_view(const ExportRequest& request);

/// The view's data as comma-separated values with a header line.
[[nodiscard]] Result<std::string> make_table(const ExportRequest& request);

/// Writes `path` by its extension: .png, .svg or .csv. Errors as above, and what the file system says.
[[nodiscard]] Result<Done> export_view(const ExportRequest& request, const std::filesystem::path& path);

}  // namespace warplens::viz
