// What must hold of every picture, whatever is on it and however large: nothing leaves it, no text lies on
// another, and its shape does not change while one steps through a recording.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "picture/kernels.h"
#include "picture/makers.h"
#include "picture/sound.h"
#include "viz/canvas/canvas.h"
#include "viz/canvas/frame.h"
#include "viz/picture/banks.h"
#include "viz/picture/coalescing.h"
#include "viz/picture/rate_bars.h"
#include "viz/views/view.h"

namespace warplens::picture {
namespace {

struct NamedRecording {
  const char* name;
  Recording recording;
};

const std::vector<NamedRecording>& named_recordings() {
  static const std::vector<NamedRecording> all{
      {"tiled", test::tiled({.tile = 32, .size = 64})},
      {"tiled of 8 x 8", test::tiled({.tile = 8, .size = 24})},
      {"tiled, one thread", test::tiled({.tile = 1, .size = 3})},
      {"swapped", test::tiled({.tile = 32, .size = 64, .swapped = true})},
      {"padded", test::tiled({.tile = 32, .size = 64, .padding = 1, .swapped = true})},
      {"naive", test::naive(20, 37, 5)},
      {"one row", test::naive(1, 900, 3)},
      {"assorted", test::assorted()}};
  return all;
}

/// With another launch beside it, as Compare has it.
viz::Subject beside_swapped(viz::Subject subject) {
  static const Recording other = test::tiled({.tile = 32, .size = 64, .swapped = true});
  static const analysis::Results results = analysis::results_of(other, {9, 0});
  subject.beside = viz::Side{{&other, {9, 0}, 0, 0, 1, 2}, &results};
  return subject;
}

/// Of every view, and of what the window draws besides.
const std::vector<NamedMaker>& drawn_of_recordings() {
  static const std::vector<NamedMaker> all = [] {
    std::vector<NamedMaker> made;
    for (const viz::View& view : viz::views()) {
      if (view.make != nullptr) made.push_back({std::string(view.id), view.make});
    }
    for (const viz::View& view : viz::views()) {
      if (view.difference == nullptr) continue;
      made.push_back({std::string(view.id) + ", difference",
                      [&view](const viz::Subject& subject, Size size, const Style& style) {
                        return view.difference(beside_swapped(subject), size, style);
                      }});
      made.push_back(
          {std::string(view.id) + " of both", [&view](viz::Subject subject, Size size, const Style& style) {
             subject = beside_swapped(subject);
             subject.changes =
                 std::make_shared<Changes>(Changes{.a = "one",
                                                   .b = "other",
                                                   .sentence = "The stores changed",
                                                   .rows = {{"as written", "stores", "4", "2", "-50 %"}}});
             subject.drawn = viz::Drawn{&view, false, "matched by phase"};
             return viz::find_view("compare")->make(subject, size, style);
           }});
    }
    made.push_back({"divergence of the last access", [](viz::Subject subject, Size size, const Style& style) {
                      subject.site = static_cast<std::uint32_t>(subject.recording().sites.size() - 1);
                      return viz::find_view("divergence")->make(subject, size, style);
                    }});
    made.push_back({"rates", [](const viz::Subject&, Size size, const Style& style) {
                      return make_rate_bars(
                          {{"ikj, this CPU", 3.2}, {"ijk, this CPU", 0.9, true}, {"replay", 1234.6}},
                          "GFLOP/s", "this machine", size, style);
                    }});
    made.push_back({"nothing", [](const viz::Subject& subject, Size size, const Style& style) {
                      Recording empty = subject.recording();
                      empty.events = {};
                      empty.event_blocks = {};
                      Moment there = subject.moment;
                      there.recording = &empty;
                      return make_banks(there, {}, size, style);
                    }});
    return made;
  }();
  return all;
}

viz::Subject lit(const Moment& moment, const analysis::Results& results) {
  return {.moment = moment,
          .results = &results,
          .highlight = {.lane = 7, .shared_word = 40, .element = ElementAt{0, 0, 1}}};
}

struct Page {
  Size size;
  float scale;
};

class EveryPicture : public testing::TestWithParam<Page> {};

TEST_P(EveryPicture, KeepsInsideAndTextsApart) {
  const auto [size, scale] = GetParam();
  for (const NamedRecording& subject : named_recordings()) {
    const analysis::Results results = analysis::results_of(subject.recording, {9, 0});
    for (const NamedMaker& view : drawn_of_recordings()) {
      for (const Palette* palette : {&dark_palette(), &light_palette()}) {
        for (std::uint32_t phase = 0; phase < subject.recording.phases.size(); phase += 2) {
          const Moment moment{&subject.recording, {9, 0}, 0, 0, phase, phase * 7};
          SCOPED_TRACE(view.name + " of " + subject.name + ", phase " + std::to_string(phase));
          const Picture picture = view.make(lit(moment, results), size, {palette, scale});
          EXPECT_EQ(picture.width, size.width);
          EXPECT_FALSE(picture.title.empty());
          EXPECT_FALSE(picture.sentence.empty());
          expect_sound(picture, scale);
          if (testing::Test::HasFailure()) return;  // One failing picture tells enough
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, EveryPicture,
                         testing::Values(Page{{300, 200}, 1}, Page{{500, 355}, 1}, Page{{670, 420}, 1},
                                         Page{{1900, 1000}, 1}, Page{{400, 1200}, 1}, Page{{1600, 200}, 1},
                                         Page{{120, 100}, 1}, Page{{1000, 710}, 2}, Page{{300, 200}, 2},
                                         Page{{1900, 1000}, 3}, Page{{800, 600}, 1.5f}),
                         [](const auto& page) {
                           return std::to_string(static_cast<int>(page.param.size.width)) + "x" +
                                  std::to_string(static_cast<int>(page.param.size.height)) + "at" +
                                  std::to_string(static_cast<int>(page.param.scale * 10));
                         });

TEST(EveryPicture, IsTheSameUnderOlderMemoryRules) {
  for (const analysis::DeviceModel& model : analysis::device_models()) {
    for (const NamedRecording& subject : named_recordings()) {
      SCOPED_TRACE(std::string(subject.name) + " under " + model.cc.name());
      const Moment moment{&subject.recording, model.cc, 0, 0, 1, 3};
      for (const auto& [size, scale] : {Page{{670, 420}, 1}, Page{{300, 200}, 1}, Page{{120, 100}, 1},
                                        Page{{1900, 1000}, 2}, Page{{400, 1200}, 1}}) {
        expect_sound(make_banks(moment, {}, size, {&dark_palette(), scale}), scale);
        expect_sound(make_coalescing(moment, {}, size, {&dark_palette(), scale}), scale);
      }
    }
  }
}

TEST(EveryPicture, KeepsItsShapeWhileOneSteps) {
  const Recording recording = test::tiled({.tile = 32, .size = 64, .swapped = true});
  const Style style{&dark_palette(), 1};
  const auto banks_at = [&](std::uint32_t phase, std::uint32_t step) {
    return make_banks({&recording, {9, 0}, 0, 0, phase, step}, {}, {670, 420}, style);
  };
  // What frames the picture: heat maps, and the places where texts that name axes stand.
  const auto frame = [](const Picture& picture) {
    std::vector<float> places;
    std::size_t maps = 0;
    std::set<std::string> named;
    for (const Item& item : picture.items) {
      if (const auto* map = std::get_if<HeatMap>(&item)) {
        places.insert(places.end(), {map->rect.x, map->rect.y, map->rect.width, map->rect.height});
        ++maps;
      }
      const auto* text = std::get_if<Text>(&item);
      if (text && (text->text == "bank" || text->text == "31")) {
        places.insert(places.end(), {text->at.x, text->at.y});
        named.insert(text->text);
      }
    }
    EXPECT_EQ(maps, 2u) << "the banks over time, and the scale of their colours";
    EXPECT_EQ(named, (std::set<std::string>{"31", "bank"}));
    return places;
  };
  const Picture first = banks_at(1, 0);
  for (const std::uint32_t step : {1u, 63u}) {
    EXPECT_EQ(frame(first), frame(banks_at(1, step)));
    EXPECT_NE(first.sentence + first.title, banks_at(1, step).sentence + banks_at(1, step).title)
        << "another access is drawn";
  }
  EXPECT_EQ(frame(first).size(), frame(banks_at(2, 0)).size());
}

TEST(EveryPicture, SurvivesAnyValidRecording) {
  Recording recording = test::assorted();
  recording.buffers[0].pitch = 0;  // Allowed of a buffer of one row
  recording.shared_arrays.push_back({"empty", 0, 0, 4, 1, 0});
  recording.shared_arrays.push_back({"of doubles", 0, 4096, 8, 1, 0});
  recording.files.clear();
  const analysis::Results results = analysis::results_of(recording, {9, 0});
  for (const NamedMaker& view : drawn_of_recordings()) {
    SCOPED_TRACE(view.name);
    expect_sound(view.make(lit({&recording, {9, 0}, 0, 0, 1, 0}, results), {670, 420}, {&dark_palette(), 1}),
                 1);
  }
}

TEST(Frame, HoldsThePictureInside) {
  const Style style{&light_palette(), 2};
  const Recording recording = test::tiled();
  const Size size{900, 600};
  const Picture framed_picture =
      framed(make_banks({&recording, {9, 0}, 0, 0, 1, 0}, {}, frame_inside(size, style), style), size, style);
  EXPECT_EQ(framed_picture.width, 900);
  EXPECT_EQ(framed_picture.height, 600);
  expect_sound(framed_picture, 2);
}

}  // namespace
}  // namespace warplens::picture
