#include "viz/export/export.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>
#include <sstream>

#include "picture/decode_png.h"
#include "picture/kernels.h"
#include "viz/export/raster.h"
#include "viz/export/svg.h"

namespace warplens::viz {
namespace {

using picture::Colour;
using picture::Picture;

const Recording& recording() {
  static const Recording made = test::tiled({.tile = 32, .size = 64, .swapped = true});
  return made;
}

ExportRequest request(std::string_view view) {
  static const analysis::Results results = analysis::results_of(recording(), {});
  return {.view = std::string(view),
          .subject = {.moment = {.recording = &recording(), .phase = 1, .step = 2}, .results = &results},
          .width = 700,
          .height = 450};
}

/// Tags close in the order in which they were opened, attributes are quoted, and there is one root: enough to
/// catch what a writer gets wrong.
testing::AssertionResult well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return testing::AssertionFailure() << "a tag has no end";
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos) return testing::AssertionFailure() << "`<` within " << tag;
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0)
      return testing::AssertionFailure() << "a quote is open in " << tag;
    if (tag[0] == '?') continue;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1))
        return testing::AssertionFailure() << "`" << tag << "` closes what is not open";
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find_first_of(" \n")));
    }
  }
  for (std::size_t at = xml.find('&'); at != std::string::npos; at = xml.find('&', at + 1)) {
    if (xml.find(';', at) > at + 6) return testing::AssertionFailure() << "a bare &";
  }
  return open.empty() ? testing::AssertionSuccess()
                      : testing::AssertionFailure() << open.back() << " is not closed";
}

TEST(Registry, HasEveryViewOnceByRank) {
  std::set<std::string_view> ids;
  int rank = 0;
  for (const View& view : views()) {
    SCOPED_TRACE(view.id);
    EXPECT_TRUE(ids.insert(view.id).second);
    EXPECT_EQ(find_view(view.id), &view);
    EXPECT_TRUE(std::ranges::all_of(view.id, [](char c) { return c >= 'a' && c <= 'z'; }))
        << "it is typed, and part of names of files";
    EXPECT_NE(std::string_view(view.title), "");
    EXPECT_NE(std::string_view(view.shows), "");
    EXPECT_GT(view.rank, rank) << "the order must not hang on that of the files";
    rank = view.rank;
    EXPECT_NE(view.exported(), view.of_two);
  }
  // What programs and lectures call them, for good.
  for (const char* id : {"coalescing", "banks", "phases", "heat", "divergence", "source", "scrubber",
                         "occupancy", "roofline", "intensity", "gain"}) {
    const View* const view = find_view(id);
    ASSERT_NE(view, nullptr) << id;
    EXPECT_TRUE(view->make != nullptr && view->table != nullptr) << id;
  }
  EXPECT_EQ(find_view("flame"), nullptr);
}

TEST(Registry, MissingPictureOrTableIsAnError) {
  for (const View& view : views()) {
    const Result<Picture> picture = make_view(request(view.id));
    EXPECT_EQ(picture.ok(), view.make != nullptr) << view.id;
    if (!picture.ok()) {
      EXPECT_NE(picture.error().message().find(".csv"), std::string::npos) << picture.error().message();
    }
    EXPECT_EQ(make_table(request(view.id)).ok(), view.table != nullptr) << view.id;
  }
}

TEST(Table, PhasesSayHowManyStepsTheSelectedWarpHas) {
  const ExportRequest of = request("scrubber");
  const Result<std::string> table = make_table(of);
  ASSERT_TRUE(table.ok());
  std::istringstream rows(*table);
  std::string row;
  std::getline(rows, row);
  EXPECT_TRUE(row.ends_with(",steps")) << row;
  picture::Moment moment = of.subject.moment;
  for (moment.phase = 0; std::getline(rows, row); ++moment.phase)
    EXPECT_TRUE(row.ends_with(fmt::format(",{}", moment.steps().size()))) << row;
  EXPECT_EQ(moment.phase, moment.recording->phases.size());
}

