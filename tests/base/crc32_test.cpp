#include "kernels/base/crc32.h"

#include <gtest/gtest.h>

#include <string_view>

namespace warplens {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(Crc32, GivesThePublishedCheckValue) {
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xcbf43926u);
  EXPECT_EQ(crc32({}), 0u);
}

TEST(Crc32, GoesOnFromWhatCameBefore) {
  EXPECT_EQ(crc32(bytes_of("6789"), crc32(bytes_of("12345"))), 0xcbf43926u);
}

}  // namespace
}  // namespace warplens
