#include "kernels/compile/source_tree.h"

#include <algorithm>
#include <fstream>
#include <string_view>

#include "kernels/compile/source_text.h"

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostHeaders = 4'000;
constexpr std::uint64_t kMostTreeBytes = 64u << 20;

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

SourceTree::SourceTree(SourcePlan plan, const std::string& text) : search_(std::move(plan)) {
  files_[source()] = {text, true};
  write(source());
  for (const std::string& forced : search_.plan().forced) bring(forced, true, source());
  scan(source());
}

std::map<std::string, fs::path> SourceTree::searched() const {
  std::map<std::string, fs::path> all = search_.searched();
  all.insert(includers_.begin(), includers_.end());
  return all;
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

bool SourceTree::add(const fs::path& file) {
  if (files_.contains(file)) return true;
  if (files_.size() >= kMostHeaders || bytes_ >= kMostTreeBytes || !search_.may_be_read(file)) return false;
  std::optional<std::string> text = search_.read(file);
  if (!text) return false;
  bytes_ += text->size();
  files_[file] = {.text = *std::move(text), .is_source = false};
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
      const std::optional<fs::path> found = search_.find(one.name, one.is_quoted, includer);
      if (found) add(*found);
      if (!found && !is_of_system(one.name)) missing_.insert(one.name);
    }
  }
}

bool SourceTree::bring(const std::string& name, bool is_quoted, const fs::path& includer) {
  const std::optional<fs::path> found = search_.find(name, is_quoted, includer);
  if (!found || files_.contains(*found) || !add(*found)) return false;
  scan(*found);
  return true;
}

std::string SourceTree::bring_what_stands_before() {
  constexpr int kMostFolders = 3;
  constexpr std::size_t kMostFiles = 400;
  std::size_t files = 0;
  fs::path folder = search_.plan().folder;
  for (int i = 0; i < kMostFolders && folder.has_relative_path(); ++i, folder = folder.parent_path()) {
    std::error_code error;
    if (!search_.may_be_read(folder)) break;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      if (++files > kMostFiles) return {};
      if (entry.path() == source() || !may_be_header(entry.path())) continue;
      const std::optional<std::string> text = search_.read(entry.path());
      if (!text) continue;
      for (const IncludeLine& one : includes_in(*text)) {
        if (!one.is_quoted || (folder / one.name).lexically_normal() != source()) continue;
        const fs::path before = folder / ("warplens_before_" + source().filename().string());
        files_[before] = {.text = text->substr(0, one.begin), .is_source = false};
        write(before);
        scan(before);
        includers_.emplace(source().filename().string(), entry.path());
        return fs::absolute(path_of_copy(before), error).string();
      }
    }
  }
  return {};
}

std::vector<std::string> SourceTree::include_options() const {
  std::vector<std::string> options;
  for (const fs::path& folder : search_.folders()) options.push_back("-I" + path_of_copy(folder));
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
