#include "app/web/page_requests.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/session/loaded.h"
#include "app/session/navigation.h"
#include "app/session/subject.h"
#include "viz/export/export.h"

namespace warplens::app::web {
namespace {

using Json = nlohmann::ordered_json;

class PageRequestsTest : public testing::Test {
 protected:
  Json ask(const Json& request) { return Json::parse(requests_.answer(request.dump())); }
  Json open_tiled() { return ask({{"do", "open"}, {"subject", "tiled"}, {"size", 64}, {"set", {"T=16"}}}); }

  PageRequests requests_;
};

TEST_F(PageRequestsTest, WrongRequestsAreErrors) {
  EXPECT_TRUE(Json::parse(requests_.answer("{")).contains("error"));
  EXPECT_TRUE(ask({{"do", "nothing"}}).contains("error"));
  EXPECT_TRUE(ask({{"view", "banks"}}).contains("error"));
  EXPECT_TRUE(ask({{"do", "place"}, {"move", 3}}).contains("error"));
}

TEST_F(PageRequestsTest, NothingIsDrawnBeforeSomethingIsOpen) {
  for (const char* request : {"picture", "table", "report", "place"})
    EXPECT_EQ(ask({{"do", request}, {"view", "banks"}})["error"]["what"], "nothing is open") << request;
}

TEST_F(PageRequestsTest, StartNamesKernelsViewsAndLessonsInALanguage) {
  const Json german = ask({{"do", "start"}, {"language", "de"}}),
             english = ask({{"do", "start"}, {"language", "en"}});
  EXPECT_EQ(english["languages"].size(), 6u);
  EXPECT_EQ(german["kernels"].size(), english["kernels"].size());
  EXPECT_GT(english["views"].size(), 10u);
  EXPECT_GT(english["lessons"].size(), 5u);
  EXPECT_EQ(english["words"]["kernel"], "Kernel");
  EXPECT_NE(german["lessons"][0]["title"], "");
}

TEST_F(PageRequestsTest, APictureIsThatOfExport) {
  const Json opened = open_tiled();
  ASSERT_FALSE(opened.contains("error")) << opened;
  EXPECT_EQ(opened["opened"]["blocks"].size(), 16u);
  EXPECT_EQ(opened["opened"]["verified"], true);

  Result<std::shared_ptr<const Loaded>> loaded = [] {
    LaunchRequest request = launch_of_kernel("tiled", {{"m", 64}, {"p", 64}, {"n", 64}, {"T", 16}});
    request.event_blocks = BlockChoice{};
    return record_loaded(request, nullptr, MachineCode::made);
  }();
  ASSERT_TRUE(loaded.ok());
  const viz::ExportRequest request{.view = "banks",
                                   .subject = subject_of(**loaded, opening_selection(**loaded)),
                                   .width = 500,
                                   .height = 400,
                                   .subject_owner = {}};
  EXPECT_EQ(ask({{"do", "picture"}, {"view", "banks"}, {"width", 500}, {"height", 400}})["svg"],
            *viz::make_file(request, ".svg"));
}

TEST_F(PageRequestsTest, ThePlaceStaysInsideTheRecording) {
  open_tiled();
  const Json far = ask({{"do", "place"}, {"to", {{"warp", 1000}, {"phase", 1000}, {"step", 1000}}}})["place"];
  EXPECT_EQ(far["warp"], far["warps"].get<int>() - 1);
  EXPECT_EQ(far["phase"], far["phases"].get<int>() - 1);
  const Json before = ask({{"do", "place"}, {"to", {{"warp", 0}, {"phase", 0}, {"step", 0}}}})["place"],
             after = ask({{"do", "place"}, {"move", "step"}, {"by", 1}})["place"];
  EXPECT_EQ(before["step"], 0);
  EXPECT_EQ(after["step"], 1);
  EXPECT_NE(after["sentence"], "");
  EXPECT_EQ(ask({{"do", "place"}, {"select", before["select"]}})["place"], before);
}

TEST_F(PageRequestsTest, CudaSourcesAreRefusedWithWhatToDo) {
  const Json answer = ask({{"do", "open"}, {"subject", "mine.cu"}});
  ASSERT_TRUE(answer.contains("error"));
  EXPECT_NE(answer["error"]["hint"].get<std::string>().find("nvcc -ptx"), std::string::npos);
}

TEST_F(PageRequestsTest, ASavedRecordingOpensAgain) {
  open_tiled();
  const Json report = ask({{"do", "report"}});
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "page.wlr";
  ASSERT_FALSE(ask({{"do", "save"}, {"file", file.string()}}).contains("error"));
  ASSERT_FALSE(ask({{"do", "open"}, {"subject", file.string()}}).contains("error"));
  const Json totals = Json::parse(report["report"].get<std::string>()),
             again = Json::parse(ask({{"do", "report"}})["report"].get<std::string>());
  EXPECT_EQ(totals["totals"], again["totals"]);
  std::filesystem::remove(file);
}

TEST_F(PageRequestsTest, NamesInPicturesAreEscaped) {
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "<script>alert(1)<&script>.ptx";
  std::ofstream(file) << R"(.version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 data) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [data];
  .loc 1 1 1
  ld.global.u32 %r1, [%rd1];
  ret;
}
.file 1 "<script>alert(1)</script>.cu"
)";
  const Json opened = ask({{"do", "open"},
                           {"subject", file.string()},
                           {"grid", "1"},
                           {"block", "32"},
                           {"arguments", {"data=i32[4]"}}});
  ASSERT_FALSE(opened.contains("error")) << opened;
  for (const char* view : {"source", "costs", "coalescing"}) {
    const Json drawn = ask({{"do", "picture"}, {"view", view}});
    ASSERT_TRUE(drawn.contains("svg")) << drawn;
    EXPECT_EQ(drawn["svg"].get<std::string>().find("<script"), std::string::npos) << view;
  }
  std::filesystem::remove(file);
}

