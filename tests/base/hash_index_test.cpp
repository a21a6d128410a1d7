#include "kernels/base/hash_index.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace warplens {
namespace {

TEST(HashIndex, TellsEntriesOfOneHashApartAndNumbersThemInOrder) {
  for (const std::uint64_t step :
       {0ull, 1ull, 0x9e3779b97f4a7c15ull}) {  // All in one place, next to each other, apart
    HashIndex index;
    std::vector<int> list;
    for (int round = 0; round < 2; ++round) {
      for (int value = 0; value < 300; ++value) {
        const std::uint32_t number =
            index.find_or_add(step * static_cast<std::uint64_t>(value),
                              [&](std::uint32_t known) { return list[known] == value; });
        ASSERT_EQ(number, static_cast<std::uint32_t>(value));
        if (number == list.size()) list.push_back(value);
      }
      EXPECT_EQ(index.size(), 300u);
    }
    index.clear();
    EXPECT_EQ(index.size(), 0u);
    EXPECT_EQ(index.find_or_add(0, [](std::uint32_t) { return true; }), 0u);
  }
}

}  // namespace
}  // namespace warplens