TEST(Svg, IsWellFormedAndKeepsTextAsText) {
  for (const View& view : views()) {
    if (view.make == nullptr) continue;
    const Result<Picture> picture = make_view(request(view.id));
    ASSERT_TRUE(picture.ok()) << picture.error().message();
    const std::string svg = to_svg(*picture, picture::dark_palette().background);
    EXPECT_TRUE(well_formed(svg)) << view.id;
    EXPECT_NE(svg.find(">" + std::string(view.title) + "</text>"), std::string::npos) << view.id;
  }
}

TEST(Svg, EscapesWhatXmlReserves) {
  Picture picture;
  picture.width = picture.height = 50;
  picture.title = "a < b";
  picture.items.emplace_back(
      picture::Text{{1, 1}, "as[y][x] < \"T\" && x", {}, 12, picture::Font::mono, picture::Align::left});
  const std::string svg = to_svg(picture, {});
  EXPECT_TRUE(well_formed(svg));
  EXPECT_NE(svg.find("&lt; &quot;T&quot; &amp;&amp; x</text>"), std::string::npos);
}

TEST(Svg, InvalidXmlCharactersAreReplaced) {
  Picture picture;
  picture.width = picture.height = 50;
  picture.title = "a\x1b\x01";
  picture.sentence = "b\xff\xef\xbf\xbf";
  picture.items.emplace_back(
      picture::Text{{1, 1}, "c\td\n\x7f\xc2\x9b", {}, 12, picture::Font::mono, picture::Align::left});
  const std::string svg = to_svg(picture, {});
  EXPECT_TRUE(well_formed(svg));
  EXPECT_NE(svg.find(">a\\x1b\\x01<"), std::string::npos);
  EXPECT_NE(svg.find(">b\xef\xbf\xbd\\uffff<"), std::string::npos);
  EXPECT_NE(svg.find(">c d\\n\\x7f\\x9b<"), std::string::npos);
}

TEST(Png, DecodesToThePictureThatWasDrawn) {
  for (const View& view : views()) {
    if (view.make == nullptr) continue;
    for (const bool dark : {true, false}) {
      ExportRequest one = request(view.id);
      one.dark = dark;
      const Result<Picture> picture = make_view(one);
      ASSERT_TRUE(picture.ok()) << picture.error().message();
      const Image drawn = rasterise(*picture, picture::dark_palette().background);
      const Image decoded = test::decode_png(to_png(drawn));
      EXPECT_EQ(decoded.width, 700);
      EXPECT_EQ(decoded.height, 450);
      EXPECT_EQ(decoded.rgba, drawn.rgba);
      std::set<std::uint32_t> colours;
      for (std::size_t i = 0; i < decoded.rgba.size(); i += 4)
        colours.insert(std::uint32_t{decoded.rgba[i]} << 16 | decoded.rgba[i + 1] << 8 | decoded.rgba[i + 2]);
      EXPECT_GT(colours.size(), 40u) << view.id << " is almost blank";
    }
  }
}

/// A pixel of a picture of one item, 20 x 20 over black.
Colour pixel(const picture::Item& item, int x, int y) {
  Picture picture;
  picture.width = picture.height = 20;
  picture.items.push_back(item);
  const Image image = rasterise(picture, {0, 0, 0});
  const std::uint8_t* at = &image.rgba[static_cast<std::size_t>(y * 20 + x) * 4];
  return {at[0], at[1], at[2], at[3]};
}

TEST(Raster, FillsWholePixelsWhollyAndPartsInPart) {
  constexpr Colour kWhite{255, 255, 255};
  const picture::FilledRect rect{{4, 4, 6.5f, 6}, kWhite, 0};
  EXPECT_EQ(pixel(rect, 4, 4), kWhite);
  EXPECT_EQ(pixel(rect, 9, 9), kWhite);
  EXPECT_EQ(pixel(rect, 3, 4).r, 0);
  EXPECT_EQ(pixel(rect, 10, 4).r, 128);
  EXPECT_EQ(pixel(rect, 4, 10).r, 0);
}

