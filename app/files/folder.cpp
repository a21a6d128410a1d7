#include "app/files/folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <tuple>
#include <utility>

#include "kernels/base/text.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

FolderEntry read_entry(const fs::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return make_entry(path.filename().string(), false);
  FolderEntry entry = make_entry(path.filename().string(), S_ISDIR(status.st_mode));
  if (!entry.is_folder) entry.size = static_cast<std::uint64_t>(status.st_size);
  entry.changed = status.st_mtime;
  return entry;
}

fs::path next_that_exists(fs::path folder) {
  std::error_code ignored;
  while (folder.has_relative_path() && !fs::is_directory(folder, ignored)) folder = folder.parent_path();
  return folder;
}

/// How long the beginning is that both have, in whole characters of UTF-8.
std::size_t common_size(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t size = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first - a.begin());
  const auto goes_on = [&](std::string_view text) {
    return size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0u) == 0x80;
  };
  while (size > 0 && (goes_on(a) || goes_on(b))) --size;
  return size;
}

/// `extensions`: ".wlr *.cu"; empty: any.
bool has_extension_of(std::string_view name, std::string_view extensions) {
  while (true) {
    const std::size_t end = extensions.find(" *");
    if (name.ends_with(extensions.substr(0, end))) return true;
    if (end == std::string_view::npos) return false;
    extensions.remove_prefix(end + 2);
  }
}

}  // namespace

FolderEntry make_entry(std::string name, bool is_folder) {
  std::string key = lower_case(name);
  return {.name = std::move(name), .key = std::move(key), .is_folder = is_folder, .size = {}, .changed = {}};
}

void read_folder(fs::path folder, bool or_above, const DetachedWork<FolderSlice>::Reporter& report) {
  using Clock = std::chrono::steady_clock;
  if (or_above) folder = next_that_exists(std::move(folder));
  FolderSlice slice{.folder = folder, .entries = {}, .error = {}};
  auto pause =
      std::chrono::milliseconds(100);  // Each slice is sorted in among all before it: ever fewer of them
  auto posted = Clock::now();
  fs::directory_iterator at(folder, slice.error);
  while (!slice.error && at != fs::directory_iterator()) {
    slice.entries.push_back(read_entry(at->path()));
    at.increment(slice.error);
    if (Clock::now() < posted + pause) continue;
    if (!report.wanted()) return;
    report({.folder = folder, .entries = std::exchange(slice.entries, {}), .error = {}});
    posted = Clock::now();
    pause *= 2;
  }
  report(std::move(slice));
}

Error cannot_read_folder(const fs::path& folder, std::error_code error) {
  switch (error.value()) {
    case ENOENT:
      return {tr("there is no such folder"), folder.string(), tr("Check the path, or choose another folder")};
    case ENOTDIR:
      return {tr("this is not a folder"), folder.string(), tr("Check the path, or choose another folder")};
    case EACCES:
    case EPERM:
      return {tr("the folder may not be read"), folder.string(),
              tr("Change its permissions, or type the whole path of a file in it")};
    default:
      return {tr("the folder cannot be read: {reason}", "reason"_a = error.message()), folder.string(),
              tr("Try again, or choose another folder")};
  }
}

void Folder::enter(fs::path path) {
  path_ = std::move(path);
  entries_.clear();
  rows_.clear();
  searched_.clear();
  select_none();
}

void Folder::add(std::vector<FolderEntry> entries) {
  entries_.insert(entries_.end(), std::move_iterator(entries.begin()), std::move_iterator(entries.end()));
  sort();
  find_rows();
}

void Folder::sort_by(Column column, bool descending) {
  column_ = column;
  descending_ = descending;
  sort();
  find_rows();
}

