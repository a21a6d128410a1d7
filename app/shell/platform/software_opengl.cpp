#include "app/shell/platform/software_opengl.h"

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>

#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

// libglvnd's: each EGL on the machine has a file in one of these folders.
constexpr const char* kFoldersOfVendors = "/etc/glvnd/egl_vendor.d:/usr/share/glvnd/egl_vendor.d";

std::filesystem::path mesa_vendor_file() {
  const char* const chosen = std::getenv("__EGL_VENDOR_LIBRARY_DIRS");
  std::istringstream folders(chosen == nullptr ? kFoldersOfVendors : chosen);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
      const std::string name = entry.path().filename();
      if (name.find("mesa") != std::string::npos && name.ends_with(".json")) return entry.path();
    }
  }
  return {};
}

}  // namespace

Result<Done> choose_software_opengl() {
  const std::filesystem::path vendor = mesa_vendor_file();
  if (vendor.empty()) {
    return Error{tr("Mesa's software renderer is not installed"), "EGL",
                 tr("Install it (on Debian and Ubuntu: {command})", "command"_a = "apt install libegl1")};
  }
  setenv("__EGL_VENDOR_LIBRARY_FILENAMES", vendor.c_str(), 1);
  setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
  return Done{};
}

}  // namespace warplens::app
