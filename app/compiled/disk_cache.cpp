#include "app/compiled/disk_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/base/files.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCacheExtension = ".cached";

struct CacheFile {
  fs::path path;
  fs::file_time_type written;
  std::uint64_t bytes = 0;
};

std::vector<CacheFile> files_in(const fs::path& folder) {
  std::vector<CacheFile> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == kCacheExtension)
      files.push_back({entry.path(), entry.last_write_time(error), entry.file_size(error)});
  }
  return files;
}

}  // namespace

DiskCache::DiskCache(fs::path folder, std::uint64_t max_bytes)
    : folder_(std::move(folder)), max_bytes_(max_bytes) {}

// A file: 8 bytes, the key's length; the key; the value.
std::optional<std::string> DiskCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const Result<std::vector<std::byte>> bytes = read_file(path_of(key), max_bytes_);
  std::uint64_t length = 0;
  if (!bytes.ok() || bytes->size() < sizeof length) return std::nullopt;
  std::memcpy(&length, bytes->data(), sizeof length);
  const std::string_view rest(reinterpret_cast<const char*>(bytes->data()) + sizeof length,
                              bytes->size() - sizeof length);
  if (length != key.size() || !rest.starts_with(key)) return std::nullopt;
  return std::string(rest.substr(key.size()));
}

void DiskCache::add(const std::string& key, const std::string& value) const {
  const std::uint64_t length = key.size();
  if (folder_.empty() || length + value.size() > max_bytes_ / 4) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  std::string text(sizeof length, '\0');
  std::memcpy(text.data(), &length, sizeof length);
  static_cast<void>(write_text(path_of(key), text + key + value).ok());
  std::vector<CacheFile> files = files_in(folder_);
  std::ranges::sort(files, {}, &CacheFile::written);
  std::uint64_t bytes = 0;
  for (const CacheFile& file : files) bytes += file.bytes;
  for (const CacheFile& file : files) {
    if (bytes <= max_bytes_) break;
    if (fs::remove(file.path, error)) bytes -= file.bytes;
  }
}

DiskCache::Size DiskCache::size() const {
  Size size;
  for (const CacheFile& file : files_in(folder_)) {
    ++size.files;
    size.bytes += file.bytes;
  }
  return size;
}

DiskCache::Size DiskCache::clear() const {
  Size removed;
  std::error_code error;
  for (const CacheFile& file : files_in(folder_)) {
    if (!fs::remove(file.path, error)) continue;
    ++removed.files;
    removed.bytes += file.bytes;
  }
  return removed;
}

fs::path DiskCache::path_of(const std::string& key) const {
  return folder_ / fmt::format("{:016x}{}", std::hash<std::string>{}(key), kCacheExtension);
}

DiskCache listing_cache() {
  const auto folder_of = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return value != nullptr && *value == '/' ? fs::path(value) : fs::path();
  };
  if (const fs::path folder = folder_of("XDG_CACHE_HOME"); !folder.empty())
    return DiskCache(folder / "warplens");
  const fs::path home = folder_of("HOME");
  return DiskCache(home.empty() ? home : home / ".cache" / "warplens");
}

}  // namespace warplens::app
