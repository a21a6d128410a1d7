// Fragments and Pipeline in the window: what the warp's registers hold arrives, and what one points at is
// lit.
#include <gtest/gtest.h>

#include "gui/source_gui_test.h"

namespace warplens::app {
namespace {

constexpr const char* kProduct = R"cu(// warplens: grid=1 block=32 A=f32[8][16]:ints C=f32[16][8]
// Each lane has 1 in all of A and B; C comes from the lane's number.
__global__ void product(const float* A, float* C) {
  unsigned one = 0x3c003c00u;
  float c0 = A[threadIdx.x], c1 = 0, c2 = 0, c3 = 0;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(one));
  C[threadIdx.x] = c0 + c1 + c2 + c3;
}
)cu";

constexpr const char* kWarpgroupProduct = R"cu(// warplens: grid=1 block=128 A=f32[2048]:ints C=f32[128]
// A warpgroup multiplies 64 x 16 halves by 16 x 8, both in shared memory, without swizzle.
__global__ void product(const float* A, float* C) {
  __shared__ alignas(1024) float tile[2048];
  for (int i = threadIdx.x; i < 2048; i += 128) tile[i] = A[i];
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  unsigned long long place = ((unsigned)__cvta_generic_to_shared(tile) & 0x3ffff) >> 4;
  unsigned long long a = place | 8ull << 16 | 16ull << 32, b = (place + 256) | 8ull << 16 | 16ull << 32;
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  asm volatile("wgmma.fence.sync.aligned;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\n"
               "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "l"(a), "l"(b));
  C[threadIdx.x] = c0 + c1 + c2 + c3;
}
)cu";

class FragmentsInTheWindow : public SourceGuiTest {};

TEST_F(FragmentsInTheWindow, ElementIsSelectedByClick) {
  start();
  app().open(write("product.cu", kProduct));
  settle();
  ASSERT_EQ(recording().kernel, "product");
  drive([this](ImGuiTestContext& context) {
    context.WindowFocus("//fragments");
    IM_CHECK(await(context, [&] { return context.ItemExists("//fragments/picture"); }));
    context.Yield(20);
    const ImGuiTestItemInfo picture = context.ItemInfo("//fragments/picture");
    bool lit = false;
    for (float y = picture.RectFull.Min.y + 10; y < picture.RectFull.Max.y && !lit; y += 9) {
      context.MouseTeleportToPos({picture.RectFull.Min.x + 40, y});
      context.Yield(2);
      lit = app().hovered().matrix_element.has_value();
    }
    IM_CHECK(lit);
    IM_CHECK(app().hovered().lane.has_value());
    context.MouseClick();
    context.Yield(2);
    IM_CHECK(app().selection().matrix_element.has_value());
    IM_CHECK(app().selection().lane.has_value());
    context.KeyPress(ImGuiKey_Escape);
    IM_CHECK(!app().selection().matrix_element.has_value());
  });
  keep_picture("fragments");
}

TEST_F(FragmentsInTheWindow, ElementInSharedMemoryLightsItsWord) {
  start();
  app().open(write("product.cu", kWarpgroupProduct));
  settle();
  ASSERT_EQ(recording().kernel, "product");
  drive([this](ImGuiTestContext& context) {
    context.WindowFocus("//fragments");
    IM_CHECK(await(context, [&] { return context.ItemExists("//fragments/picture"); }));
    context.Yield(20);
    const ImRect picture = context.ItemInfo("//fragments/picture").RectFull;
    bool lit = false;
    for (float y = picture.Max.y - 10; y > picture.Min.y && !lit; y -= 9) {
      context.MouseTeleportToPos({picture.Min.x + 40, y});
      context.Yield(2);
      lit = app().hovered().matrix_element.has_value() && app().hovered().shared_word.has_value();
    }
    IM_CHECK(lit);
    IM_CHECK(!app().hovered().lane.has_value());
    context.MouseClick();
    context.Yield(2);
    IM_CHECK(app().selection().matrix_element.has_value());
    IM_CHECK(app().selection().shared_word.has_value());
    context.MouseClick();
    context.Yield(2);
    IM_CHECK(!app().selection().matrix_element.has_value());
    IM_CHECK(!app().selection().shared_word.has_value());
  });
  keep_picture("fragments_warpgroup");
}