TEST(Raster, DrawsLinesAtTheirThickness) {
  constexpr Colour kWhite{255, 255, 255};
  const picture::Line line{{2, 10.5f}, {18, 10.5f}, kWhite, 1};
  EXPECT_EQ(pixel(line, 10, 10), kWhite);
  EXPECT_EQ(pixel(line, 10, 11).r, 0);
  EXPECT_EQ(pixel(line, 10, 9).r, 0);
  const picture::Polygon triangle{{{2, 2}, {18, 2}, {2, 18}}, kWhite};
  EXPECT_EQ(pixel(triangle, 4, 4), kWhite);
  EXPECT_EQ(pixel(triangle, 16, 16).r, 0);
  const picture::OutlinedRect outline{{4.5f, 4.5f, 10, 10}, kWhite, 1, 0};
  EXPECT_EQ(pixel(outline, 4, 8), kWhite);
  EXPECT_EQ(pixel(outline, 8, 8).r, 0);
}

TEST(CellValues, AreTheSameBitByBit) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  const picture::CellValues values{0, 0.5f, kNone}, copied = values, like{0, 0.5f, kNone}, other{0, 0.5f, 1},
                                                    shorter{0, 0.5f}, none;
  EXPECT_EQ(copied.data(), values.data());
  EXPECT_TRUE(values.same(copied));
  EXPECT_TRUE(values.same(like));
  EXPECT_FALSE(values.same(other));
  EXPECT_FALSE(values.same(shorter));
  EXPECT_FALSE(values.same(none));
  EXPECT_TRUE(none.same(picture::CellValues()));
  EXPECT_EQ(none.size(), 0u);
}

TEST(Raster, ColoursHeatMapsCellByCell) {
  const picture::HeatMap map{{0, 0, 20, 20},
                             2,
                             2,
                             {0, 1, std::numeric_limits<float>::quiet_NaN(), 0.5f},
                             {{10, 0, 0}, {20, 0, 0}, {30, 0, 0}},
                             {99, 0, 0}};
  EXPECT_EQ(pixel(map, 5, 5).r, 10);
  EXPECT_EQ(pixel(map, 15, 5).r, 30);
  EXPECT_EQ(pixel(map, 5, 15).r, 99);
  EXPECT_EQ(pixel(map, 15, 15).r, 20);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Tables, HoldTheViewsData) {
  const auto banks = lines_of(*make_table(request("banks")));
  ASSERT_EQ(banks.size(), 33u);
  EXPECT_EQ(banks[0], "wavefront,bank,lane,word,words,broadcast,address");
  EXPECT_EQ(banks[1], "0,1,0,1,1,0,0x4");  // as[lane][1]
  EXPECT_EQ(banks[2], "1,1,1,33,1,0,0x84");
  const auto coalescing = lines_of(*make_table(request("coalescing")));
  ASSERT_EQ(coalescing.size(), 33u);
  EXPECT_TRUE(coalescing[1].ends_with("B[0][32]") || coalescing[1].ends_with("A[32][0]")) << coalescing[1];
  const auto phases = lines_of(*make_table(request("phases")));
  ASSERT_EQ(phases.size(), 6u);
  EXPECT_EQ(phases[1], "0,fill,128,64,0,0,64,0,4");
  EXPECT_EQ(phases[2], "1,compute,2048,0,0,2048,0,0,64");
  const auto heat = lines_of(*make_table(request("heat")));
  EXPECT_EQ(heat.size(), 1u + 2 * 32 * 64 + 32 * 32);
  const auto source = lines_of(*make_table(request("source")));
  EXPECT_EQ(source[1], "tiled.cu,5,global,load,A,64,sectors,2048,256,1792");
}

TEST(Tables, ListTheInstructionsOfThePtx) {
  const auto ptx = lines_of(*make_table(request("ptx")));
  ASSERT_GT(ptx.size(), 1u);
  EXPECT_EQ(ptx[0], "ptx_line,line,space,op,array,requests,unit,cost,ideal,excess");
  EXPECT_NE(ptx[1].find(",5,global,load,A,64,sectors,2048,256,1792"), std::string::npos) << ptx[1];
}

TEST(Tables, ListTheFindings) {
  Recording wrong = recording();
  wrong.findings.push_back({.kind = FindingKind::race,
                            .file = 0,
                            .line = 7,
                            .other_line = 5,
                            .count = 3,
                            .block = {1, 2, 0},
                            .warp = 4,
                            .lanes = 0xff,
                            .text = "lane 0, and \"others\""});
  ExportRequest one = request("findings");
  EXPECT_EQ(lines_of(*make_table(one)).size(), 1u) << "the header alone";
  one.subject.moment.recording = &wrong;
  const auto findings = lines_of(*make_table(one));
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[1], "race,tiled.cu,7,5,3,1,2,0,4,0x000000ff,\"lane 0, and \"\"others\"\"\"");
}

