#include "viz/picture/role_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "recording/roles_sample.h"
#include "viz/views/view.h"

namespace warplens::picture {
namespace {

struct TimelineSubject {
  sample::RolesSample sample = sample::roles_sample();
  analysis::Results results = analysis::results_of(sample.recording, {9, 0});
  [[nodiscard]] viz::Subject subject() const {
    viz::Subject subject{.moment = {.recording = &sample.recording, .cc = {9, 0}}, .results = &results};
    subject.details = std::make_shared<const BlockDetails>(sample.details);
    return subject;
  }
  [[nodiscard]] Picture make() const {
    return viz::find_view("timeline")->make(subject(), {1200, 800}, {&dark_palette(), 1});
  }
};

bool writes(const Picture& picture, const std::string& text) {
  return std::ranges::any_of(picture.items, [&](const Item& item) {
    const auto* const shown = std::get_if<Text>(&item);
    return shown != nullptr && shown->text == text;
  });
}
const Region* region_that_says(const Picture& picture, const std::string& words) {
  const auto found = std::ranges::find(picture.regions, words, &Region::tooltip);
  return found == picture.regions.end() ? nullptr : &*found;
}

TEST(RoleTimelinePicture, RolesAreNamedByWhatTheyDo) {
  const Picture picture = TimelineSubject().make();
  EXPECT_TRUE(writes(picture, "warp 0: copies"));
  EXPECT_TRUE(writes(picture, "warp 1: no accesses"));
  EXPECT_TRUE(writes(picture, "warps 2\u20133: multiplies"));
  EXPECT_EQ(picture.sentence,
            "3 roles; 512 bytes in flight here, 512 at most. Positions show the order, not times.");
}

TEST(RoleTimelinePicture, WaitsAndPhasesNameTheirMbarrier) {
  const Picture picture = TimelineSubject().make();
  EXPECT_NE(region_that_says(picture, "warp 0 waits 2 steps for phase 0 of shared memory + 0x8"), nullptr);
  EXPECT_NE(region_that_says(picture, "shared memory + 0x0, phase 0: 1 arrival, 512 bytes"), nullptr);
}

TEST(RoleTimelinePicture, CopyLeadsToItsFirstAccess) {
  const Picture picture = TimelineSubject().make();
  const auto copies = std::ranges::count_if(picture.regions, [](const Region& region) {
    return region.target.kind == Target::Kind::event && region.tooltip == "warp 0: copies, 1 step";
  });
  EXPECT_EQ(copies, 2);
}

TEST(RoleTimelinePicture, TableListsSpansPhasesAndFlights) {
  const std::string table = viz::find_view("timeline")->table(TimelineSubject().subject());
  EXPECT_NE(table.find("\ncopies,0,0,0,1,,,2,\n"), std::string::npos) << table;
  EXPECT_NE(table.find("\nwaits,0,0,1,3,shared memory + 0x8,0,0,\n"), std::string::npos) << table;
  EXPECT_NE(table.find("\nphase,,,0,1,shared memory + 0x0,0,1,512\n"), std::string::npos) << table;
  EXPECT_NE(table.find("\nflight,,,0,1,shared memory + 0x0,0,,512\n"), std::string::npos) << table;
}

TEST(RoleTimelinePicture, TraceHasAProcessForEachRole) {
  const auto trace = nlohmann::json::parse(viz::find_view("timeline")->trace(TimelineSubject().subject()));
  std::vector<std::string> processes;
  for (const auto& event : trace["traceEvents"]) {
    if (event["name"] == "process_name") processes.push_back(event["args"]["name"]);
  }
  EXPECT_EQ(processes, (std::vector<std::string>{"mbarriers of block (0, 0)", "warp 0: copies",
                                                 "warp 1: no accesses", "warps 2\u20133: multiplies"}));
  const auto counters =
      std::ranges::count_if(trace["traceEvents"], [](const auto& event) { return event["ph"] == "C"; });
  EXPECT_GE(counters, 3);
}

}  // namespace
}  // namespace warplens::picture
