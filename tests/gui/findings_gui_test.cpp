// What is wrong with a kernel comes to the front by itself.
#include <gtest/gtest.h>

#include <algorithm>

#include "gui/harness.h"

namespace warplens::app {
namespace {

using Findings = GuiTest;

TEST_F(Findings, ComeToTheFrontAndGiveWayToTheSourceAgain) {
  start();
  const auto in_front = [&](std::string_view name) {
    draw(4);
    const auto& panels = app().panels().all();
    return std::ranges::any_of(panels, [&](const Panel& panel) { return panel.info.name == name && panel.visible; });
  };
  EXPECT_TRUE(in_front("Source"));
  for (const char* kernel : {"missing_barrier", "barrier_divergence"}) {
    command(std::string("Record ") + kernel);
    settle();
    ASSERT_FALSE(recording().findings.empty());
    EXPECT_TRUE(in_front("Findings")) << kernel;
  }
  command("Record tiled");
  settle();
  EXPECT_TRUE(in_front("Source"));
}

TEST_F(Findings, StayBehindTheSourceForWhoChoseIt) {
  start();
  command("Record missing_barrier");
  settle();
  app().panels().show("Source");
  draw(4);
  command("Record missing_barrier");
  settle();
  draw(4);
  const auto& panels = app().panels().all();
  EXPECT_TRUE(std::ranges::any_of(panels, [](const Panel& panel) { return panel.info.name == "Source" && panel.visible; }))
      << "who looks at the source of what is wrong keeps it";
}

}  // namespace
}  // namespace warplens::app
