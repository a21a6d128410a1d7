// Views leave the window as files and through the clipboard: by the menu, by keys and by the palette.
#include <gtest/gtest.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "gui/harness.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Width and height as a PNG's header has them; {0, 0} if it is none.
std::array<std::uint32_t, 2> size_of_png(const std::string& png) {
  if (png.size() < 24 || !png.starts_with("\x89PNG\r\n\x1a\n") || png.substr(12, 4) != "IHDR") return {};
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<std::uint8_t>(png[i]);
    return value;
  };
  return {number(16), number(20)};
}

/// What another program gets of the clipboard as `target`, "image/png"; empty: nothing.
std::string selection_as(std::string_view target) {
  xcb_connection_t* const x = xcb_connect(nullptr, nullptr);
  const auto atom = [&](std::string_view name) {
    xcb_intern_atom_reply_t* const reply = xcb_intern_atom_reply(
        x, xcb_intern_atom(x, 0, static_cast<std::uint16_t>(name.size()), name.data()), nullptr);
    const xcb_atom_t found = reply->atom;
    std::free(reply);
    return found;
  };
  const xcb_window_t window = xcb_generate_id(x);
  xcb_create_window(x, XCB_COPY_FROM_PARENT, window, xcb_setup_roots_iterator(xcb_get_setup(x)).data->root, 0,
                    0, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, 0, nullptr);
  const xcb_atom_t property = atom("WARPLENS_TEST");
  xcb_convert_selection(x, window, atom("CLIPBOARD"), atom(target), property, XCB_CURRENT_TIME);
  xcb_flush(x);
  std::string read;
  while (xcb_generic_event_t* const event = xcb_wait_for_event(x)) {
    const auto* const notify = reinterpret_cast<const xcb_selection_notify_event_t*>(event);
    const bool answered = (event->response_type & 0x7f) == XCB_SELECTION_NOTIFY,
               given = answered && notify->property != XCB_ATOM_NONE;
    std::free(event);
    if (!answered) continue;
    if (given) {
      xcb_get_property_reply_t* const reply = xcb_get_property_reply(
          x, xcb_get_property(x, 1, window, property, XCB_ATOM_ANY, 0, 1u << 24), nullptr);
      read.assign(static_cast<const char*>(xcb_get_property_value(reply)),
                  static_cast<std::size_t>(xcb_get_property_value_length(reply)));
      std::free(reply);
    }
    break;
  }
  xcb_disconnect(x);
  return read;
}

class Export : public GuiTest {
 protected:
  const Panel& panel(std::string_view id) {
    return *std::ranges::find(app().panels().all(), id, [](const Panel& panel) { return panel.view->id; });
  }
  void save_as(const fs::path& path) {
    enter_path(path);
    settle();
  }
  void click(const char* item) {
    drive([item](ImGuiTestContext& context) { context.ItemClick(item); });
  }
  /// What `export` would write of the view at its panel's size.
  std::string exported(std::string_view id, std::string_view extension, float scale) {
    const ImVec2 size = panel(id).size;
    const auto file = viz::make_file({.view = std::string(id),
                                      .subject = subject_of(*app().loaded(), app().selection()),
                                      .width = std::floor(size.x * scale),
                                      .height = std::floor(size.y * scale),
                                      .scale = app().scale() * scale},
                                     extension);
    EXPECT_TRUE(file) << file.error().message();
    return *file;
  }
};

TEST_F(Export, EveryViewOfTheRegistryIsInTheWindowTheMenusAndThePalette) {
  start();
  std::set<std::string_view> panels;
  for (const Panel& panel : app().panels().all()) EXPECT_TRUE(panels.insert(panel.view->id).second);
  for (const viz::View& view : viz::views()) {
    SCOPED_TRACE(view.id);
    EXPECT_EQ(panels.contains(view.id), view.place.has_value());
    if (!view.place) continue;
    const auto& commands = app().commands();
    const auto has = [&](const Menu* menu, const std::string& id, const std::string& name) {
      return std::ranges::any_of(
          commands, [&](const Command& one) { return one.menu == menu && one.id == id && one.name == name; });
    };
    EXPECT_TRUE(has(&kViewMenu, "show." + std::string(view.id), view.title));
    for (const ExportWay& way : kExportWays) {
      const bool possible = way.extension == ".csv"    ? view.table != nullptr
                            : way.extension == ".json" ? view.trace != nullptr
                                                       : view.make != nullptr;
      EXPECT_EQ(has(nullptr, id_of(way, view), name_of(way, view)), possible) << id_of(way, view);
    }
  }
}