TEST_F(PageRequestsTest, PatternsAreCounted) {
  const Json answer =
      ask({{"do", "pattern"},
           {"csv", "op,bytes_per_lane,active_mask,lane_byte_offsets\nshared_load,4,0x3,0 128\n"}});
  EXPECT_NE(answer["csv"].get<std::string>().find("predicted_wavefronts"), std::string::npos);
  EXPECT_TRUE(ask({{"do", "pattern"}, {"csv", "nonsense"}}).contains("error"));
}

TEST_F(PageRequestsTest, ThePlaygroundCountsAnAccess) {
  const Json padded = ask({{"do", "playground"}, {"stride", 32}, {"padding", 1}}),
             plain = ask({{"do", "playground"}, {"stride", 32}});
  EXPECT_NE(plain["place"]["sentence"], padded["place"]["sentence"]);
  EXPECT_TRUE(ask({{"do", "playground"}, {"items", "lane *"}}).contains("error"));
}

TEST_F(PageRequestsTest, EverySceneOfALessonIsDrawn) {
  const Json lesson = ask({{"do", "lesson"}, {"name", "wrong"}});
  ASSERT_FALSE(lesson.contains("error")) << lesson;
  for (std::size_t i = 0; i < lesson["scenes"].get<std::size_t>(); ++i) {
    const Json scene = ask({{"do", "scene"}, {"scene", i}});
    ASSERT_FALSE(scene.contains("error")) << scene;
    for (const Json& row : scene["views"]) {
      for (const Json& view : row)
        EXPECT_TRUE(ask({{"do", "scene_picture"}, {"view", view["id"]}}).contains("svg")) << view;
    }
  }
  EXPECT_TRUE(ask({{"do", "scene"}, {"scene", 99}}).contains("error"));
  EXPECT_TRUE(ask({{"do", "lesson"}, {"name", "there is none"}}).contains("error"));
}

}  // namespace
}  // namespace warplens::app::web
