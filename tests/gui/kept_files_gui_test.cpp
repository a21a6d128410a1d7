// Settings and layouts that somebody else wrote: what is unsound is set aside, and the window opens all the
// same.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

#include "app/shell/layout_check.h"
#include "gui/harness.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;
using KeptFiles = GuiTest;

constexpr const char* kLayout = "layout-wide.ini";

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string layout_now() {
  std::size_t length = 0;
  const char* const text = ImGui::SaveIniSettingsToMemory(&length);
  return {text, length};
}

/// One to three changes such as disks, editors and people make.
std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most - 1)(random);
  };
  const auto line_at = [&](std::size_t at) {
    const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    return std::pair(begin, std::min(text.find('\n', at), text.size() - 1) + 1 - begin);
  };
  for (std::size_t changes = 1 + below(3); changes > 0 && text.size() > 2; --changes) {
    const auto [begin, length] = line_at(below(text.size()));
    switch (below(6)) {
      case 0: text.erase(begin, length); break;
      case 1: text.insert(line_at(below(text.size())).first, text.substr(begin, length)); break;
      case 2: text[below(text.size())] = "0123456789ABCDEFx=,[] \n"[below(23)]; break;
      case 3: text[below(text.size())] = static_cast<char>(below(256)); break;
      case 4: text.erase(below(text.size()), 1 + below(4)); break;
      default: text.resize(below(text.size())); break;
    }
  }
  return text;
}

TEST_F(KeptFiles, WhatTheWindowKeepsIsSound) {
  start();
  const auto kept = checked_layout(layout_now());
  ASSERT_TRUE(kept) << kept.error().what;
  EXPECT_NE(kept->find("[Window][banks]"), std::string::npos);
  command("show.findings");  // Hidden or shown
  command("show.banks");
  drive([](ImGuiTestContext& context) { context.UndockWindow("//throughput"); });
  const auto undocked = checked_layout(layout_now());
  EXPECT_TRUE(undocked) << undocked.error().what << "\n" << layout_now();
}

TEST_F(KeptFiles, ADamagedLayoutIsSetAside) {
  for (const char* name : {"layout_missing_node.ini", "layout_shuffled.ini", "layout_garbled.ini"}) {
    SCOPED_TRACE(name);
    const std::string text = read(fs::path(WARPLENS_TEST_DATA) / "settings" / name);
    ASSERT_FALSE(text.empty());
    write(config() / kLayout, text);
    start();
    ASSERT_EQ(app().messages().all().size(), 1u);
    const Error& error = app().messages().all().front().error;
    EXPECT_NE(error.hint.find("layout-wide.ini.damaged"), std::string::npos) << error.hint;
    EXPECT_EQ(read(config() / "layout-wide.ini.damaged"), text);
    EXPECT_FALSE(fs::exists(config() / kLayout));
    EXPECT_TRUE(std::ranges::any_of(app().panels().all(), [](const Panel& panel) { return panel.visible; }));
    stop();
    fs::remove(config() / "layout-wide.ini.damaged");
  }
}

// It tells nothing of where the views of today lie: they are laid out as at first.
TEST_F(KeptFiles, ALayoutThatKnowsViewsByTheirTitlesIsLeftAlone) {
  start();
  std::string old = layout_now();
  const auto visible = [this] {
    std::vector<std::string_view> ids;
    for (const Panel& panel : app().panels().all()) {
      if (panel.visible) ids.push_back(panel.view->id);
    }
    return ids;
  };
  const auto at_first = visible();
  for (const viz::View& view : viz::views()) {
    const std::string now = "[Window][" + std::string(view.id) + "]";
    if (const std::size_t at = old.find(now); at != std::string::npos)
      old.replace(at, now.size(), "[Window][" + std::string(view.title) + "]");
  }
  ASSERT_EQ(old.find("[Window][banks]"), std::string::npos) << old;
  ASSERT_TRUE(checked_layout(old));
  stop();
  write(config() / kLayout, old);
  start();
  EXPECT_TRUE(app().messages().all().empty());
  EXPECT_EQ(visible(), at_first);
  app().save_state();
  EXPECT_NE(read(config() / kLayout).find("[Window][banks]"), std::string::npos);
}

