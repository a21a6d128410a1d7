// Recordings that lack what pictures are made of: accesses, instructions, phases, blocks, sources, buffers.
#include <gtest/gtest.h>

#include <functional>

#include "kernels/recording/validate.h"
#include "recording/sample.h"
#include "viz/analysis/divergence.h"
#include "viz/analysis/reuse.h"
#include "viz/export/export.h"
#include "viz/picture/matrix_heat.h"
#include "viz/picture/moment.h"
#include "viz/picture/phase_strip.h"

namespace warplens {
namespace {

struct Hollow {
  const char* name;
  std::function<Recording()> make;
};

Recording without_accesses() {
  Recording recording = sample::make();
  recording.events = {};
  for (SiteTotals& totals : recording.totals) totals = {};
  for (PhaseTotals& phase : recording.phases) phase = {};
  return recording;
}

const Hollow kHollow[] = {
    {"nothing", [] { return Recording{}; }},
    {"totals_only", [] { return sample::make({.event_blocks = 0}); }},
    {"no_accesses", without_accesses},
    {"no_sites",
     [] {
       Recording recording = without_accesses();
       recording.sites.clear();
       recording.totals.clear();
       recording.shapes.clear();
       return recording;
     }},
    {"no_phases",
     [] {
       Recording recording = without_accesses();
       recording.phases.clear();
       return recording;
     }},
    {"no_sources",
     [] {
       Recording recording = sample::make();
       recording.files.clear();
       recording.findings.resize(1);
       recording.findings.front().line = 0;
       recording.findings.front().file = 0;
       for (Site& site : recording.sites) site.file = site.line = 0;
       return recording;
     }},
    {"no_buffers",
     [] {
       Recording recording = sample::make();
       recording.buffers.clear();
       recording.shared_arrays.clear();
       return recording;
     }},
    {"empty_buffers",
     [] {
       Recording recording = sample::make();
       for (Buffer& buffer : recording.buffers)
         buffer.rows = 1, buffer.bytes = buffer.columns = buffer.pitch = 0;
       for (SharedArray& array : recording.shared_arrays) array.rows = 1, array.bytes = 0;
       return recording;
     }},
    {"endless_buffers",
     [] {
       Recording recording = sample::make();
       recording.buffers.resize(2);
       recording.buffers[0] = {"A", ElementType::u8, 0, std::uint64_t{1} << 40, 4000000000, 1, 200};
       recording.buffers[1] = {"B", ElementType::u8,        std::uint64_t{1} << 41, std::uint64_t{1} << 40,
                               2,   std::uint64_t{1} << 38, std::uint64_t{1} << 39};
       return recording;
     }},
};

class HollowRecording : public testing::TestWithParam<Hollow> {};

TEST_P(HollowRecording, IsDrawnAndListed) {
  const Recording recording = GetParam().make();
  const auto valid = validate(recording);
  ASSERT_TRUE(valid.ok()) << valid.error().message();
  for (const analysis::ComputeCapability cc :
       {analysis::ComputeCapability{1, 0}, analysis::ComputeCapability{9, 0}}) {
    const analysis::Results results = analysis::results_of(recording, cc);
    for (const viz::View& view : viz::views()) {
      SCOPED_TRACE(std::string(view.id) + " " + cc.name());
      const viz::ExportRequest request{
          .view = std::string(view.id),
          .subject = {.moment = {.recording = &recording, .cc = cc}, .results = &results},
          .width = 480,
          .height = 300};
      for (const std::string_view extension : viz::kExtensions) {
        if (!viz::is_written_as(view, extension)) continue;
        const auto file = viz::make_file(request, extension);
        EXPECT_TRUE(file.ok()) << file.error().message();
      }
    }
  }
}

/// A selection stays while another recording comes.
TEST_P(HollowRecording, AcceptsAnySelection) {
  const Recording recording = GetParam().make();
  const picture::Moment moment{&recording, {9, 0}, 3, 31, 12, 5};
  EXPECT_FALSE(moment.block_name().empty());
  const picture::Style style{&picture::dark_palette(), 1};
  const picture::Highlight highlight{
      .lane = 31, .shared_word = 123456, .element = picture::ElementAt{7, 100, 100}, .line = 99};
  static_cast<void>(picture::make_matrix_heat({recording, analysis::element_counts(recording)}, highlight,
                                              {600, 400}, style));
  static_cast<void>(picture::make_phase_strip(moment, analysis::phase_kinds(recording), {600, 60}, style));
  static_cast<void>(picture::place_on_strip(moment, 0.5f));
}

INSTANTIATE_TEST_SUITE_P(Each, HollowRecording, testing::ValuesIn(kHollow),
                         [](const auto& hollow) { return std::string(hollow.param.name); });

}  // namespace
}  // namespace warplens
