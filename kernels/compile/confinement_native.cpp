#include "kernels/compile/confinement.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "kernels/compile/toolkit.h"

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;

// "Landlock: unprivileged access control", Linux kernel documentation. All rights of its first version, which
// every later one has.
constexpr std::uint64_t kReadFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kRead = kReadFiles | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWriteFiles = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t kWrite = kWriteFiles | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr std::uint64_t kAll = kRead | kWrite | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                               LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK;

/// Programs, libraries and headers of the distribution, and what programs need of a running system. Nothing
/// of the users'.
constexpr const char* kSystemFolders[] = {"/usr",
                                          "/bin",
                                          "/sbin",
                                          "/lib",
                                          "/lib32",
                                          "/lib64",
                                          "/nix/store",
                                          "/sys/devices/system",
                                          "/etc/alternatives",
                                          "/etc/ld.so.cache",
                                          "/etc/ld.so.conf",
                                          "/dev/null",
                                          "/dev/urandom"};

long version_of_landlock() {
  return syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

/// Folders that are not there need no rule.
void allow(int rules, const fs::path& path, std::uint64_t rights) {
  const int opened = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (opened < 0) return;
  struct stat status = {};
  if (fstat(opened, &status) == 0 && !S_ISDIR(status.st_mode)) rights &= kReadFiles | kWriteFiles;
  landlock_path_beneath_attr rule{.allowed_access = rights, .parent_fd = opened};
  syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(opened);
}

}  // namespace

bool can_confine() {
  return version_of_landlock() >= 1;
}

bool confine(const std::vector<fs::path>& readable, const fs::path& writable) {
  if (!can_confine()) return true;
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = kAll;
  const auto rules = static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0));
  if (rules < 0) return false;
  for (const char* folder : kSystemFolders) allow(rules, folder, kRead);
  allow(rules, "/dev/null", kReadFiles | kWriteFiles);
  for (const fs::path& folder : toolkit_folders()) allow(rules, folder, kRead);
  for (const fs::path& folder : host_compiler_folders()) allow(rules, folder, kRead);
  for (const fs::path& folder : readable) allow(rules, folder, kRead);
  allow(rules, writable, kRead | kWrite);
  const bool confined =
      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  return confined;
}

}  // namespace warplens::compile
