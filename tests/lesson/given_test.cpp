// A lesson while it is given, without a window.
#include "app/lesson/given.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace warplens::app {
namespace {

TEST(GivenLesson, AQuestionIsUncoveredBeforeOneGoesOn) {
  GivenLesson given(*open_lesson("banks"), [] {});
  ASSERT_FALSE(given.scene_now().question.has_value());
  given.forward();
  ASSERT_TRUE(given.covered());
  EXPECT_TRUE(given.hides("banks"));
  given.mark(0);
  EXPECT_EQ(given.marked(), 0u);
  given.mark(0);
  EXPECT_EQ(given.marked(), std::nullopt) << "taken back";
  given.mark(9);
  EXPECT_EQ(given.marked(), std::nullopt) << "there is no such answer";
  given.mark(1);
  given.forward();
  EXPECT_FALSE(given.covered());
  EXPECT_FALSE(given.hides("banks"));
  EXPECT_EQ(given.scene(), 1u);
  given.mark(0);
  EXPECT_EQ(given.marked(), 1u) << "too late";
  given.forward();
  EXPECT_EQ(given.scene(), 2u);
  EXPECT_EQ(given.marked(), std::nullopt);
  given.back();
  EXPECT_TRUE(given.covered()) << "asked anew";
  given.go(1000);
  EXPECT_EQ(given.scene(), given.lesson().scenes.size() - 1);
}

// Whoever goes on finds the next scene ready: each is made, without being asked for, once.
TEST(GivenLesson, AllScenesAreMadeAhead) {
  std::atomic<int> woken = 0;
  GivenLesson given(*open_lesson("coalescing"), [&] { ++woken; });
  const auto scenes = static_cast<int>(given.lesson().scenes.size());
  for (int tries = 0; woken < scenes && tries < 6000; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(woken, scenes);
  for (std::size_t scene = 0; scene < given.lesson().scenes.size(); ++scene) {
    given.go(scene);
    ASSERT_NE(given.prepared(), nullptr);
    ASSERT_TRUE(given.prepared()->ok()) << given.prepared()->error().message();
    EXPECT_FALSE((*given.prepared())->words.sentence.empty());
    EXPECT_EQ(given.title_of(scene).find('{'), std::string::npos);
  }
}

TEST(GivenLesson, ItCanBeLeftWhileScenesAreMade) {
  std::atomic<int> woken = 0;
  for (const std::string& name : shipped_lessons()) GivenLesson given(*open_lesson(name), [&] { ++woken; });
  const int made = woken;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(woken, made) << "nobody works on what was left";
}

}  // namespace
}  // namespace warplens::app
