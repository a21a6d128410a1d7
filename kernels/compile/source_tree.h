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
#include <unordered_map>
#include <utility>
#include <vector>

namespace warplens::compile {

struct IncludeLine {
  std::string name;
  bool is_quoted = false;
  std::size_t begin = 0, end = 0;  ///< Of the line
};
/// What lines of the preprocessor include, whatever conditions they stand under.
[[nodiscard]] std::vector<IncludeLine> includes_in(const std::string& text);

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
  /// Where a file of the project includes the source, as a program in parts does: brings what stands before
  /// it there. The path of the copy; empty: none does.
  [[nodiscard]] std::string bring_what_stands_before();
  /// Whether a header is neither in the project, nor of the toolkit, nor of the host's.
  [[nodiscard]] bool is_missing(const std::string& name) const { return missing_.contains(name); }
  /// The path of the source's copy.
  [[nodiscard]] std::string source_path() const { return path_of_copy(source_); }
  [[nodiscard]] const std::filesystem::path& source() const { return source_; }
  /// `-I` for each folder that headers were found from.
  [[nodiscard]] std::vector<std::string> include_options() const;
  /// The file that a compiler names; null: it is none of the copies.
  [[nodiscard]] const File* find(const std::string& named, std::filesystem::path* original = nullptr) const;
  [[nodiscard]] const std::map<std::filesystem::path, File>& files() const { return files_; }
  /// Changes a copy.
  void change(const std::filesystem::path& original, std::string text);
  /// Headers that no folder said where to look for, by name, and what was taken.
  [[nodiscard]] const std::map<std::string, std::filesystem::path>& searched() const { return searched_; }

 private:
  [[nodiscard]] std::string path_of_copy(const std::filesystem::path& original) const;
  [[nodiscard]] std::optional<std::filesystem::path> resolve(const std::string& name, bool is_quoted,
                                                             const std::filesystem::path& includer);
  [[nodiscard]] bool may_be_read(const std::filesystem::path& file) const;
  bool add(const std::filesystem::path& file);
  void scan(const std::filesystem::path& file);
  void write(const std::filesystem::path& original) const;

  SourcePlan plan_;
  std::filesystem::path source_;
  std::map<std::filesystem::path, File> files_;
  std::vector<std::filesystem::path> folders_;  ///< That headers are looked for in
  std::map<std::string, std::filesystem::path> searched_;
  std::vector<std::filesystem::path> waiting_;  ///< Files whose includes are still to be brought
  HeaderIndex index_;
  std::set<std::string> missing_;
  std::uint64_t bytes_ = 0;
};

}  // namespace warplens::compile
