#include "app/files/file_choice.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "kernels/base/text.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;
using What = PathFound::What;

/// What takes no longer is shown in the same frame, and the window does not stutter.
constexpr auto kAtOnce = std::chrono::milliseconds(20);

bool may(const fs::path& path, int what) {
  return ::access(path.c_str(), what) == 0;
}

bool is_missing(const fs::file_status& status) {
  return status.type() == fs::file_type::not_found;
}

std::string folder_part(const std::string& typed) {
  const std::size_t slash = typed.rfind('/');
  return slash == std::string::npos ? std::string() : typed.substr(0, slash + 1);
}

}  // namespace

PathFound find_to_open(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (is_missing(status)) return {What::no_file, path};
  if (!fs::status_known(status))
    return {error.value() == EACCES ? What::unreadable : What::unknown, path, error};
  if (fs::is_directory(status)) return {What::folder, path};
  if (!fs::is_regular_file(status)) return {What::neither, path};
  return {may(path, R_OK) ? What::file : What::unreadable, path};
}

PathFound find_to_save(fs::path path, const std::string& extension) {
  std::error_code error;
  if (fs::is_directory(path, error)) return {What::folder, path};
  const fs::path folder = path.parent_path();
  const fs::file_status around = fs::status(folder, error);
  if (is_missing(around)) return {What::no_folder, folder};
  if (!fs::status_known(around))
    return {error.value() == EACCES ? What::unwritable : What::unknown, folder, error};
  if (!fs::is_directory(around)) return {What::not_a_folder, folder};
  if (!path.has_extension()) path += extension;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return {What::name_taken, path};
  if (!fs::status_known(status))
    return {error.value() == EACCES ? What::unwritable : What::unknown, path, error};
  if (!may(folder, W_OK | X_OK)) return {What::unwritable, folder};
  if (is_missing(status)) return {What::nothing, path};
  return {fs::is_regular_file(status) ? What::file : What::neither, path};
}

PathFound make_folder(const fs::path& path) {
  std::error_code error;
  const bool made = fs::create_directory(path, error);
  if (made) return {What::folder, path};
  if (!error || error.value() == EEXIST) return {What::name_taken, path};
  return {error.value() == EACCES || error.value() == EROFS ? What::unwritable : What::cannot_make, path,
          error};
}

Error in_words(const PathFound& finding) {
  const std::string where = finding.path.string();
  switch (finding.what) {
    case What::folder:
    case What::file:
    case What::nothing: break;
    case What::no_file:
      return {tr("there is no such file"), where, tr("Check the name, or choose a file in the list")};
    case What::no_folder:
      return {tr("there is no such folder"), where, tr("Check the path, or make the folder first")};
    case What::not_a_folder:
      return {tr("this is not a folder"), where, tr("Check the path, or choose another folder")};
    case What::name_taken:
      return {tr("there is something of that name already"), where, tr("Choose another name")};
    case What::neither: return {tr("this is neither a file nor a folder"), where, tr("Choose a file")};
    case What::unreadable:
      return {tr("the file may not be read"), where,
              tr("Change its permissions, or those of the folders that it lies in")};
    case What::unwritable:
      return {tr("nothing may be written there"), where,
              tr("Choose a folder that you may write to, or change its permissions")};
    case What::cannot_make:
      return {tr("the folder cannot be made: {reason}", "reason"_a = finding.error.message()), where,
              tr("Choose another name, or another folder")};
    case What::unknown: break;
  }
  return {tr("the file system does not say what is there: {reason}", "reason"_a = finding.error.message()),
          where, tr("Check the path, or choose another folder")};
}

void FileChoice::start(Kind kind, std::string extension, const fs::path& folder, std::string name) {
  end();
  kind_ = kind;
  extension_ = std::move(extension);
  picked_ = {escaped(name), std::move(name)};
  typed_ = picked_.shown;
  std::error_code none;  // The working directory may be gone; then the root is as good
  fs::path absolute = fs::absolute(folder.empty() ? fs::path(".") : folder, none);
  if (none) absolute = "/";
  folder_.show_only(extension_);
  folder_.enter(resolved(absolute.string(), "/"));
  read({.folder = folder_.path(), .typed = typed_, .selected = {}}, true);
}

void FileChoice::end() {
  reading_.leave();
  finding_.leave();
  error_.reset();
  replaced_.reset();
  chosen_.reset();
}

fs::path FileChoice::waiting_for() const {
  if (finding_.running()) return looked_at_;
  return reading_.running() ? entering_.folder : fs::path();
}

void FileChoice::read(Entering entering, bool or_above) {
  entering_ = std::move(entering);
  finding_.leave();
  reading_.start(
      [folder = entering_.folder, or_above](const auto& post) { read_folder(folder, or_above, post); });
  reading_.wait(kAtOnce);
  poll();
}

void FileChoice::poll() {
  for (FolderSlice& slice : reading_.take()) {
    if (slice.error) error_ = cannot_read_folder(slice.folder, slice.error);
    if (!entering_.entered && slice.error) continue;
    if (!entering_.entered) enter(slice);
    folder_.add(std::move(slice.entries));
  }
  for (const PathFound& finding : finding_.take()) take(finding);
}

