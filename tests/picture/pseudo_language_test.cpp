// The pictures in a language with longer words: all of them are looked up, and they are still sound.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/pseudo_language.h"
#include "picture/makers.h"
#include "picture/sound.h"

namespace warplens::picture {
namespace {

/// The same in every language: symbols, products' names, and what the recordings of kernels.h call things.
const std::set<std::string, std::less<>> kSameEverywhere{"GFLOP", "CGMA", "KiB",   "MiB",   "GiB",      "PTX",     "SASS",
                                                         "GPU",   "ikj",  "tiled", "naive", "assorted", "Textbook"};

class PseudoPictures : public testing::TestWithParam<std::size_t> {
 protected:
  void expect_looked_up(const std::string& text, const std::string& where) {
    for (const std::string& word : words_left_alone(text)) {
      EXPECT_TRUE(kSameEverywhere.contains(word)) << where << " has `" << word << "` in English: " << text;
    }
  }

  PseudoLanguage language_;
};

TEST_P(PseudoPictures, AreLookedUpAndSound) {
  const NamedMaker& maker = makers()[GetParam()];
  for (const Subject& subject : subjects()) {
    viz::Subject drawn{.moment = subject.moment, .results = subject.results.get()};
    drawn.moment.recording = &subject.recording;
    for (const Size size : {Size{420, 300}, Size{700, 500}, Size{1100, 800}}) {
      const Picture picture = maker.make(drawn, size, {&dark_palette(), 1});
      SCOPED_TRACE(maker.name + " of " + subject.name + ", " + std::to_string(size.width));
      expect_sound(picture, 1);
      expect_looked_up(picture.title, "the title");
      expect_looked_up(picture.subtitle, "the subtitle");
      expect_looked_up(picture.sentence, "the sentence");
      for (const Region& region : picture.regions) expect_looked_up(region.tooltip, "a tooltip");
      std::string all;  // A sentence may be wrapped
      for (const Text* text : texts_of(picture)) {
        if (text->font == Font::mono) continue;
        all += text->text + '\n';
        if (text->text.find("\u2026") == std::string::npos) continue;
        expect_looked_up(all, "a text");  // Shortened, so its bracket is not closed
        all.clear();
      }
      expect_looked_up(all, "a text");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Makers, PseudoPictures, testing::Range<std::size_t>(0, makers().size()), [](const auto& index) {
  std::string name = makers()[index.param].name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

}  // namespace
}  // namespace warplens::picture
