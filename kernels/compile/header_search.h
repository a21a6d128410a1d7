// Where the headers that a source includes are found: beside what includes them, in folders that options
// name, else in the source's project by their names.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warplens::compile {

/// The headers of folders, by their names. Made when it is asked for the first time; bounded in entries and
/// in time, without build outputs and symbolic links.
class HeaderIndex {
 public:
  explicit HeaderIndex(std::vector<std::filesystem::path> folders) : folders_(std::move(folders)) {}
  /// The file that ends as "lib/name.h" does, the nearest to a folder.
  [[nodiscard]] std::optional<std::filesystem::path> find(const std::filesystem::path& name,
                                                          const std::filesystem::path& nearest_to);

 private:
  void read();

  std::vector<std::filesystem::path> folders_;
  std::unordered_multimap<std::string, std::filesystem::path> headers_;
  bool is_read_ = false;
};

/// What a source reads, and from where. Written by one process for the other as JSON.
struct SourcePlan {
  std::string name;                             ///< Of the source
  std::filesystem::path folder;                 ///< That it lies in, absolute; empty: nowhere
  std::vector<std::filesystem::path> readable;  ///< Folders that may be read, with all below them
  std::vector<std::filesystem::path> includes;  ///< Folders where headers are looked for first
  std::vector<std::string> forced;              ///< Headers that are read before the source
};

class HeaderSearch {
 public:
  explicit HeaderSearch(SourcePlan plan);

  /// The header that `includer` includes by that name; nullopt: there is none, or it is one of the toolkit or
  /// of the host. Whether it may be read is another question.
  [[nodiscard]] std::optional<std::filesystem::path> find(const std::string& name, bool is_quoted,
                                                          const std::filesystem::path& includer);
  [[nodiscard]] bool may_be_read(const std::filesystem::path& file) const;
  /// The text of a header that may be read.
  [[nodiscard]] std::optional<std::string> read(const std::filesystem::path& header) const;

  [[nodiscard]] const SourcePlan& plan() const { return plan_; }
  [[nodiscard]] const std::filesystem::path& source() const { return source_; }
  /// Returns the folders that headers are looked for in, with those where some were found by name.
  [[nodiscard]] const std::vector<std::filesystem::path>& folders() const { return folders_; }
  /// Headers that no folder said where to look for, by name, and what was taken.
  [[nodiscard]] const std::map<std::string, std::filesystem::path>& searched() const { return searched_; }

 private:
  SourcePlan plan_;
  std::filesystem::path source_;
  std::vector<std::filesystem::path> folders_;
  std::map<std::string, std::filesystem::path> searched_;
  HeaderIndex index_;
};

/// Whether a file may be one of source text, by its extension.
[[nodiscard]] bool may_be_header(const std::filesystem::path& file);
/// Whether a header of that name is the toolkit's, or the C or C++ library's.
[[nodiscard]] bool is_of_system(const std::string& name);

}  // namespace warplens::compile