void FileChoice::enter(const FolderSlice& first) {
  error_.reset();
  entering_.entered = true;
  folder_.enter(first.folder);
  typed_ = entering_.typed;
  if (kind_ != Kind::save && !typed_.empty()) folder_.search(typed_);
  if (!entering_.selected.empty()) folder_.select(entering_.selected);
  ++moves_;
}

std::string FileChoice::name_to_keep(const fs::path& folder) const {
  if (kind_ != Kind::save) return {};
  return resolved(typed_, folder_.path()) == folder ? picked_.shown : typed_;
}

void FileChoice::go(const fs::path& folder) {
  read({.folder = folder, .typed = name_to_keep(folder), .selected = {}}, false);
}

void FileChoice::go_up() {
  const fs::path& here = folder_.path();
  if (here == here.parent_path()) return;
  const std::string left = kind_ != Kind::save ? here.filename().string() : std::string();
  read({.folder = here.parent_path(), .typed = name_to_keep(here.parent_path()), .selected = left}, false);
}

void FileChoice::type(std::string typed) {
  typed_ = std::move(typed);
  error_.reset();
  finding_.leave();
  const bool is_path = typed_.find('/') != std::string::npos || typed_.starts_with('~');
  folder_.select_none();
  if (kind_ != Kind::save) folder_.search(is_path ? std::string() : typed_);
  ++moves_;
}

void FileChoice::complete() {
  const std::string before = folder_part(typed_);
  if (!before.empty()) {
    read({.folder = resolved(before, folder_.path()), .typed = typed_.substr(before.size()), .selected = {}},
         false);
    if (!entering_.entered) return;
  }
  if (typed_.empty()) return;
  type(folder_.completed(typed_));
}

void FileChoice::select(std::size_t row) {
  folder_.select(row);
  follow_selection();
}

void FileChoice::move(std::ptrdiff_t by) {
  folder_.move(by);
  follow_selection();
}

void FileChoice::follow_selection() {
  error_.reset();
  ++moves_;
  if (kind_ != Kind::save || !folder_.selected()) return;
  const FolderEntry& entry = folder_.row(*folder_.selected());
  if (entry.is_folder) return;
  picked_ = {escaped(entry.name), entry.name};
  typed_ = picked_.shown;
}

void FileChoice::accept() {
  if (folder_.selected() && (folder_.selected_by_hand() || typed_.empty()))
    return accept(*folder_.selected());
  if (typed_.empty()) return;
  if (kind_ == Kind::save && typed_ == picked_.shown) return accept(folder_.path() / picked_.name);
  const fs::path path = resolved(typed_, folder_.path());
  if (typed_.ends_with('/')) return go(path);
  std::optional<fs::path> searched;
  if (folder_.selected()) searched = folder_.path() / folder_.row(*folder_.selected()).name;
  find_file(path, searched);
}

void FileChoice::accept(std::size_t row) {
  const FolderEntry& entry = folder_.row(row);
  const fs::path path = folder_.path() / entry.name;
  if (entry.is_folder) return go(path);
  accept(path);
}

void FileChoice::accept(const fs::path& path) {
  find_file(path, std::nullopt);
}

void FileChoice::accept_folder() {
  fs::path path = folder_.path();
  if (folder_.selected() && (folder_.selected_by_hand() || !typed_.empty())) {
    const FolderEntry& entry = folder_.row(*folder_.selected());
    if (entry.is_folder) path /= entry.name;
  } else if (!typed_.empty()) {
    path = resolved(typed_, folder_.path());
  }
  find(path, [path] { return find_to_open(path); }, true);
}

void FileChoice::find_file(const fs::path& path, const std::optional<fs::path>& otherwise) {
  otherwise_ = otherwise;
  if (kind_ != Kind::save) return find(path, [path] { return find_to_open(path); });
  find(path, [path, extension = extension_] { return find_to_save(path, extension); });
}

void FileChoice::make(const std::string& name) {
  const fs::path path = resolved(name, folder_.path());
  if (!name.empty()) find(path, [path] { return make_folder(path); });
}

void FileChoice::find(const fs::path& path, std::function<PathFound()> find, bool takes_folder) {
  error_.reset();
  looked_at_ = path;
  takes_folder_ = takes_folder;
  finding_.start([find = std::move(find)](const auto& post) { post(find()); });
  finding_.wait(kAtOnce);
  poll();
}

void FileChoice::take(const PathFound& finding) {
  switch (finding.what) {
    case What::folder:
      if (!takes_folder_) return go(finding.path);
      chosen_ = finding.path;
      return;
    case What::nothing: chosen_ = finding.path; return;
    case What::file: (kind_ == Kind::save ? replaced_ : chosen_) = finding.path; return;
    case What::no_file:
      if (otherwise_) return accept(*std::exchange(otherwise_, std::nullopt));
      break;
    default: break;
  }
  error_ = in_words(finding);
}

void FileChoice::replace(bool agreed) {
  const std::optional<fs::path> path = std::exchange(replaced_, std::nullopt);
  if (agreed) chosen_ = path;
}

std::optional<fs::path> FileChoice::take_chosen() {
  return std::exchange(chosen_, std::nullopt);
}

}  // namespace warplens::app
