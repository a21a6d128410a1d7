// A folder as a file dialogue shows it: what lies in it, which of that is shown, in which order, and what is
// selected. Nothing here draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/files/detached_work.h"
#include "kernels/base/result.h"

namespace warplens::app {

struct FolderEntry {
  std::string name;  ///< As the file system has it: any bytes but a slash
  std::string key;   ///< What it is sorted and searched by: the name with its ASCII letters in lower case
  bool is_folder = false;               ///< Or leads to one
  std::optional<std::uint64_t> size;    ///< In bytes, of files; unknown where a link leads nowhere
  std::optional<std::int64_t> changed;  ///< Seconds since 1970, UTC
  [[nodiscard]] bool is_hidden() const { return name.starts_with('.'); }
};
[[nodiscard]] FolderEntry make_entry(std::string name, bool is_folder);

/// A part of a folder, read on another thread.
struct FolderSlice {
  std::filesystem::path folder;  ///< What is read: the folder wanted, or one above it
  std::vector<FolderEntry> entries;
  std::error_code error;  ///< Why there is no more
};
/// Posts slices, at least one. `or_above`: where there is no such folder, the next above it that there is.
void read_folder(std::filesystem::path folder, bool or_above,
                 const DetachedWork<FolderSlice>::Reporter& report);
/// Returns the error for a folder that cannot be read, or not to its end.
[[nodiscard]] Error cannot_read_folder(const std::filesystem::path& folder, std::error_code error);

class Folder {
 public:
  enum class Column : unsigned char { name, size, changed };

  /// Empty, with nothing searched or selected; the rest stays as it was chosen.
  void enter(std::filesystem::path path);
  void add(std::vector<FolderEntry> entries);
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Folders go first in either direction; what is alike in the column goes by its name.
  void sort_by(Column column, bool descending);
  /// Files whose name ends so, or in one of these, whatever the case of its letters: ".wlr", ".wlr *.cu";
  /// empty: all. Folders are always shown.
  void show_only(const std::string& extension);
  void show_hidden(bool shown);
  /// Shows what holds the letters, and selects the best of it: what begins with them. Hidden names too, where
  /// they begin with a dot.
  void search(std::string_view typed);

  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] const FolderEntry& row(std::size_t index) const { return entries_[rows_[index]]; }
  [[nodiscard]] const std::string& searched() const { return searched_; }
  [[nodiscard]] const std::string& extension() const { return extension_; }
  [[nodiscard]] bool hidden_shown() const { return hidden_shown_; }

  [[nodiscard]] std::optional<std::size_t> selected() const { return selected_; }
  /// By the user, and not by what was searched.
  [[nodiscard]] bool selected_by_hand() const { return selected_ && !follows_search_; }
  void select(std::size_t row);
  void select(std::string name);  ///< Now, or once it has been read
  void select_none();
  /// By rows; from nothing, to the first or the last one.
  void move(std::ptrdiff_t by);

  /// `typed`, with what all names that begin so go on with; a slash after a single folder.
  [[nodiscard]] std::string completed(std::string_view typed) const;

 private:
  [[nodiscard]] bool is_shown(const FolderEntry& entry) const;
  void sort();
  void find_rows();
  void find_selected();

  std::filesystem::path path_;
  std::vector<FolderEntry> entries_;  ///< In order
  std::vector<std::size_t> rows_;     ///< Those that are shown
  Column column_ = Column::name;
  bool descending_ = false, hidden_shown_ = false, follows_search_ = false;
  std::string extension_, searched_;
  std::optional<std::string> selected_name_;
  std::optional<std::size_t> selected_;
};

/// $HOME, or the root where it is not set.
[[nodiscard]] std::filesystem::path home_folder();
/// What was typed: an absolute path, one relative to `folder`, or one that begins with `~`, the home folder.
/// Without a slash at its end.
[[nodiscard]] std::filesystem::path resolved(std::string_view typed, const std::filesystem::path& folder);

}  // namespace warplens::app
