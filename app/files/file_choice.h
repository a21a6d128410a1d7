// Choosing a file to open, or a name to save under: what a file dialogue does, without drawing it. What asks
// the file system for something does so on a thread of its own, so a folder that does not answer costs
// neither the window nor what was typed.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "app/files/detached_work.h"
#include "app/files/folder.h"
#include "kernels/base/result.h"

namespace warplens::app {

/// What lies at a path that somebody wants to open, or to save under.
struct PathFound {
  enum class What : unsigned char {
    folder,   ///< To go into
    file,     ///< To open, or to save over
    nothing,  ///< To save under
    // What can be neither:
    no_file,
    no_folder,     ///< To save in
    not_a_folder,  ///< Where one to save in should be
    name_taken,
    neither,  ///< A device, a pipe
    unreadable,
    unwritable,   ///< The folder to save in
    cannot_make,  ///< The folder
    unknown
  };
  What what = What::unknown;
  std::filesystem::path path;
  std::error_code error = {};
};
[[nodiscard]] PathFound find_to_open(const std::filesystem::path& path);
/// A name without an extension gets this one, unless there is a folder of that name.
[[nodiscard]] PathFound find_to_save(std::filesystem::path path, const std::string& extension);
/// Makes the folder: it is found then.
[[nodiscard]] PathFound make_folder(const std::filesystem::path& path);
/// Returns the error for a path that can be neither opened nor saved under.
[[nodiscard]] Error in_words(const PathFound& finding);

class FileChoice {
 public:
  /// `folder`: a folder, or a file in it, to open.
  enum class Kind : unsigned char { open, save, folder };

  /// `wake` is called from other threads when there is something to poll.
  explicit FileChoice(const std::function<void()>& wake) : reading_(wake), finding_(wake) {}

  /// Begins in `folder`, or the next above it that there is, or where it is empty in the working directory;
  /// with that name to save under.
  void start(Kind kind, std::string extension, const std::filesystem::path& folder, std::string name);
  void end();
  /// Takes what has been found.
  void poll();

  [[nodiscard]] Folder& folder() { return folder_; }
  [[nodiscard]] const Folder& folder() const { return folder_; }
  [[nodiscard]] const std::string& typed() const { return typed_; }
  /// What is being read, or looked at; empty when nothing is.
  [[nodiscard]] std::filesystem::path waiting_for() const;
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  /// Counts what the user should see in the list: the selection moved, another folder.
  [[nodiscard]] int moves() const { return moves_; }

  /// What was typed narrows the list to open, and is a name to save under; a path, absolute, relative or from
  /// `~`, is either.
  void type(std::string typed);
  /// Goes on with what was typed as far as the names in the folder let it. What is typed before a slash is
  /// gone into.
  void complete();
  void select(std::size_t row);
  void move(std::ptrdiff_t by);
  /// Goes into the folder or chooses the file that is selected, or typed.
  void accept();
  void accept(std::size_t row);
  void accept(const std::filesystem::path& path);
  /// Chooses the folder that is shown, or typed or selected.
  void accept_folder();
  void go(const std::filesystem::path& folder);
  void go_up();
  /// Makes a folder in the one shown, and goes into it.
  void make(const std::string& name);

  /// A file that exists, while the user is to say whether it is to be saved over.
  [[nodiscard]] const std::optional<std::filesystem::path>& replaced() const { return replaced_; }
  void replace(bool agreed);
  [[nodiscard]] bool has_chosen() const { return chosen_.has_value(); }
  /// The file, once it is chosen.
  [[nodiscard]] std::optional<std::filesystem::path> take_chosen();

 private:
  struct Entering {
    std::filesystem::path folder;
    std::string typed;     ///< When it has been entered
    std::string selected;  ///< A name in it
    bool entered = false;
  };
  /// What stands in the field in another folder: the name to save under, but not the path that led there.
  [[nodiscard]] std::string name_to_keep(const std::filesystem::path& folder) const;
  void read(Entering entering, bool or_above);
  void enter(const FolderSlice& first);
  void find(const std::filesystem::path& path, std::function<PathFound()> find, bool takes_folder = false);
  /// `otherwise`: chosen where there is no file at that path.
  void find_file(const std::filesystem::path& path, const std::optional<std::filesystem::path>& otherwise);
  void take(const PathFound& finding);
  void follow_selection();

  Kind kind_ = Kind::open;
  std::string extension_;
  Folder folder_;
  std::string typed_;
  struct Name {
    std::string shown, name;
  };
  Name picked_;  ///< A name that was picked and not typed may hold what cannot be shown
  std::optional<Error> error_;
  int moves_ = 0;
  std::optional<std::filesystem::path> replaced_, chosen_;
  Entering entering_;
  DetachedWork<FolderSlice> reading_;
  std::filesystem::path looked_at_;
  std::optional<std::filesystem::path> otherwise_;  ///< See find_file
  bool takes_folder_ = false;                       ///< What is looked at is chosen if it is a folder
  DetachedWork<PathFound> finding_;
};

}  // namespace warplens::app
