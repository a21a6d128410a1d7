#include "viz/picture/cluster/cluster_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "recording/cluster_sample.h"
#include "viz/views/view.h"

namespace warplens::picture {
namespace {

struct ClusterSubject {
  sample::ClusterSample sample = sample::cluster_sample();
  analysis::Results results = analysis::results_of(sample.recording, {9, 0});
  Moment moment{.recording = &sample.recording, .cc = {9, 0}};
  [[nodiscard]] viz::Subject subject() const {
    viz::Subject subject{.moment = moment, .results = &results};
    subject.details = sample.details;
    return subject;
  }
  [[nodiscard]] Picture make() const {
    return viz::find_view("cluster")->make(subject(), {1200, 800}, {&dark_palette(), 1});
  }
};

bool has_text(const Picture& picture, const std::string& text) {
  return std::ranges::any_of(picture.items, [&](const Item& item) {
    const auto* const shown = std::get_if<Text>(&item);
    return shown != nullptr && shown->text == text;
  });
}
const Region* region_with(const Picture& picture, const std::string& words) {
  const auto found = std::ranges::find_if(
      picture.regions, [&](const Region& region) { return region.tooltip.find(words) != std::string::npos; });
  return found == picture.regions.end() ? nullptr : &*found;
}

TEST(ClusterPicture, BlocksStandBesideEachOtherWithTheirFigures) {
  const Picture picture = ClusterSubject().make();
  EXPECT_TRUE(has_text(picture, "rank 0 · block (0, 0)"));
  EXPECT_TRUE(has_text(picture, "rank 1 · block (1, 0)"));
  EXPECT_TRUE(has_text(picture, "1,024 bytes in flight"));
  EXPECT_TRUE(has_text(picture, "warp 0 copies 512 bytes to ranks 0–1"));
  EXPECT_EQ(picture.sentence, "2 blocks copy 1,024 bytes and get 2,048: some copies go to several blocks.");
}

TEST(ClusterPicture, PartSaysWhichBlockHasCopiedIt) {
  const Picture picture = ClusterSubject().make();
  EXPECT_TRUE(has_text(picture, "1 ← rank 1"));
  EXPECT_TRUE(has_text(picture, "1 ← rank 0"));
  const Region* const part =
      region_with(picture, "of rank 0, 512 bytes: copy in flight\nfilling 1, copied by rank 1");
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(part->target.kind, Target::Kind::event) << "it leads to the copy";
}

TEST(ClusterPicture, CopyToSeveralBlocksIsALink) {
  EXPECT_NE(region_with(ClusterSubject().make(), "rank 1: warp 0 copies 512 bytes to ranks 0–1"), nullptr);
}

TEST(ClusterPicture, AccessOfAnotherBlockIsALinkWithLanes) {
  ClusterSubject subject;
  subject.moment.event_block = 0;
  subject.moment.warp = 1;
  subject.moment.step = 1;
  const Picture picture = subject.make();
  EXPECT_EQ(region_with(picture, "lane 31 of"), nullptr) << "a step before";
  subject.sample.details = [&] {
    BlockDetails second = *subject.sample.details->cluster[1];
    BlockDetails first = *subject.sample.details;
    first.cluster.clear();
    second.cluster = {std::make_shared<const BlockDetails>(first), nullptr};
    return std::make_shared<const BlockDetails>(second);
  }();
  subject.moment.event_block = 1;
  subject.moment.step = 2;
  const Picture at_store = subject.make();
  EXPECT_NE(region_with(at_store, "lane 31 of warp 1, lanes 0–31: shared store at rank 0"), nullptr);
  EXPECT_NE(region_with(at_store, "rank 1: warp 1, lanes 0–31: shared store at rank 0"), nullptr);
}

TEST(ClusterPicture, ArrivalsOfTheOtherBlockAreArrows) {
  EXPECT_NE(
      region_with(ClusterSubject().make(), "rank 1 arrives at the mbarrier of rank 0: 2 arrivals in phase 0"),
      nullptr);
}

TEST(ClusterPicture, BlockThatIsNotRecordedSaysSo) {
  ClusterSubject subject;
  subject.sample.recording.event_blocks.pop_back();
  const Picture picture = subject.make();
  EXPECT_TRUE(has_text(picture, "not in the recording"));
  EXPECT_NE(picture.sentence.find("1 block is not in the recording"), std::string::npos);
}

TEST(ClusterPicture, WithoutAClusterSaysWhatItNeeds) {
  ClusterSubject subject;
  subject.sample.recording.cluster = {1, 1, 1};
  const Picture picture = subject.make();
  EXPECT_TRUE(picture.empty);
  EXPECT_NE(picture.sentence.find("This launch has no clusters of blocks."), std::string::npos);
}

TEST(ClusterPicture, TableListsCopiesFillingsAccessesAndPhases) {
  const std::string table = viz::find_view("cluster")->table(ClusterSubject().subject());
  EXPECT_NE(table.find("\ncopy,1,0,,0,,,,shared memory + 0x600,512,1,0–1,\n"), std::string::npos) << table;
  EXPECT_NE(table.find("\nfilling,0,,,0,1,2,2,shared memory + 0x600,512,1,0,\n"), std::string::npos) << table;
  EXPECT_NE(table.find("\nstore,1,1,0–31,3,,,,shared memory + 0xc00,,1,0,\n"), std::string::npos) << table;
  EXPECT_NE(table.find("\nphase,0,,,0,1,,,shared memory + 0x0,1024,,0,2\n"), std::string::npos) << table;
}

}  // namespace
}  // namespace warplens::picture
