#include "kernels/compile/header_search.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <string_view>
#include <tuple>

#include "kernels/base/files.h"
#include "kernels/compile/host_headers.h"
#include "kernels/compile/toolkit.h"

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostEntries = 100'000;
constexpr auto kMostIndexTime = std::chrono::milliseconds(300);
constexpr std::uint64_t kMostHeaderBytes = 4u << 20;

bool is_left_out_of_index(const std::string& folder) {
  return folder.starts_with('.') || folder.starts_with("build") || folder.starts_with("cmake-build") ||
         folder == "node_modules" || folder == "__pycache__" || folder == "venv";
}

bool lies_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

bool ends_with(const fs::path& path, const fs::path& name) {
  auto part = path.end();
  for (auto wanted = name.end(); wanted != name.begin();) {
    if (part == path.begin() || *--part != *--wanted) return false;
  }
  return true;
}

/// `path` without as many parts at its end as `name` has.
fs::path without_end(fs::path path, const fs::path& name) {
  for (auto part = name.begin(); part != name.end(); ++part) path = path.parent_path();
  return path;
}

std::size_t steps_between(const fs::path& a, const fs::path& b) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(std::distance(in_a, a.end()) + std::distance(in_b, b.end()));
}

bool is_regular(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_of_toolkit(const std::string& name) {
  static const fs::path kFolder = headers_folder();
  return !kFolder.empty() && (is_regular(kFolder / name) || is_regular(kFolder / "cccl" / name));
}

}  // namespace

bool may_be_header(const fs::path& file) {
  constexpr std::array<std::string_view, 18> kExtensions{"",    ".h",   ".hh",  ".hpp", ".hxx", ".cuh",
                                                         ".cu", ".inl", ".inc", ".ipp", ".tcc", ".tpp",
                                                         ".c",  ".cc",  ".cpp", ".cxx", ".def", ".hip"};
  return std::ranges::find(kExtensions, file.extension().string()) != kExtensions.end();
}

bool is_of_system(const std::string& name) {
  return is_host_header(name) || is_of_toolkit(name);
}

void HeaderIndex::read() {
  is_read_ = true;
  const Clock::time_point end = Clock::now() + kMostIndexTime;
  std::size_t entries = 0;
  for (const fs::path& folder : folders_) {
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error),
        last;
    for (; !error && entry != last; entry.increment(error)) {
      if (++entries > kMostEntries || (entries % 256 == 0 && Clock::now() > end)) return;
      std::error_code ignored;
      if (entry->is_directory(ignored)) {
        if (is_left_out_of_index(entry->path().filename().string())) entry.disable_recursion_pending();
      } else if (!entry->is_symlink(ignored) && may_be_header(entry->path())) {
        headers_.emplace(entry->path().filename().string(), entry->path());
      }
    }
  }
}

std::optional<fs::path> HeaderIndex::find(const fs::path& name, const fs::path& nearest_to) {
  if (!is_read_) read();
  std::optional<fs::path> best;
  const auto distance = [&](const fs::path& path) {
    const std::string text = path.string(), near = nearest_to.string();
    const auto alike = std::mismatch(text.begin(), text.end(), near.begin(), near.end()).first - text.begin();
    return std::tuple(steps_between(without_end(path, name), nearest_to), -alike, text.size(), text);
  };
  const auto [begin, end] = headers_.equal_range(name.filename().string());
  for (auto one = begin; one != end; ++one) {
    if (!ends_with(one->second, name)) continue;
    if (!best || distance(one->second) < distance(*best)) best = one->second;
  }
  return best;
}

HeaderSearch::HeaderSearch(SourcePlan plan)
    : plan_(std::move(plan)),
      source_(plan_.folder.empty() ? fs::path("/") / plan_.name : plan_.folder / plan_.name),
      folders_(plan_.includes),
      index_(plan_.readable) {
  std::error_code error;
  for (fs::path& folder : plan_.readable) {
    if (fs::path canonical = fs::canonical(folder, error); !error) folder = std::move(canonical);
  }
  if (!plan_.folder.empty()) folders_.push_back(plan_.folder);
}

bool HeaderSearch::may_be_read(const fs::path& file) const {
  std::error_code error;
  const fs::path canonical = fs::canonical(file, error);
  return !error && std::ranges::any_of(plan_.readable,
                                       [&](const fs::path& folder) { return lies_below(canonical, folder); });
}

std::optional<std::string> HeaderSearch::read(const fs::path& header) const {
  if (!is_regular(header) || !may_be_read(header)) return std::nullopt;
  const Result<std::vector<std::byte>> bytes = read_file(header, kMostHeaderBytes);
  if (!bytes.ok()) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

std::optional<fs::path> HeaderSearch::find(const std::string& name, bool is_quoted,
                                           const fs::path& includer) {
  const fs::path relative = name;
  if (name.empty() || plan_.folder.empty()) return std::nullopt;
  if (relative.is_absolute()) return is_regular(relative) ? std::optional(relative) : std::nullopt;
  const auto in = [&](const fs::path& folder) { return (folder / relative).lexically_normal(); };
  if (is_quoted && is_regular(in(includer.parent_path()))) return in(includer.parent_path());
  if (!is_quoted && (is_host_header(name) || is_of_toolkit(name))) return std::nullopt;
  for (const fs::path& folder : folders_) {
    if (is_regular(in(folder))) return in(folder);
  }
  if (is_host_header(name) || is_of_toolkit(name) || name.find("..") != std::string::npos)
    return std::nullopt;
  std::optional<fs::path> found = index_.find(relative.lexically_normal(), includer.parent_path());
  if (!found || *found == source_) return std::nullopt;
  folders_.push_back(without_end(*found, relative.lexically_normal()));
  searched_.emplace(name, *found);
  return found;
}

}  // namespace warplens::compile
