#include "kernels/compile/source_tree.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string_view>
#include <tuple>

#include "kernels/base/files.h"
#include "kernels/compile/host_headers.h"
#include "kernels/compile/source_text.h"
#include "kernels/compile/toolkit.h"

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostEntries = 100'000, kMostHeaders = 4'000;
constexpr auto kMostIndexTime = std::chrono::milliseconds(300);
constexpr std::uint64_t kMostHeaderBytes = 4u << 20, kMostTreeBytes = 64u << 20;

bool may_be_header(const fs::path& file) {
  constexpr std::array<std::string_view, 18> kExtensions{"",    ".h",   ".hh",  ".hpp", ".hxx", ".cuh",
                                                         ".cu", ".inl", ".inc", ".ipp", ".tcc", ".tpp",
                                                         ".c",  ".cc",  ".cpp", ".cxx", ".def", ".hip"};
  return std::ranges::find(kExtensions, file.extension().string()) != kExtensions.end();
}

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

std::vector<IncludeLine> includes_in(const std::string& text) {
  std::vector<IncludeLine> includes;
  for (std::size_t at = text.find("include"); at != std::string::npos; at = text.find("include", at + 1)) {
    const std::size_t line = text.rfind('\n', at) + 1;
    std::string_view before = trimmed(std::string_view(text).substr(line, at - line));
    if (!before.starts_with('#') || !trimmed(before.substr(1)).empty()) continue;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view rest = trimmed(std::string_view(text).substr(at + 7, end - at - 7));
    if (rest.empty() || (rest[0] != '"' && rest[0] != '<')) continue;
    const std::size_t close = rest.find(rest[0] == '"' ? '"' : '>', 1);
    if (close != std::string_view::npos)
      includes.push_back({std::string(rest.substr(1, close - 1)), rest[0] == '"', line, end});
  }
  return includes;
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

SourceTree::SourceTree(SourcePlan plan, const std::string& text)
    : plan_(std::move(plan)),
      source_(plan_.folder.empty() ? fs::path("/") / plan_.name : plan_.folder / plan_.name),
      folders_(plan_.includes),
      index_(plan_.readable) {
  std::error_code error;
  for (fs::path& folder : plan_.readable) {
    if (fs::path canonical = fs::canonical(folder, error); !error) folder = std::move(canonical);
  }
  if (!plan_.folder.empty()) folders_.push_back(plan_.folder);
  files_[source_] = {text, true};
  write(source_);
  for (const std::string& forced : plan_.forced) bring(forced, true, source_);
  scan(source_);
}

std::string SourceTree::path_of_copy(const fs::path& original) const {
  return kFolder + original.string();
}

void SourceTree::write(const fs::path& original) const {
  const fs::path copy = path_of_copy(original);
  std::error_code error;
  fs::create_directories(copy.parent_path(), error);
  std::ofstream(copy, std::ios::binary) << files_.at(original).text;
}

bool SourceTree::may_be_read(const fs::path& file) const {
  std::error_code error;
  const fs::path canonical = fs::canonical(file, error);
  return !error && std::ranges::any_of(plan_.readable,
                                       [&](const fs::path& folder) { return lies_below(canonical, folder); });
}

std::optional<fs::path> SourceTree::resolve(const std::string& name, bool is_quoted,
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

bool SourceTree::add(const fs::path& file) {
  if (files_.contains(file)) return true;
  if (files_.size() >= kMostHeaders || bytes_ >= kMostTreeBytes || !may_be_read(file)) return false;
  const Result<std::vector<std::byte>> bytes = read_file(file, kMostHeaderBytes);
  if (!bytes.ok()) return false;
  bytes_ += bytes->size();
  files_[file] = {.text = {reinterpret_cast<const char*>(bytes->data()), bytes->size()}, .is_source = false};
  write(file);
  waiting_.push_back(file);
  return true;
}

void SourceTree::scan(const fs::path& file) {
  waiting_.push_back(file);
  while (!waiting_.empty()) {
    const fs::path includer = waiting_.back();
    waiting_.pop_back();
    for (const IncludeLine& one : includes_in(files_.at(includer).text)) {
      const std::optional<fs::path> found = resolve(one.name, one.is_quoted, includer);
      if (found) add(*found);
      if (!found && !is_host_header(one.name) && !is_of_toolkit(one.name)) missing_.insert(one.name);
    }
  }
}

bool SourceTree::bring(const std::string& name, bool is_quoted, const fs::path& includer) {
  const std::optional<fs::path> found = resolve(name, is_quoted, includer);
  if (!found || files_.contains(*found) || !add(*found)) return false;
  scan(*found);
  return true;
}

std::string SourceTree::bring_what_stands_before() {
  constexpr int kMostFolders = 3;
  constexpr std::size_t kMostFiles = 400;
  std::size_t files = 0;
  fs::path folder = plan_.folder;
  for (int i = 0; i < kMostFolders && folder.has_relative_path(); ++i, folder = folder.parent_path()) {
    std::error_code error;
    if (!may_be_read(folder)) break;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      if (++files > kMostFiles) return {};
      if (entry.path() == source_ || !may_be_header(entry.path()) || !is_regular(entry.path()) ||
          !may_be_read(entry.path()))
        continue;
      const Result<std::vector<std::byte>> bytes = read_file(entry.path(), kMostHeaderBytes);
      if (!bytes.ok()) continue;
      const std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
      for (const IncludeLine& one : includes_in(text)) {
        if (!one.is_quoted || (folder / one.name).lexically_normal() != source_) continue;
        const fs::path before = folder / ("warplens_before_" + source_.filename().string());
        files_[before] = {.text = text.substr(0, one.begin), .is_source = false};
        write(before);
        scan(before);
        searched_.emplace(source_.filename().string(), entry.path());
        return fs::absolute(path_of_copy(before), error).string();
      }
    }
  }
  return {};
}

std::vector<std::string> SourceTree::include_options() const {
  std::vector<std::string> options;
  for (const fs::path& folder : folders_) options.push_back("-I" + path_of_copy(folder));
  return options;
}

const SourceTree::File* SourceTree::find(const std::string& named, fs::path* original) const {
  const fs::path path = fs::path(named).lexically_normal();
  const std::string text = path.string();
  const std::size_t at = text.find(kFolder);
  if (at == std::string::npos) return nullptr;
  const auto found = files_.find(text.substr(at + std::string_view(kFolder).size()));
  if (found == files_.end()) return nullptr;
  if (original != nullptr) *original = found->first;
  return &found->second;
}

void SourceTree::change(const fs::path& original, std::string text) {
  files_.at(original).text = std::move(text);
  write(original);
}

}  // namespace warplens::compile
