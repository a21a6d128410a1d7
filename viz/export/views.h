// The views that can be exported, each as a picture and as a table. Registered in views.cpp, one line a view.
#pragma once

#include <string>
#include <vector>

#include "viz/export/export.h"
#include "viz/picture/moment.h"

namespace warplens::viz {

struct View {
  const char* name;
  const char* title;
  picture::Picture (*make)(const picture::Moment& moment, picture::Size size, const picture::Style& style);
  std::string (*table)(const picture::Moment& moment);  ///< Empty, without even a header, where there is more than is counted
  /// Instead of those, where a moment is not enough.
  picture::Picture (*make_from)(const ExportRequest& request, picture::Size size, const picture::Style& style) = nullptr;
  std::string (*table_from)(const ExportRequest& request) = nullptr;
};
[[nodiscard]] const std::vector<View>& views();

/// Tables, as comma-separated values. One row a ..
[[nodiscard]] std::string coalescing_table(const picture::Moment& moment);  ///< lane
[[nodiscard]] std::string banks_table(const picture::Moment& moment);       ///< lane served in a wavefront
[[nodiscard]] std::string phases_table(const picture::Moment& moment);      ///< phase
[[nodiscard]] std::string heat_table(const picture::Moment& moment);        ///< element that is touched
[[nodiscard]] std::string divergence_table(const picture::Moment& moment);  ///< access and phase in which some recorded warp makes it
[[nodiscard]] std::string source_table(const picture::Moment& moment);      ///< source line and kind of access
[[nodiscard]] std::string occupancy_table(const ExportRequest& request);    ///< variant of the kernel, or the recorded launch alone

/// The occupancy view's subject: the request's, else the launch without registers.
[[nodiscard]] analysis::OccupancySubject occupancy_subject_of(const ExportRequest& request);
/// What roofline, intensity and gain draw: the request's, else what the recording counts.
[[nodiscard]] analysis::Arithmetic arithmetic_of(const ExportRequest& request);

[[nodiscard]] std::string intensity_table(const ExportRequest& request);  ///< kernel of the ladder, and the recording as counted
[[nodiscard]] std::string gain_table(const ExportRequest& request);       ///< tile edge, and the recording as counted

/// The file whose lines the recording's accesses lie on: the one with the most sites.
[[nodiscard]] std::uint32_t source_file(const Recording& recording);

}  // namespace warplens::viz
