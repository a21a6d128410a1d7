#include "viz/picture/occupancy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>

#include "picture/figures.h"
#include "picture/kernels.h"
#include "picture/sound.h"
#include "picture/words.h"
#include "viz/canvas/canvas.h"
#include "viz/export/export.h"

namespace warplens::picture {
namespace {

using analysis::CompiledVariant;
using analysis::OccupancySubject;

OccupancyQuestion question(const OccupancySubject& about, analysis::ComputeCapability cc = {9, 0}) {
  return {.cc = cc, .needs = about.needs_for(cc), .as_recorded = true, .variants_first = false};
}

constexpr Size kLarge{1600, 900}, kPanel{680, 400};

TEST(Occupancy, ShowsTheLimitsAndTheVariants) {
  const OccupancySubject about = subject();
  const Picture picture = make_occupancy(about, question(about), kLarge, {&dark_palette(), 1});
  EXPECT_EQ(picture.title, "Occupancy");
  EXPECT_EQ(picture.subtitle, "Hopper 9.0 · registers as compiled for sm_90");
  EXPECT_TRUE(picture.sentence.starts_with("Registers allow 1 block per SM: 8 of Hopper's 64 warps"))
      << picture.sentence;
  for (const char* const text : {"8 of 64 warps", "1 block, the limit", "8 blocks", "32 blocks", "T = 64",
                                 "16,384 B", "18,944", "64 of 132"}) {
    EXPECT_TRUE(says(picture, text)) << text;
  }
}

TEST(Occupancy, ShowsVariantsWhereAsked) {
  const OccupancySubject about = subject();
  OccupancyQuestion asked = question(about);
  asked.variants_first = true;
  const Picture picture = make_occupancy(about, asked, kPanel, {&dark_palette(), 1});
  EXPECT_EQ(picture.sentence,
            "Up to T = 8 all is kept in registers; with T = 16, 168 bytes per thread are in local memory: "
            "18,944 requests of a block with p = 64");
  EXPECT_TRUE(says(picture, "As compiled for sm_90; local accesses of one block with p = 64"));
  EXPECT_FALSE(says(picture, "binds")) << "there is no room for both";
}

TEST(Occupancy, SaysWhatIsNotKnown) {
  OccupancySubject own = subject();
  own.compiled.clear();
  own.why_no_registers = "only the kernels of the ladder have listings";
  const Picture picture = make_occupancy(own, question(own), kLarge, {&dark_palette(), 1});
  EXPECT_TRUE(says(picture, "not known"));
  EXPECT_FALSE(says(picture, "0 of 65,536")) << "that would be a figure";
  EXPECT_TRUE(says(picture, "registers not known: only the kernels of the ladder have listings"));
  OccupancyQuestion other = question(own);
  other.as_recorded = false;
  EXPECT_TRUE(
      says(make_occupancy(own, other, kLarge, {&dark_palette(), 1}), "another launch than the recorded one"));
}

TEST(Occupancy, MarksABlockThatDoesNotFit) {
  const OccupancySubject about = subject();
  const Picture picture = make_occupancy(about, question(about, {3, 0}), kLarge, {&light_palette(), 1});
  EXPECT_TRUE(
      picture.sentence.starts_with("A block does not fit on Kepler 3.0: a thread takes 255 registers"))
      << picture.sentence;
  EXPECT_TRUE(says(picture, "0 blocks, the limit"));
}

TEST(Occupancy, NamesItsLimitsInLowRows) {
  const OccupancySubject about = subject();
  for (const Size size : {Size{594, 144}, Size{420, 150}, Size{900, 160}}) {
    const Picture picture = make_occupancy(about, question(about), size, {&dark_palette(), 1});
    EXPECT_EQ(says(picture, "1 block, the limit"), says(picture, "threads"))
        << size.width << " x " << size.height;
    EXPECT_TRUE(says(picture, "threads")) << size.width << " x " << size.height;
  }
}

TEST(Occupancy, LowPicturesHaveThePlacesForWarpsAlone) {
  const OccupancySubject about = subject();
  for (const Size size : {Size{600, 78}, Size{420, 90}}) {
    const Picture picture = make_occupancy(about, question(about), size, {&dark_palette(), 1});
    const auto places = std::ranges::count_if(picture.items, [](const Item& item) {
      const auto* const fill = std::get_if<FilledRect>(&item);
      const auto* const outline = std::get_if<OutlinedRect>(&item);
      return (fill != nullptr && fill->rect.width < 20) || (outline != nullptr && outline->rect.width < 20);
    });
    EXPECT_EQ(places, 64) << size.width << " x " << size.height;
    EXPECT_TRUE(says(picture, "8 of 64 warps"));
  }
}

TEST(Occupancy, WithoutALaunchSaysSo) {
  const OccupancySubject about = subject();
  OccupancyQuestion asked = question(about);
  asked.needs.threads = 0;
  EXPECT_FALSE(make_occupancy(about, asked, kPanel, {&dark_palette(), 1}).sentence.empty());
}

TEST(Occupancy, KeepsInsideAndTextsApart) {
  const OccupancySubject about = subject();
  OccupancySubject own = about;
  own.compiled.clear();
  own.why_no_registers = "only the kernels of the ladder have listings";
  OccupancySubject huge = about;
  huge.launch = {.threads = 1024, .registers = std::nullopt, .shared_bytes = 49152, .blocks = 4'000'000'000};
  for (auto& resources : huge.compiled) {
    for (CompiledVariant& one : resources.variants) one.needs.blocks = 4'000'000'000;
  }
  for (const Size size : {Size{300, 200},
                          {500, 355},
                          {670, 420},
                          {1900, 1000},
                          {400, 1200},
                          {1600, 200},
                          {120, 100},
                          {1000, 710}}) {
    for (const float scale : {1.0f, 1.5f, 2.0f}) {
      for (const OccupancySubject* const one :
           std::initializer_list<const OccupancySubject*>{&about, &own, &huge}) {
        for (const analysis::MultiprocessorModel& model : analysis::multiprocessor_models()) {
          for (const bool variants_first : {false, true}) {
            OccupancyQuestion asked = question(*one, model.cc);
            asked.variants_first = variants_first;
            SCOPED_TRACE(model.name() + ", " + std::to_string(size.width) + " x " +
                         std::to_string(size.height) + " at " + std::to_string(scale));
            expect_sound(make_occupancy(*one, asked, size, {&light_palette(), scale}), scale);
            if (testing::Test::HasFailure()) return;
          }
        }
      }
    }
  }
}

TEST(Occupancy, IsExportedAsATable) {
  const Recording recording = test::tiled();
  analysis::Results results = analysis::results_of(recording, {});
  const viz::ExportRequest request{.view = "occupancy",
                                   .subject = {.moment = {.recording = &recording}, .results = &results}};
  const Result<std::string> alone = viz::make_table(request);
  ASSERT_TRUE(alone.ok());
  EXPECT_EQ(std::ranges::count(*alone, '\n'), 2);
  results.occupancy = subject();
  const Result<std::string> table = viz::make_table(request);
  ASSERT_TRUE(table.ok());
  EXPECT_NE(
      table->find("\nT = 16,1,9.0,sm_90,256,255,0,168,168,168,9472,9472,64,8,1,228,32,1,8,64,64,1,64,1,\n"),
      std::string::npos)
      << *table;
}

}  // namespace
}  // namespace warplens::picture
