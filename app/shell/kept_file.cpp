#include "app/shell/kept_file.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <vector>

#include "kernels/base/files.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxBytes = 1 << 20;
constexpr int kMostSetAside = 9;

}  // namespace

Result<std::optional<std::string>> read_kept(const fs::path& path) {
  std::error_code ignored;
  const fs::file_type type = fs::status(path, ignored).type();
  if (type == fs::file_type::not_found) return std::optional<std::string>();
  if (type == fs::file_type::directory) return Error{tr("there is a folder in its place"), path.string(), ""};
  const Result<std::vector<std::byte>> bytes = read_file(path, kMaxBytes);
  if (!bytes) return bytes.error();
  return std::optional(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
}

Error set_aside(const fs::path& path, Error reason, const std::string& instead) {
  reason.where = path.string();
  std::error_code error;
  for (int i = 1; i <= kMostSetAside; ++i) {
    const fs::path aside = path.string() + (i == 1 ? std::string(".damaged") : fmt::format(".damaged-{}", i));
    if (fs::symlink_status(aside, error).type() != fs::file_type::not_found) continue;
    fs::rename(path, aside, error);
    if (error) break;
    reason.hint =
        tr("It is now called {file}; {instead}", "file"_a = aside.filename().string(), "instead"_a = instead);
    return reason;
  }
  reason.hint = tr("It could not be set aside, remove it yourself; {instead}", "instead"_a = instead);
  return reason;
}

Result<Done> write_kept(const fs::path& path, const std::string& text) {
  std::error_code ignored;  // What is missing then is said by the writing
  fs::create_directories(path.parent_path(), ignored);
  return write_file(path, std::as_bytes(std::span(text)));
}

}  // namespace warplens::app
