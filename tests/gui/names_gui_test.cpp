// Names that come from files and paths are drawn, not obeyed.
#include <gtest/gtest.h>

#include <fstream>

#include "gui/harness.h"
#include "viz/canvas/canvas.h"

namespace warplens::app {
namespace {

using Names = GuiTest;

TEST_F(Names, ControlCharactersAreEscapedInMessages) {
  const auto path = config() / "a\x1b]0;title\x07\nb\xff.wlr";
  std::ofstream(path) << "this is no recording";
  start();
  app().open(path);
  settle();
  ASSERT_EQ(app().messages().all().size(), 1u);
  const Message& message = app().messages().all().front();
  EXPECT_EQ(message.title, "Opening a\\x1b]0;title\\x07\\nb\xef\xbf\xbd.wlr");
  for (const std::string& text :
       {message.title, message.error.what, message.error.where, message.error.hint}) {
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_EQ(text.find('\xff'), std::string::npos) << text;
  }
  draw(3);
}

TEST_F(Names, RecentFilesWithOddNamesAreListed) {
  start();
  app().settings().add_recent(config() / "a\x1b[31m\xff##b.wlr");
  app().settings().add_recent(config() / "%s%n\n.wlr");
  drive([](ImGuiTestContext& context) {
    context.MenuAction(ImGuiTestAction_Open, "//Warplens/###file/###recent");
  });
  draw(5);
}

TEST_F(Names, AreNotCutWhereTheyJustFit) {
  start();
  Look look;
  look.palette = &picture::dark_palette();
  look.fonts = platform().graphics().fonts;
  const TextStyle style{.colour = look.palette->text};
  for (const char* name : {"ijk", "register_tile, T = 16", "a"}) {
    EXPECT_EQ(shortened(look, name, style, width_of(look, name, style)), name);
    EXPECT_NE(shortened(look, name, style, width_of(look, name, style) - 2), name);
  }
}

TEST(NamesInPictures, AreDrawnAsEscapes) {
  picture::Canvas canvas({400, 100}, {&picture::dark_palette(), 1});
  const picture::TextLook look = canvas.plain();
  canvas.text({0, 10}, "a\x1b[2Jb", look);
  canvas.wrapped({0, 20, 400, 40}, "c\nd", look);
  EXPECT_GT(canvas.width_of("\n", look), canvas.width_of("n", look));
  const picture::Picture picture = canvas.take();
  ASSERT_EQ(picture.items.size(), 2u);
  EXPECT_EQ(std::get<picture::Text>(picture.items[0]).text, "a\\x1b[2Jb");
  EXPECT_EQ(std::get<picture::Text>(picture.items[1]).text, "c\\nd");
}

}  // namespace
}  // namespace warplens::app