TEST_F(FragmentsInTheWindow, PlaceOfABoxLightsElementAndWord) {
  start();
  app().open(std::filesystem::path(WARPLENS_TEST_DATA) / "programs" / "tensor_tiles.cu");
  settle();
  ASSERT_EQ(recording().kernel, "scale");
  drive([this](ImGuiTestContext& context) {
    context.WindowFocus("//box");
    IM_CHECK(await(context, [&] { return context.ItemExists("//box/picture"); }));
    context.Yield(20);
    const ImRect picture = context.ItemInfo("//box/picture").RectFull;
    const auto look = [&](float x) {
      context.MouseTeleportToPos({picture.Min.x + x * picture.GetWidth(), picture.GetCenter().y});
      context.Yield(2);
    };
    bool has_element = false, has_word = false;
    for (float x = 0.02f; x < 1; x += 0.02f) {
      look(x);
      has_element = has_element || app().hovered().element.has_value();
      has_word = has_word || app().hovered().shared_word.has_value();
    }
    IM_CHECK(has_element);
    IM_CHECK(has_word);
    for (float x = 0.98f; x > 0 && !app().hovered().shared_word.has_value(); x -= 0.02f) look(x);
    context.MouseClick();
    context.Yield(2);
    IM_CHECK(app().selection().shared_word.has_value());
  });
  keep_picture("box");
}

TEST_F(FragmentsInTheWindow, TimelineLeadsToAnotherWarp) {
  start();
  app().open(std::filesystem::path(WARPLENS_TEST_DATA) / "programs" / "tensor_tiles.cu");
  settle();
  ASSERT_EQ(recording().kernel, "scale");
  drive([this](ImGuiTestContext& context) {
    context.WindowFocus("//timeline");
    IM_CHECK(await(context, [&] { return context.ItemExists("//timeline/picture"); }));
    context.Yield(20);
    const ImRect picture = context.ItemInfo("//timeline/picture").RectFull;
    const std::uint32_t before = app().selection().warp;
    for (float y = picture.Max.y - 20; y > picture.Min.y && app().selection().warp == before; y -= 12) {
      context.MouseTeleportToPos({picture.GetCenter().x, y});
      context.Yield(2);
      if (app().hovered().event.has_value()) context.MouseClick();
      context.Yield(2);
    }
    IM_CHECK_NE(app().selection().warp, before);
  });
  keep_picture("timeline");
}

TEST_F(FragmentsInTheWindow, ClusterLeadsToItsOtherBlock) {
  start();
  choose_kernel(app().menus(), *catalog().find("warp_specialised"));
  app().record();
  settle();
  ASSERT_EQ(recording().kernel, "warp_specialised");
  const Dim3 before = recording().event_blocks[app().selection().event_block];
  drive([this](ImGuiTestContext& context) {
    context.WindowFocus("//cluster");
    IM_CHECK(await(context, [&] { return context.ItemExists("//cluster/picture") && shows("rank 1"); }));
    const ImRect picture = context.ItemInfo("//cluster/picture").RectFull;
    const std::uint32_t block = app().selection().event_block;
    for (float x = picture.Max.x - 20; x > picture.Min.x && app().selection().event_block == block; x -= 40) {
      context.MouseTeleportToPos({x, picture.Min.y + 25});
      context.Yield(2);
      context.MouseClick();
      context.Yield(2);
    }
    IM_CHECK_NE(app().selection().event_block, block);
  });
  const Dim3 after = recording().event_blocks[app().selection().event_block];
  EXPECT_EQ(before.x / 2, after.x / 2) << "of the same cluster";
  draw(20);
  keep_picture("cluster");
}

TEST_F(FragmentsInTheWindow, PipelineLeadsToItsPhases) {
  start();
  choose_kernel(app().menus(), *catalog().find("async_copy"));
  app().record();
  settle();
  drive([this](ImGuiTestContext& context) {
    context.WindowFocus("//pipeline");
    IM_CHECK(await(context, [&] { return context.ItemExists("//pipeline/picture"); }));
    context.Yield(4);
    const ImRect picture = context.ItemInfo("//pipeline/picture").RectFull;
    const std::uint32_t before = app().selection().phase;
    context.MouseTeleportToPos({picture.Max.x - 60, (picture.Min.y + picture.Max.y) / 2});
    context.Yield(2);
    context.MouseClick();
    context.Yield(2);
    IM_CHECK_NE(app().selection().phase, before);
  });
  keep_picture("pipeline");
}

}  // namespace
}  // namespace warplens::app
