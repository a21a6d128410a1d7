#include "app/shell/kept_edits.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "kernels/base/files.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr std::uint64_t kMostCopyBytes = 32u << 20;
constexpr int kMostCopies = 1000;  ///< Windows at once, and copies left behind
constexpr const char* kCopyExtension = ".edits";

std::filesystem::path lock_of(std::filesystem::path copy) {
  return copy.replace_extension(".lock");
}

/// A line of JSON that says of which file it is, then the text as it is.
std::string copy_text(const UnsavedSource& source) {
  nlohmann::ordered_json head;
  head["file"] = source.file.string();
  head["lies_nowhere"] = source.lies_nowhere;
  // A path that is no UTF-8 comes back changed: its file is not found then, and the text is saved elsewhere.
  return head.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n" + source.text;
}

std::optional<UnsavedSource> read_copy(const std::filesystem::path& path) {
  const Result<std::vector<std::byte>> bytes = read_file(path, kMostCopyBytes);
  if (!bytes.ok()) return std::nullopt;
  const std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return std::nullopt;
  try {
    const nlohmann::json head = nlohmann::json::parse(text.substr(0, end));
    return UnsavedSource{head.at("file").get<std::string>(), head.at("lies_nowhere").get<bool>(),
                         text.substr(end + 1)};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

LockedFile::LockedFile(const std::filesystem::path& path) : path_(path) {
  constexpr mode_t kOwnersOnly = 0600;
  descriptor_ = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, kOwnersOnly);
  if (descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) != 0) close(std::exchange(descriptor_, -1));
}

LockedFile::~LockedFile() {
  if (locked()) close(descriptor_);
}

LockedFile::LockedFile(LockedFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

LockedFile& LockedFile::operator=(LockedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

void LockedFile::remove() {
  if (!locked()) return;
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  close(std::exchange(descriptor_, -1));
}

Result<Done> KeptEdits::keep(const UnsavedSource& source) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);  // What is missing then is said by the writing
  for (int number = 1; !own_ && number <= kMostCopies; ++number) {
    const std::filesystem::path path = folder_ / fmt::format("{}{}", number, kCopyExtension);
    if (std::filesystem::exists(path, error)) continue;
    if (LockedFile lock(lock_of(path)); lock.locked()) own_ = Copy{path, std::move(lock)};
  }
  if (!own_)
    return Error{tr("nothing can be written there"), folder_.string(),
                 tr("Save what is edited: no copy of it is kept meanwhile")};
  return write_text(own_->path, copy_text(source));
}

void KeptEdits::drop() {
  if (!own_) return;
  std::error_code ignored;
  std::filesystem::remove(own_->path, ignored);
  own_->lock.remove();
  own_.reset();
}

std::optional<UnsavedSource> KeptEdits::take_left_behind() {
  std::error_code error;
  std::vector<std::filesystem::path> copies;
  for (std::filesystem::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == kCopyExtension) copies.push_back(entry->path());
  }
  std::ranges::sort(copies);
  for (const std::filesystem::path& path : copies) {
    if (own_ && own_->path == path) continue;
    LockedFile lock(lock_of(path));
    if (!lock.locked()) continue;
    taken_ = Copy{path, std::move(lock)};
    if (std::optional<UnsavedSource> source = read_copy(path)) return source;
    forget();
  }
  return std::nullopt;
}

void KeptEdits::forget() {
  if (!taken_) return;
  std::error_code ignored;
  std::filesystem::remove(taken_->path, ignored);
  taken_->lock.remove();
  taken_.reset();
}

}  // namespace warplens::app
