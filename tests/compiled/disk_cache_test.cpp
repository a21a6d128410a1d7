#include "app/compiled/disk_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

class DiskCacheTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }
  const fs::path folder_ = fs::temp_directory_path() / ("warplens_disk_cache_" + std::to_string(getpid()));
};

TEST_F(DiskCacheTest, ValuesAreFoundByTheWholeKey) {
  const DiskCache cache(folder_);
  EXPECT_FALSE(cache.find("key"));
  cache.add("key", "value");
  EXPECT_EQ(cache.find("key"), "value");
  EXPECT_FALSE(cache.find("ke"));
  cache.add("key", "other");
  EXPECT_EQ(cache.find("key"), "other");
  EXPECT_EQ(cache.size().files, 1u);
  EXPECT_EQ(cache.clear().files, 1u);
  EXPECT_FALSE(cache.find("key"));
}

TEST_F(DiskCacheTest, OldestEntriesAreEvicted) {
  const DiskCache cache(folder_, 1000);
  for (int i = 0; i < 20; ++i) {
    cache.add(std::to_string(i), std::string(100, 'x'));
    EXPECT_LE(cache.size().bytes, 1000u);
  }
  EXPECT_TRUE(cache.find("19"));
  EXPECT_FALSE(cache.find("0"));
  cache.add("large", std::string(500, 'x'));
  EXPECT_FALSE(cache.find("large"));
}

TEST_F(DiskCacheTest, DamagedFilesAreMisses) {
  const DiskCache cache(folder_);
  cache.add("key", "value");
  for (const fs::directory_entry& file : fs::directory_iterator(folder_))
    std::ofstream(file.path()) << "\xff\xff";
  EXPECT_FALSE(cache.find("key"));
}

TEST_F(DiskCacheTest, WithoutAFolderEverythingMisses) {
  const DiskCache cache{fs::path()};
  cache.add("key", "value");
  EXPECT_FALSE(cache.find("key"));
}

}  // namespace
}  // namespace warplens::app
