// A source and the headers of its project that it includes, copied into the folder of a job: compilers read
// the copies, of which parts can be left out. Private to kernels/compile; runs in the compilers' process,
// which can read no more than the source may.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernels/compile/header_search.h"

namespace warplens::compile {

struct IncludeLine {
  std::string name;
  bool is_quoted = false;
  std::size_t begin = 0, end = 0;  ///< Of the line
};
/// What lines of the preprocessor include, whatever conditions they stand under.
[[nodiscard]] std::vector<IncludeLine> includes_in(const std::string& text);

class SourceTree {
 public:
  /// The folder of the copies, in that of the job.
  static constexpr const char* kFolder = "warplens_tree";

  struct File {
    std::string text;
    bool is_source = false;  ///< The one that is compiled, not a header
  };

  SourceTree(SourcePlan plan, const std::string& text);

  /// Brings a header that is included by that name; false: it is not found.
  bool bring(const std::string& name, bool is_quoted, const std::filesystem::path& includer);
  /// Copies the source with what stands before it in a file of the project that includes it, as a program in
  /// parts does. Returns the path of the copy; empty: no file includes it.
  [[nodiscard]] std::string bring_what_stands_before();
  /// Whether a header is neither in the project, nor of the toolkit, nor of the host's.
  [[nodiscard]] bool is_missing(const std::string& name) const { return missing_.contains(name); }
  /// The path of the source's copy.
  [[nodiscard]] std::string source_path() const { return path_of_copy(search_.source()); }
  [[nodiscard]] const std::filesystem::path& source() const { return search_.source(); }
  /// `-I` for each folder that headers were found from.
  [[nodiscard]] std::vector<std::string> include_options() const;
  /// The file that a compiler names; null: it is none of the copies.
  [[nodiscard]] const File* find(const std::string& named, std::filesystem::path* original = nullptr) const;
  [[nodiscard]] const std::map<std::filesystem::path, File>& files() const { return files_; }
  /// Changes a copy.
  void change(const std::filesystem::path& original, std::string text);
  /// Headers that no folder said where to look for, by name, and what was taken.
  [[nodiscard]] std::map<std::string, std::filesystem::path> searched() const;

 private:
  [[nodiscard]] std::string path_of_copy(const std::filesystem::path& original) const;
  bool add(const std::filesystem::path& file);
  void scan(const std::filesystem::path& file);
  void write(const std::filesystem::path& original) const;

  HeaderSearch search_;
  std::map<std::filesystem::path, File> files_;
  std::map<std::string, std::filesystem::path> includers_;  ///< Of the source, as `searched` names them
  std::vector<std::filesystem::path> waiting_;              ///< Files whose includes are still to be brought
  std::set<std::string> missing_;
  std::uint64_t bytes_ = 0;
};

}  // namespace warplens::compile
