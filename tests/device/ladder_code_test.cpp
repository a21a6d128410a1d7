// What a kernel of the ladder needs of a GPU. Needs no GPU.
#include "kernels/gpu/ladder_code.h"

#include <gtest/gtest.h>

namespace warplens::gpu {
namespace {

TEST(LadderCode, SaysWhichCapabilityAKernelNeeds) {
  const KernelDescriptor &copies = *catalog().find("async_copy"), &tiled = *catalog().find("tiled");
  const Gpu turing{.name = "A T4", .cc_major = 7, .cc_minor = 5};
  const Gpu volta{.name = "A V100", .cc_major = 7, .cc_minor = 0};
  const Gpu ampere{.name = "An A100", .cc_major = 8, .cc_minor = 0};
  EXPECT_FALSE(why_too_old(turing, tiled));
  EXPECT_FALSE(why_too_old(ampere, copies));
  const std::optional<Error> without_copies = why_too_old(turing, copies);
  ASSERT_TRUE(without_copies);
  EXPECT_EQ(without_copies->message(),
            "async_copy: A T4 has compute capability 7.5. Launches need 8.0 or later; the replay on the CPU "
            "needs no GPU.");
  const std::optional<Error> older = why_too_old(volta, tiled);
  ASSERT_TRUE(older);
  EXPECT_NE(older->message().find("Launches need 7.5 or later"), std::string::npos) << older->message();
}

}  // namespace
}  // namespace warplens::gpu
