#include "kernels/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "kernels/base/texts.h"

namespace warplens {
namespace {

namespace fs = std::filesystem;

const char* advice_on_writing(int code) {
  switch (code) {
    case EACCES:
    case EPERM:
    case EROFS: return tr("Choose a folder that you may write to, or change its permissions");
    case ENOSPC:
    case EDQUOT: return tr("Free some space, or choose another disk");
    case EFBIG: return tr("Choose another disk, or raise the limit on the size of files (ulimit -f)");
    case ENOENT: return tr("Check the path: a folder of it may be missing");
    case ENAMETOOLONG: return tr("Choose a shorter name");
    default: return "";
  }
}

const char* advice_on_reading(int code) {
  switch (code) {
    case EACCES:
    case EPERM:
      return tr(
          "Check that you may read it: the permissions of the file, and of the folders that it lies in");
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG: return tr("Check the path and the name");
    default: return "";
  }
}

Error cannot_write(const fs::path& path, int code) {
  return {tr("cannot write the file: {reason}", "reason"_a = std::generic_category().message(code)),
          path.string(), advice_on_writing(code)};
}

Error cannot_read(const fs::path& path, int code) {
  return {tr("cannot read the file: {reason}", "reason"_a = std::generic_category().message(code)),
          path.string(), advice_on_reading(code)};
}

/// Owns a file descriptor. Closing is explicit where its error matters.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] bool open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  int close() { return number_ < 0 ? 0 : ::close(std::exchange(number_, -1)); }

 private:
  int number_;
};

/// Returns 0, or the error number.
int write_all(int descriptor, std::span<const std::byte> contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(descriptor, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    contents = contents.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

/// The owner and the permissions of the file that is replaced. nullopt: the file is new, and the user's umask
/// decides.
std::optional<struct stat> status_of(const fs::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? std::optional(status) : std::nullopt;
}

/// Returns 0, or the error number. On return the file is complete and on the disk, or must be removed.
int fill_new_file(const fs::path& path, std::span<const std::byte> contents,
                  const std::optional<struct stat>& replaced) {
  // Until it has the permissions of the file that it replaces, nobody else may read what is in it.
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replaced ? 0600 : 0666));
  if (!file.open()) return errno;
  if (replaced) {
    // Only an administrator may give files away. For others the file is theirs from now on, as with every
    // editor that replaces files.
    [[maybe_unused]] const int given = ::fchown(file.number(), replaced->st_uid, replaced->st_gid);
    if (::fchmod(file.number(), replaced->st_mode & 0777u) != 0) return errno;
  }
  if (const int code = write_all(file.number(), contents); code != 0) return code;
  if (::fsync(file.number()) != 0) return errno;
  return file.close() == 0 ? 0 : errno;
}

constexpr std::string_view kTemporaryBegin = ".warplens-", kTemporaryEnd = ".tmp";

/// Unique among the processes and threads of this machine that are alive; one left behind by a crash is
/// skipped over by O_EXCL.
fs::path temporary_beside(const fs::path& path) {
  static std::atomic<unsigned> counter{0};
  return path.parent_path() / fmt::format("{}{}-{}{}", kTemporaryBegin, ::getpid(), counter++, kTemporaryEnd);
}

/// The process that a temporary file names; nullopt for every other name.
std::optional<pid_t> process_in(std::string_view name) {
  if (!name.starts_with(kTemporaryBegin) || !name.ends_with(kTemporaryEnd)) return std::nullopt;
  name.remove_prefix(kTemporaryBegin.size());
  name.remove_suffix(std::min(name.size(), kTemporaryEnd.size()));
  pid_t process = 0;
  unsigned counter = 0;
  const char* const end = name.data() + name.size();
  const auto [dash, bad_process] = std::from_chars(name.data(), end, process);
  if (bad_process != std::errc{} || process <= 0 || dash == end || *dash != '-') return std::nullopt;
  const auto [stop, bad_counter] = std::from_chars(dash + 1, end, counter);
  return bad_counter == std::errc{} && stop == end ? std::optional(process) : std::nullopt;
}

/// Removes the temporary files of runs that were killed while they wrote: their process is gone, and nothing
/// has been written for a while. The second condition matters where machines share a folder and do not see
/// each other's processes.
void remove_left_behind(const fs::path& folder) {
  constexpr std::time_t kLongAgo = 60;  // Seconds
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto process = process_in(entry->path().filename().native());
    if (!process || ::kill(*process, 0) == 0 || errno != ESRCH) continue;
    struct stat status{};
    if (::lstat(entry->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != ::geteuid())
      continue;
    if (std::time(nullptr) - status.st_mtime >= kLongAgo) (void)::unlink(entry->path().c_str());
  }
}

/// A rename is permanent only once the folder has reached the disk. Some file systems cannot flush a folder;
/// that is no error.
void sync_folder(const fs::path& folder) {
  const Descriptor descriptor(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.open()) (void)::fsync(descriptor.number());
}

}  // namespace

Result<std::vector<std::byte>> read_file(const fs::path& path, std::uint64_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.open()) return cannot_read(path, errno);
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) return cannot_read(path, errno);
  if (!S_ISREG(status.st_mode))
    return Error{tr("is not a file"), path.string(), tr("Name a file, not a folder or a device")};
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > max_bytes)
    return Error{
        tr("has {size} bytes, more than the {most} that are accepted", "size"_a = size, "most"_a = max_bytes),
        path.string(), ""};

  std::vector<std::byte> contents(size);
  std::size_t filled = 0;
  while (filled < contents.size()) {
    const ssize_t count = ::read(file.number(), contents.data() + filled, contents.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_read(path, errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  contents.resize(filled);
  return contents;
}

Result<Done> write_file(const fs::path& path, std::span<const std::byte> contents) {
  std::error_code ignored;
  const fs::path target =
      fs::is_symlink(path, ignored) && fs::exists(path, ignored) ? fs::canonical(path, ignored) : path;
  if (target.empty()) return cannot_write(path, ENOENT);
  if (fs::exists(target, ignored) && !fs::is_regular_file(target, ignored)) {
    return Error{tr("is there already, and is not a file"), path.string(), tr("Choose another name")};
  }

  remove_left_behind(target.parent_path());
  const std::optional<struct stat> replaced = status_of(target);
  fs::path temporary = temporary_beside(target);
  int code = fill_new_file(temporary, contents, replaced);
  while (code == EEXIST) {
    temporary = temporary_beside(target);
    code = fill_new_file(temporary, contents, replaced);
  }
  if (code == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) code = errno;
  if (code != 0) {
    (void)::unlink(temporary.c_str());
    return cannot_write(path, code);
  }
  sync_folder(target.parent_path());
  return Done{};
}

Result<Done> write_text(const fs::path& path, std::string_view text) {
  return write_file(path, std::as_bytes(std::span(text)));
}

}  // namespace warplens