void Folder::sort() {
  const auto by_column = [this](const FolderEntry& a, const FolderEntry& b) {
    switch (column_) {
      case Column::name: return a.key.compare(b.key);
      case Column::size: return a.size < b.size ? -1 : a.size > b.size ? 1 : 0;
      case Column::changed: return a.changed < b.changed ? -1 : a.changed > b.changed ? 1 : 0;
    }
    return 0;
  };
  std::ranges::sort(entries_, [&](const FolderEntry& a, const FolderEntry& b) {
    if (a.is_folder != b.is_folder) return a.is_folder;
    if (const int order = by_column(a, b); order != 0) return descending_ ? order > 0 : order < 0;
    return std::tie(a.key, a.name) < std::tie(b.key, b.name);
  });
}

void Folder::show_only(const std::string& extension) {
  extension_ = lower_case(extension);
  find_rows();
}

void Folder::show_hidden(bool shown) {
  hidden_shown_ = shown;
  find_rows();
}

void Folder::search(std::string_view typed) {
  searched_ = lower_case(typed);
  follows_search_ = true;
  find_rows();
}

bool Folder::is_shown(const FolderEntry& entry) const {
  if (entry.is_hidden() && !hidden_shown_ && !searched_.starts_with('.')) return false;
  if (!entry.is_folder && !has_extension_of(entry.key, extension_)) return false;
  return entry.key.find(searched_) != std::string::npos;
}

void Folder::find_rows() {
  rows_.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (is_shown(entries_[i])) rows_.push_back(i);
  }
  find_selected();
}

void Folder::find_selected() {
  selected_.reset();
  const auto find = [&](auto holds) {
    const auto found = std::ranges::find_if(rows_, [&](std::size_t entry) { return holds(entries_[entry]); });
    if (found != rows_.end()) selected_ = static_cast<std::size_t>(found - rows_.begin());
  };
  if (!follows_search_) {
    if (selected_name_) find([&](const FolderEntry& entry) { return entry.name == *selected_name_; });
  } else if (!searched_.empty()) {
    find([&](const FolderEntry& entry) { return entry.key.starts_with(searched_); });
    if (!selected_ && !rows_.empty()) selected_ = 0;
  }
}

void Folder::select(std::size_t row) {
  select(this->row(row).name);
}

void Folder::select(std::string name) {
  selected_name_ = std::move(name);
  follows_search_ = false;
  find_selected();
}

void Folder::select_none() {
  selected_name_.reset();
  selected_.reset();
  follows_search_ = false;
}

void Folder::move(std::ptrdiff_t by) {
  if (rows_.empty()) return;
  const auto last = static_cast<std::ptrdiff_t>(rows_.size()) - 1;
  const std::ptrdiff_t from = selected_ ? static_cast<std::ptrdiff_t>(*selected_) : by > 0 ? -1 : last + 1;
  select(static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(from + by, 0, last)));
}

std::string Folder::completed(std::string_view typed) const {
  const std::string key = lower_case(typed);
  const FolderEntry* first = nullptr;
  std::string_view common;
  bool several = false;
  for (const std::size_t index : rows_) {
    const FolderEntry& entry = entries_[index];
    if (!entry.key.starts_with(key) || escaped(entry.name) != entry.name)
      continue;  // What nobody can type is chosen in the list
    several = first != nullptr;
    if (!first) first = &entry;
    common = std::string_view(first->name)
                 .substr(0, several ? common_size(common, entry.name) : entry.name.size());
  }
  if (!first || common.size() < typed.size()) return std::string(typed);
  return std::string(common) + (!several && first->is_folder ? "/" : "");
}

fs::path home_folder() {
  const char* const home = std::getenv("HOME");
  return home == nullptr || home[0] != '/' ? fs::path("/") : resolved(home, "/");
}

fs::path resolved(std::string_view typed, const fs::path& folder) {
  fs::path path(typed);
  if (typed == "~" || typed.starts_with("~/")) {
    path = home_folder() / fs::path(typed.substr(1)).relative_path();
  }
  path = (folder / path).lexically_normal();
  return path.has_filename() || !path.has_relative_path() ? path : path.parent_path();
}

}  // namespace warplens::app
