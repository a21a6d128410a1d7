// What is wrong with a kernel comes to the front by itself.
#include <gtest/gtest.h>

#include <algorithm>

#include "gui/harness.h"

namespace warplens::app {
namespace {

using Findings = GuiTest;

TEST_F(Findings, ComeToTheFrontAndGiveWayToTheSourceAgain) {
  start();
  const auto in_front = [&](std::string_view id) {
    draw(4);
    const auto& panels = app().panels().all();
    return std::ranges::any_of(panels, [&](const Panel& panel) { return panel.view->id == id && panel.visible; });
  };
  EXPECT_TRUE(in_front("source"));
  for (const char* kernel : {"missing_barrier", "barrier_divergence"}) {
    command(std::string("record.") + kernel);
    settle();
    ASSERT_FALSE(recording().findings.empty());
    EXPECT_TRUE(in_front("findings")) << kernel;
  }
  command("record.tiled");
  settle();
  EXPECT_TRUE(in_front("source"));
}

TEST_F(Findings, StayBehindTheSourceForWhoChoseIt) {
  start();
  command("record.missing_barrier");
  settle();
  app().panels().show("source");
  draw(4);
  command("record.missing_barrier");
  settle();
  draw(4);
  const auto& panels = app().panels().all();
  EXPECT_TRUE(std::ranges::any_of(panels, [](const Panel& panel) { return panel.view->id == "source" && panel.visible; }))
      << "who looks at the source of what is wrong keeps it";
}

}  // namespace
}  // namespace warplens::app