TEST_F(Export, EveryViewIsWrittenInEveryForm) {
  start();
  for (const viz::View& view : viz::views()) {
    if (!view.place) continue;
    app().panels().show(view.id);
    draw(3);
    for (const ExportWay& way : kExportWays) {
      if (way.to_clipboard || !can_be_exported(view, way) || (way.scale > 1 && view.id != "banks")) continue;
      SCOPED_TRACE(id_of(way, view));
      const fs::path path = config() / (std::string(view.id) + std::string(way.extension));
      fs::remove(path);
      command(id_of(way, view));
      ASSERT_NO_FATAL_FAILURE(save_as(path));
      const std::string file = contents(path);
      if (way.extension == ".png") {
        const ImVec2 size = panel(view.id).size;
        EXPECT_EQ(size_of_png(file),
                  (std::array{static_cast<std::uint32_t>(std::floor(size.x * way.scale)),
                              static_cast<std::uint32_t>(std::floor(size.y * way.scale))}));
      } else if (way.extension == ".svg") {
        EXPECT_NE(file.find("<svg"), std::string::npos);
        EXPECT_NE(file.find(">" + std::string(view.title) + "</text>"), std::string::npos);
      } else if (way.extension == ".json") {
        EXPECT_TRUE(file.starts_with("{")) << file.substr(0, 100);
        EXPECT_NE(file.find("\"traceEvents\""), std::string::npos);
      } else {
        const std::string header = file.substr(0, file.find('\n'));
        EXPECT_NE(header.find(','), std::string::npos) << header;
        EXPECT_EQ(header.find(' '), std::string::npos) << header;
      }
      EXPECT_EQ(app().notice().text(), std::string(view.title) + " is saved in " + path.string());
      if (view.id == "roofline") keep_picture("export-notice");
    }
  }
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(Export, IsThePictureThatTheCommandLineMakes) {
  start();
  const auto same = [this](const char* export_command, const char* id, const char* extension, float scale) {
    const fs::path path = config() / (std::string("a") + extension);
    fs::remove(path);
    command(export_command);
    save_as(path);
    EXPECT_TRUE(contents(path) == exported(id, extension, scale)) << export_command;
  };
  same("export.banks.png", "banks", ".png", 1);
  same("export.coalescing.png_2x", "coalescing", ".png", 2);
  same("export.phases.svg", "phases", ".svg", 1);
  same("export.source.svg", "source", ".svg", 1);
  same("export.heat.csv", "heat", ".csv", 1);
}

TEST_F(Export, WhatIsTriedOutIsExported) {
  start();
  command("show.roofline.gain");
  draw(3);
  command("export.roofline.csv");
  save_as(config() / "gain.csv");
  EXPECT_TRUE(contents(config() / "gain.csv").starts_with("what,operands_per_global_load,"))
      << "the one that is shown";
  app().panels().show("occupancy");
  draw(3);
  drive([](ImGuiTestContext& context) { context.ItemInputValue("//occupancy/##registers", 128); });
  command("export.occupancy.csv");
  save_as(config() / "occupancy.csv");
  EXPECT_NE(contents(config() / "occupancy.csv").find(",128,"), std::string::npos);
}

TEST_F(Export, AsksBeforeItReplaces) {
  start();
  const fs::path path = config() / "kept.svg";
  std::ofstream(path) << "mine";
  command("export.banks.svg");
  enter_path(path);
  draw(3);
  keep_picture("export-replace");
  click("//replace/###keep");
  EXPECT_EQ(contents(path), "mine");
  save_as(config() / "other");  // The dialogue is still there; a name without an extension gets it
  EXPECT_TRUE(contents(config() / "other.svg").starts_with("<?xml") ||
              contents(config() / "other.svg").starts_with("<svg"));
  command("export.banks.svg");
  enter_path(config() / "kept");  // It is the name with the extension that counts
  draw(3);
  click("//replace/###replace");
  settle();
  EXPECT_NE(contents(path), "mine");
  EXPECT_NE(contents(path).find("<svg"), std::string::npos);
}

TEST_F(Export, WhatCannotBeWrittenIsSaid) {
  start();
  std::ofstream(config() / "file") << "a file, no folder";
  fs::create_directory(config() / "locked");
  fs::permissions(config() / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  const bool is_root = geteuid() == 0;
  std::vector<fs::path> seen{config() / "missing" / "a.png", config() / "file" / "a.png"},
      unforeseen{config() / "a.gif"};
  (is_root ? unforeseen : seen).emplace_back("/proc/warplens.png");
  if (!is_root) seen.push_back(config() / "locked" / "a.png");
  for (const fs::path& path : seen) {
    SCOPED_TRACE(path);
    command("export.banks.png");
    ASSERT_NO_FATAL_FAILURE(save_as(path));
    ASSERT_TRUE(app().file_dialog().active()) << "it stays, with what was typed";
    EXPECT_EQ(app().file_dialog().choice().typed(), path.string());
    ASSERT_TRUE(app().file_dialog().choice().error());
    EXPECT_EQ(app().file_dialog().choice().error()->where, path.parent_path());
    EXPECT_FALSE(fs::exists(path));
    click("//file/###cancel");
  }
  EXPECT_TRUE(app().messages().all().empty());
  for (const fs::path& path : unforeseen) {
    SCOPED_TRACE(path);
    const std::size_t before = app().messages().all().size();
    command("export.banks.png");
    ASSERT_NO_FATAL_FAILURE(save_as(path));
    ASSERT_EQ(app().messages().all().size(), before + 1);
    const Message& message = app().messages().all().back();
    EXPECT_EQ(message.title, "Exporting " + path.filename().string());
    EXPECT_NE(message.error.message().find(path.string()), std::string::npos) << message.error.message();
    EXPECT_FALSE(fs::exists(path));
    close_message();
  }
  EXPECT_EQ(app().notice().text(), "");
}

TEST_F(Export, IsCopiedAsText) {
  start();
  command("copy.banks.csv");
  settle();
  EXPECT_EQ(ImGui::GetClipboardText(), exported("banks", ".csv", 1));
  EXPECT_EQ(app().notice().text(), "Banks is copied as CSV");
  command("copy.coalescing.svg");
  settle();
  EXPECT_EQ(ImGui::GetClipboardText(), exported("coalescing", ".svg", 1));
}

TEST_F(Export, PictureIsCopiedAsPng) {
  start();
  command("copy.banks.png");
  settle();
  EXPECT_TRUE(app().messages().all().empty());
  EXPECT_EQ(app().notice().text(), "Banks is copied as PNG");
  EXPECT_EQ(selection_as("TARGETS").size(), 2 * sizeof(xcb_atom_t));
  EXPECT_TRUE(selection_as("image/png") == exported("banks", ".png", 1));
  EXPECT_EQ(selection_as("UTF8_STRING"), "");
  command("copy.coalescing.png");  // Replaces it
  settle();
  EXPECT_TRUE(selection_as("image/png") == exported("coalescing", ".png", 1));
}

TEST_F(Export, TextReplacesACopiedPicture) {
  start();
  command("copy.banks.png");
  settle();
  command("copy.banks.csv");
  settle();
  EXPECT_EQ(ImGui::GetClipboardText(), exported("banks", ".csv", 1));
  EXPECT_TRUE(app().messages().all().empty());
}

TEST_F(Export, PastingAPlaceFromACopiedPictureIsAnError) {
  start();
  command("copy.banks.png");
  settle();
  command("go.paste_place");
  settle();
  ASSERT_EQ(app().messages().all().size(), 1u);
}

TEST_F(Export, PictureLargerThanTheServerTakesIsAnError) {
  start();
  ClipboardImage clipboard;
  const auto offered = clipboard.offer(std::string(std::size_t{64} << 20, 'x'));
  ASSERT_FALSE(offered.ok());
  EXPECT_NE(offered.error().what.find("the X server takes"), std::string::npos) << offered.error().what;
}

TEST_F(Export, TheMenuOfThePanelAndOfTheFocusedView) {
  start();
  const Panel& coalescing = panel("coalescing");
  drive([&](ImGuiTestContext& context) {
    context.MouseTeleportToPos({coalescing.at.x + coalescing.size.x - 16, coalescing.at.y + 15});
    context.Yield(2);
    context.MouseClick();
    context.Yield(3);
    context.ItemClick("//$FOCUSED/###copy.coalescing.csv");
  });
  settle();
  EXPECT_EQ(app().notice().text(), "Coalescing is copied as CSV");
  command("file.export");
  keep_picture("export-menu");

  drive([](ImGuiTestContext& context) {
    context.WindowFocus("//heat");
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_E);
    context.Yield(3);
    IM_CHECK(context.ItemExists("//$FOCUSED/###export.heat.png"));
    context.KeyPress(ImGuiKey_DownArrow);
    context.KeyPress(ImGuiKey_Enter);
    context.Yield(3);
    IM_CHECK(context.ItemExists("//file/##path"));
    context.KeyPress(ImGuiKey_Escape);
  });
}

TEST_F(Export, FromThePresentation) {
  start();
  drive([](ImGuiTestContext& context) {
    context.KeyPress(ImGuiKey_F11);
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_E);
    context.Yield(3);
    context.ItemClick("//$FOCUSED/###copy.banks.svg");
  });
  settle();
  EXPECT_EQ(app().notice().text(), "Banks is copied as SVG");
  command("file.export");
  keep_picture("export-presented");
}

TEST_F(Export, WhereTabsLeaveNoRoomTheKeyIsTheWay) {
  start({}, {640, 420});
  drive([](ImGuiTestContext& context) {
    context.WindowFocus("//source");
    context.KeyPress(ImGuiMod_Ctrl | ImGuiKey_E);
    context.Yield(3);
    context.ItemClick("//$FOCUSED/###copy.source.csv");
  });
  settle();
  EXPECT_EQ(app().notice().text(), "Source is copied as CSV");
  command("file.export");
  keep_picture("export-narrow");
}

TEST_F(Export, TheNoticeGoesByItself) {
  start();
  app().meter().switch_on(false);
  command("copy.banks.csv");
  settle();
  EXPECT_GT(app().notice().seconds_left(now()), 0);
  EXPECT_LE(app().seconds_until_next_frame(), 8) << "a frame is drawn without it then";
}

}  // namespace
}  // namespace warplens::app
