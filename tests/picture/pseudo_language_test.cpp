// The pictures in a language with longer words: all of them are looked up, and they are still sound.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/pseudo_language.h"
#include "picture/figures.h"
#include "picture/makers.h"
#include "picture/matrices.h"
#include "picture/sound.h"
#include "picture/warpgroup.h"

namespace warplens::picture {
namespace {

/// What is the same in every language: symbols, functions and names, and whatever the made-up figures of
/// figures.h are called.
std::set<std::string, std::less<>> same_everywhere() {
  std::set<std::string, std::less<>> same{"GFLOP", "CGMA", "KiB",  "MiB",  "GiB", "PTX", "SASS",
                                          "GPU",   "CUDA", "flop", "ceil", "t_g", "t_s", "sm_"};
  same.insert(
      {"Hopper", "Tesla", "GTX", "tiled", "tiled_swapped", "naive", "assorted", "ptx", "data", "words"});
  const auto add = [&](const std::string& text) {
    for (const std::string& word : words_left_alone(text)) same.insert(word);
  };
  add(example(8, 12).device);
  add(subject().kernel);
  for (const auto& point : example(8, 12).ladder) add(point.kernel + ' ' + point.name);
  for (const Compared& compared : {bars(true), lines(true)}) {
    for (const std::string* text :
         {&compared.title, &compared.machine, &compared.own, &compared.note, &compared.axis})
      add(*text);
    for (const ComparedRow& row : compared.rows) add(row.published.explanation + ' ' + row.own.explanation);
    for (const ComparedLine& line : compared.lines) add(line.explanations.front());
  }
  add("ikj, this CPU; replay; this machine");  // Of makers.cpp
  for (const analysis::MatrixInstruction& instruction : test::matrix_instructions())
    add(instruction.ptx.text);
  for (const analysis::MatrixInstruction& instruction : test::WarpgroupSubject().instructions)
    add(instruction.ptx.text);
  add("A100, L4, H100, RTX");
  return same;
}

class PseudoPictures : public testing::TestWithParam<std::size_t> {
 protected:
  void expect_looked_up(const std::string& text, const std::string& where) {
    for (const std::string& word : words_left_alone(text)) {
      EXPECT_TRUE(same_.contains(word)) << where << " has `" << word << "` in English: " << text;
    }
  }

  std::set<std::string, std::less<>> same_ = same_everywhere();
  PseudoLanguage language_;
};

TEST_P(PseudoPictures, AreLookedUpAndSound) {
  const NamedMaker& maker = makers()[GetParam()];
  for (const Subject& subject : make_subjects()) {
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

INSTANTIATE_TEST_SUITE_P(Makers, PseudoPictures, testing::Range<std::size_t>(0, makers().size()),
                         [](const auto& index) {
                           std::string name = makers()[index.param].name;
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace warplens::picture
