#include "kernels/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace warplens {
namespace {

namespace fs = std::filesystem;

const char* advice_for(int code) {
  switch (code) {
    case EACCES:
    case EPERM:
    case EROFS: return "Choose a folder that you may write to, or change its permissions";
    case ENOSPC:
    case EDQUOT: return "Free some space, or choose another disk";
    case ENOENT: return "Check the path: a folder of it may be missing";
    case ENAMETOOLONG: return "Choose a shorter name";
    default: return "";
  }
}

Error failed_to(const char* action, const fs::path& path, int code) {
  return {fmt::format("cannot {} the file: {}", action, std::generic_category().message(code)), path.string(), advice_for(code)};
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

/// 0, or the error's number.
int write_all(int descriptor, std::span<const std::byte> contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(descriptor, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    contents = contents.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

/// 0, or the error's number. On return the file is whole and on the disk, or must be removed.
int fill_new_file(const fs::path& path, std::span<const std::byte> contents) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.open()) return errno;
  if (const int code = write_all(file.number(), contents); code != 0) return code;
  if (::fsync(file.number()) != 0) return errno;
  return file.close() == 0 ? 0 : errno;
}

/// Unique among the processes and threads of this machine that are alive; one left behind by a crash is skipped over by O_EXCL.
fs::path temporary_beside(const fs::path& path) {
  static std::atomic<unsigned> counter{0};
  return path.parent_path() / fmt::format(".warplens-{}-{}.tmp", ::getpid(), counter++);
}

/// A rename is lasting only once the folder has reached the disk. Some file systems cannot do this for a folder, and then nothing is lost by it.
void sync_folder(const fs::path& folder) {
  const Descriptor descriptor(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.open()) (void)::fsync(descriptor.number());
}

}  // namespace

Result<std::vector<std::byte>> read_file(const fs::path& path, std::uint64_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.open()) return failed_to("open", path, errno);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return failed_to("read", path, errno);
  if (!S_ISREG(status.st_mode)) return Error{"is not a file", path.string(), "Name a file, not a folder or a device"};
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > max_bytes) return Error{fmt::format("has {} bytes, more than the {} that are accepted", size, max_bytes), path.string(), ""};

  std::vector<std::byte> contents(size);
  std::size_t filled = 0;
  while (filled < contents.size()) {
    const ssize_t count = ::read(file.number(), contents.data() + filled, contents.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed_to("read", path, errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  contents.resize(filled);
  return contents;
}

Result<Done> write_file(const fs::path& path, std::span<const std::byte> contents) {
  std::error_code ignored;
  const fs::path target = fs::is_symlink(path, ignored) && fs::exists(path, ignored) ? fs::canonical(path, ignored) : path;
  if (target.empty()) return failed_to("write", path, ENOENT);
  if (fs::exists(target, ignored) && !fs::is_regular_file(target, ignored)) {
    return Error{"is there already, and is not a file", path.string(), "Choose another name"};
  }

  fs::path temporary = temporary_beside(target);
  int code = fill_new_file(temporary, contents);
  while (code == EEXIST) {
    temporary = temporary_beside(target);
    code = fill_new_file(temporary, contents);
  }
  if (code == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) code = errno;
  if (code != 0) {
    (void)::unlink(temporary.c_str());
    return failed_to("write", path, code);
  }
  sync_folder(target.parent_path());
  return Done{};
}

}  // namespace warplens