TEST(Tables, ListTheExcess) {
  const auto costs = lines_of(*make_table(request("costs")));
  ASSERT_GT(costs.size(), 2u);
  EXPECT_EQ(costs[0],
            "file,line,space,op,access,requests,unit,cost,ideal,excess,share,sentence,mended_cost,mend");
  EXPECT_NE(costs[1].find("shared load of as"), std::string::npos) << costs[1];
  EXPECT_NE(costs[1].find("With rows of 33 words: 1 wavefront per request"), std::string::npos) << costs[1];
}

TEST(Tables, ListTheHistoryOfTheChosenWord) {
  ExportRequest one = request("history");
  EXPECT_EQ(lines_of(*make_table(one)).size(), 1u) << "the header alone: nothing is chosen";
  one.subject.highlight.element = picture::ElementAt{0, 32, 0};
  const auto element = lines_of(*make_table(one));
  ASSERT_GT(element.size(), 1u);
  EXPECT_TRUE(element[1].starts_with("A[32][0],") || element[1].starts_with("B[32][0],")) << element[1];
  EXPECT_NE(element[1].find(",global,load,0x"), std::string::npos) << element[1];
  one.subject.highlight = {.shared_word = 1};
  EXPECT_GT(lines_of(*make_table(one)).size(), 2u) << "it is stored, and loaded";
  one.subject.highlight = {.element = picture::ElementAt{99, 0, 0}};
  EXPECT_EQ(lines_of(*make_table(one)).size(), 1u);
}

TEST(Tables, OfOccupancyIsOfTheLaunchThatIsTriedOut) {
  ExportRequest one = request("occupancy");
  one.subject.occupancy = picture::OccupancyQuestion{
      .cc = {7, 5}, .needs = {.threads = 96, .registers = 40}, .as_recorded = false};
  const auto rows = lines_of(*make_table(one));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[1].starts_with(",0,7.5,,96,40,")) << rows[1];
}

TEST(Export, WritesByTheExtension) {
  const auto folder = std::filesystem::temp_directory_path() / "warplens-export-test";
  std::filesystem::create_directories(folder);
  for (const char* name : {"a.png", "a.svg", "a.csv"}) {
    const Result<Done> done = export_view(request("banks"), folder / name);
    ASSERT_TRUE(done.ok()) << done.error().message();
    EXPECT_GT(std::filesystem::file_size(folder / name), 100u);
  }
  std::filesystem::remove_all(folder);
}

TEST(Export, ErrorsListAllowedExtensions) {
  const auto message = [](const ExportRequest& one, const char* path = "/tmp/never.png") {
    return export_view(one, path).error().message();
  };
  for (const View& view : views())
    EXPECT_NE(message(request("flame")).find(view.id), std::string::npos) << view.id;
  ExportRequest far = request("banks");
  far.subject.moment.phase = 99;
  EXPECT_NE(message(far).find("0 to 4"), std::string::npos) << message(far);
  far = request("banks");
  far.subject.moment.warp = 32;
  EXPECT_NE(message(far).find("0 to 31"), std::string::npos) << message(far);
  far = request("banks");
  far.subject.moment.step = 64;
  EXPECT_NE(message(far).find("0 to 63"), std::string::npos) << message(far);
  far = request("banks");
  far.subject.moment.event_block = 1;
  EXPECT_NE(message(far).find("recorded block"), std::string::npos);
  far = request("banks");
  far.width = 1;
  EXPECT_NE(message(far).find("20,000"), std::string::npos);
  EXPECT_NE(message(request("banks"), "/tmp/never.jpg").find(".png, .svg, .csv or .json"), std::string::npos);
  EXPECT_NE(message(request("banks"), "/no/such/folder/a.png").find("/no/such/folder/a.png"),
            std::string::npos);
}

}  // namespace
}  // namespace warplens::viz
