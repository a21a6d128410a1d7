// What this program was built from and by: for reports of faults, and for packages.
#pragma once

#include <string>

namespace warplens::app {

struct Version {
  std::string number;    ///< "0.2.0"
  std::string commit;    ///< Its hash, with "-changed" where files differed from it; empty if not known
  std::string date;      ///< Of the commit, "2026-11-28"; empty if not known
  std::string compiler;  ///< "GNU 12.2.0"
  std::string options;   ///< "Release"
  bool window = false;   ///< Whether the window is built in
  std::string fmt, zstd, kernels;  ///< Versions of the libraries; what made the kernels' PTX
};

[[nodiscard]] const Version& version();
/// A few lines, the first of them "warplens 0.2.0".
[[nodiscard]] std::string version_text();

}  // namespace warplens::app
