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
  std::string (*table)(const picture::Moment& moment);
  /// Instead of both, where the kernel as a whole is drawn and not a moment of it.
  picture::Picture (*make_of_kernel)(const analysis::Arithmetic& arithmetic, picture::Size size, const picture::Style& style) = nullptr;
  std::string (*table_of_kernel)(const analysis::Arithmetic& arithmetic) = nullptr;
};
[[nodiscard]] const std::vector<View>& views();

/// Tables, as comma-separated values. One row a ..
[[nodiscard]] std::string coalescing_table(const picture::Moment& moment);  ///< lane
[[nodiscard]] std::string banks_table(const picture::Moment& moment);       ///< lane served in a wavefront
[[nodiscard]] std::string phases_table(const picture::Moment& moment);      ///< phase
[[nodiscard]] std::string heat_table(const picture::Moment& moment);        ///< element that is touched
[[nodiscard]] std::string divergence_table(const picture::Moment& moment);  ///< access and phase in which some recorded warp makes it
[[nodiscard]] std::string source_table(const picture::Moment& moment);      ///< source line and kind of access

[[nodiscard]] std::string intensity_table(const analysis::Arithmetic& arithmetic);  ///< kernel of the ladder, and the recording as counted
[[nodiscard]] std::string gain_table(const analysis::Arithmetic& arithmetic);       ///< tile edge, and the recording as counted

/// The file whose lines the recording's accesses lie on: the one with the most sites.
[[nodiscard]] std::uint32_t source_file(const Recording& recording);

}  // namespace warplens::viz
