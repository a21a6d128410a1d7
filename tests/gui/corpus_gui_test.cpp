// Every recording of every corpus, sound or made to do harm, is opened by the window, and every view of it
// drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "gui/harness.h"

namespace warplens::app {
namespace {

using Corpus = GuiTest;

/// A third of the views, in turn; with WARPLENS_EVERY_SCREEN all of them.
TEST_F(Corpus, OpensAndDrawsEveryRecording) {
  const std::filesystem::path data = WARPLENS_TEST_DATA;
  std::vector<std::filesystem::path> files;
  for (const auto& folder : {data / "recordings", data / ".." / "fuzz" / "corpus" / "recording"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  start();
  std::size_t opened = 0;
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file.filename().string());
    const auto before = app().loaded();
    const std::size_t messages = app().messages().all().size();
    app().open(file);
    ASSERT_NO_FATAL_FAILURE(settle());
    if (app().loaded() == before) {
      EXPECT_GT(app().messages().all().size(), messages) << "what is refused is refused with a reason";
      continue;
    }
    ++opened;
    std::size_t turn = opened;
    for (const viz::View& view : viz::views()) {
      SCOPED_TRACE(view.id);
      if (turn++ % 3 != 0 && !on_every_screen()) continue;
      app().panels().show(view.id);
      ASSERT_NO_FATAL_FAILURE(draw(2));
    }
  }
  EXPECT_GT(opened, files.size() / 4) << "else little was drawn";
}

}  // namespace
}  // namespace warplens::app