TEST_F(KeptFiles, WhatIsNoFileIsSetAside) {
  const auto folder = [](const fs::path& path) { fs::create_directories(path / "within"); };
  const auto pipe = [](const fs::path& path) { ASSERT_EQ(mkfifo(path.c_str(), 0600), 0); };
  const auto device = [](const fs::path& path) { fs::create_symlink("/dev/zero", path); };
  for (const std::function<void(const fs::path&)>& make :
       {std::function<void(const fs::path&)>(folder), {pipe}, {device}}) {
    make(config() / kLayout);
    make(config() / "settings.json");
    const auto settings = load_settings(config());
    ASSERT_FALSE(settings);
    EXPECT_NE(settings.error().hint.find("settings.json.damaged"), std::string::npos)
        << settings.error().hint;
    start();
    EXPECT_EQ(app().messages().all().size(), 1u);
    app().save_state();
    EXPECT_EQ(app().messages().all().size(), 1u);
    EXPECT_TRUE(fs::is_regular_file(config() / kLayout));
    EXPECT_TRUE(load_settings(config()));
    stop();
    fs::remove_all(config() / kLayout);
    fs::remove_all(config() / "settings.json");
  }
  EXPECT_TRUE(fs::exists(config() / "settings.json.damaged-3"));
}

TEST_F(KeptFiles, SettingsAreReadAsHostile) {
  const std::string deep(500'000, '['), large(3'000'000, ' ');
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("7"),
        std::string(R"({"dark": "no"})"), std::string(R"({"recent": [1]})"),
        std::string("{\"recent\": [\"a\xff\"]}"), std::string(R"({"width": 1e999})"),
        std::string(R"({"hidden_views": {}})"), std::string("{\"a\": \"\x1b]0;b\"}"), deep, large}) {
    SCOPED_TRACE(text.substr(0, 40));
    write(config() / "settings.json", text);
    EXPECT_FALSE(load_settings(config()));
    EXPECT_TRUE(load_settings(config()));  // Nothing is there any more
    EXPECT_EQ(read(config() / "settings.json.damaged").size(), text.size());
    fs::remove(config() / "settings.json.damaged");
  }
  write(
      config() / "settings.json",
      R"({"width": 1e300, "height": -5, "scale": 1e-30, "watchdog_seconds": -1e18, "recordings_mb": 1e30, "recent": ["", "a.wlr"]})");
  const auto settings = load_settings(config());
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->width, 16384);
  EXPECT_EQ(settings->height, 240);
  EXPECT_GT(settings->scale, 0.1f);
  EXPECT_EQ(settings->watchdog_seconds, 1);
  EXPECT_EQ(settings->recordings_mb, 1u << 20);
  EXPECT_EQ(settings->recent, std::vector<fs::path>{"a.wlr"});
}

TEST_F(KeptFiles, ANameThatIsNoUtf8IsNotKept) {
  Settings settings;
  settings.add_recent("/tmp/a.wlr");
  settings.add_recent("/tmp/a\xff.wlr");
  ASSERT_TRUE(save_settings(settings, config()));
  const auto kept = load_settings(config());
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->recent, std::vector<fs::path>{"/tmp/a.wlr"});
}

TEST_F(KeptFiles, NoDamageToALayoutEndsTheWindow) {
  start();
  const std::string sound = layout_now();
  std::mt19937 random(1);
  int accepted = 0;
  constexpr int kVariants = 600;
  for (int i = 0; i < kVariants; ++i) {
    const auto layout = checked_layout(damaged(sound, random));
    if (!layout) continue;
    ++accepted;
    SCOPED_TRACE("variant " + std::to_string(i));
    ImGui::LoadIniSettingsFromMemory(layout->data(), layout->size());
    draw(2);
    const auto after = checked_layout(layout_now());
    EXPECT_TRUE(after) << after.error().what;
  }
  EXPECT_GT(accepted, kVariants / 30);
  EXPECT_LT(accepted, kVariants / 2);
}

}  // namespace
}  // namespace warplens::app
