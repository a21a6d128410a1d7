// What takes long to make, kept between starts by what it was made of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "kernels/base/result.h"

namespace warplens::app {

/// A folder of files, each with one value and the whole key that it was made of: a value is found only by an
/// equal key. Any thread, any process.
class DiskCache {
 public:
  /// The oldest files go when all together take more than `max_bytes`. An empty folder: nothing is kept.
  explicit DiskCache(std::filesystem::path folder, std::uint64_t max_bytes = std::uint64_t{64} << 20);

  [[nodiscard]] std::optional<std::string> find(const std::string& key) const;
  /// What cannot be written is not kept.
  void add(const std::string& key, const std::string& value) const;

  struct Size {
    std::uint64_t files = 0, bytes = 0;
  };
  [[nodiscard]] Size size() const;
  /// Removes the cache's files, and says what they took.
  [[nodiscard]] Size clear() const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  [[nodiscard]] std::filesystem::path path_of(const std::string& key) const;

  std::filesystem::path folder_;
  std::uint64_t max_bytes_;
};

/// The user's cache of listings of machine code: $XDG_CACHE_HOME/warplens, or ~/.cache/warplens.
[[nodiscard]] DiskCache listing_cache();

}  // namespace warplens::app
