#include "kernels/compile/toolkit.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

void add(std::vector<fs::path>& folders, const fs::path& folder) {
  std::error_code error;
  if (!folder.empty() && fs::is_directory(folder, error) &&
      std::ranges::find(folders, folder) == folders.end())
    folders.push_back(folder);
}

/// The folders above those in which PATH has the program, links resolved: "/opt/gcc-12" of
/// "/opt/gcc-12/bin/g++".
void add_from_path(std::vector<fs::path>& folders, const char* program) {
  const char* const variable = std::getenv("PATH");
  std::string_view rest = variable != nullptr ? variable : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const fs::path folder = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::error_code error;
    if (is_file(folder / program))
      add(folders, fs::canonical(folder / program, error).parent_path().parent_path());
  }
}

/// Whether a folder has the user's home in it, or is it.
bool holds_home(const fs::path& folder) {
  const char* const home = std::getenv("HOME");
  if (home == nullptr) return false;
  const fs::path path = home;
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

}  // namespace

std::vector<fs::path> wheels_near(fs::path folder) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    add(folders, folder / "nvidia" / "cu13");  // Beside Warplens' own wheel
    for (const fs::directory_entry& python : fs::directory_iterator(folder / ".venv" / "lib", error))
      add(folders, python.path() / "site-packages" / "nvidia" / "cu13");
  }
  return folders;
}

std::vector<fs::path> toolkit_folders() {
  std::vector<fs::path> folders;
  if (const char* const chosen = std::getenv("CUDA_PATH")) add(folders, chosen);
  std::error_code error;
  for (const fs::path& wheel : wheels_near(fs::read_symlink("/proc/self/exe", error).parent_path()))
    add(folders, wheel);
  add(folders, "/usr/local/cuda-13.0");
  add(folders, "/usr/local/cuda");
  add_from_path(folders, "nvcc");
  return folders;
}

std::vector<fs::path> host_compiler_folders() {
  std::vector<fs::path> folders;
  add_from_path(folders, "g++");
  if (const char* const chosen = std::getenv("NVCC_CCBIN"))
    add(folders, fs::path(chosen).parent_path().parent_path());
  std::erase_if(folders, holds_home);
  return folders;
}

fs::path headers_folder() {
  for (const fs::path& folder : toolkit_folders()) {
    if (is_file(folder / "include" / "cuda_runtime.h")) return folder / "include";
  }
  return {};
}

fs::path tool_path(const std::string& name) {
  for (const fs::path& folder : toolkit_folders()) {
    std::error_code error;
    if (is_file(folder / "bin" / name)) return fs::canonical(folder / "bin" / name, error);
  }
  return {};
}

}  // namespace warplens::compile
