#include "picture/makers.h"

#include <gtest/gtest.h>

#include "picture/figures.h"
#include "picture/kernels.h"
#include "picture/matrices.h"
#include "picture/warpgroup.h"
#include "recording/cluster_sample.h"
#include "recording/roles_sample.h"
#include "recording/tensor_sample.h"
#include "viz/picture/cluster/cluster_blocks.h"
#include "viz/picture/fragments.h"
#include "viz/picture/occupancy.h"
#include "viz/picture/rate_bars.h"
#include "viz/picture/role_timeline.h"
#include "viz/picture/tensor_box.h"

namespace warplens::picture {
namespace {

/// What only the window draws, or draws with something pointed at.
void add_pictures_of_the_window(std::vector<NamedMaker>& makers) {
  for (const char* id : {"banks", "coalescing", "phases", "divergence"}) {
    makers.push_back({std::string(id) + ", lit",
                      [view = viz::find_view(id)](viz::Subject subject, Size size, const Style& style) {
                        subject.highlight = {
                            .lane = 7, .shared_word = 40, .element = ElementAt{0, 0, 1}, .line = 3};
                        subject.site = 0;
                        return view->make(subject, size, style);
                      }});
  }
  for (const char* id : {"banks", "phases", "heat", "dram", "levels", "divergence", "costs"}) {
    makers.push_back({std::string(id) + ", beside another",
                      [view = viz::find_view(id)](viz::Subject subject, Size size, const Style& style) {
                        const auto& other = subjects()[0];
                        subject.beside = viz::Side{other.moment, other.results.get()};
                        subject.beside->moment.recording = &other.recording;
                        return view->make(subject, size, style);
                      }});
  }
  for (const viz::View& view : viz::views()) {
    if (view.difference == nullptr) continue;
    makers.push_back(
        {std::string(view.id) + ", difference", [&view](viz::Subject subject, Size size, const Style& style) {
           const auto& other = subjects()[0];
           subject.beside = viz::Side{other.moment, other.results.get()};
           subject.beside->moment.recording = &other.recording;
           return view.difference(subject, size, style);
         }});
  }
  makers.push_back({"occupancy of variants", [](const viz::Subject& of, Size size, const Style& style) {
                      const analysis::OccupancySubject about = subject();
                      const analysis::ComputeCapability cc = of.moment.cc;
                      return make_occupancy(about,
                                            {.cc = cc, .needs = about.needs_for(cc), .variants_first = true},
                                            size, style);
                    }});
  for (const std::size_t chosen : {0, 1}) {
    makers.push_back({"fragments of instruction " + std::to_string(chosen),
                      [chosen](const viz::Subject& of, Size size, const Style& style) {
                        const bool has_block = of.moment.event_block < of.recording().event_blocks.size();
                        const auto warp = test::block_details(
                            has_block ? of.recording().event_blocks[of.moment.event_block] : Dim3{},
                            of.moment.warp);
                        return make_fragments(of.moment, test::matrix_instructions(), chosen, warp.get(),
                                              {.matrix_element = MatrixElement{0, 3, 5}}, size, style);
                      }});
  }
  makers.push_back({"fragments of wgmma", [](const viz::Subject&, Size size, const Style& style) {
                      static const test::WarpgroupSubject kSubject;
                      return make_fragments(
                          {.recording = &kSubject.recording, .cc = {9, 0}, .warp = test::kWarpOfGroup},
                          kSubject.instructions, 0, &kSubject.matrices,
                          {.matrix_element = MatrixElement{0, 3, 5}}, size, style);
                    }});
  makers.push_back({"box of a matrix", [](const viz::Subject&, Size size, const Style& style) {
                      static const auto kSample = sample::tensor_sample(
                          sample::tensor_of(90, 124, TensorSwizzle::bytes128), {100, 64});
                      return make_tensor_box({.recording = &kSample.recording, .cc = {9, 0}},
                                             &kSample.details, {.element = ElementAt{0, 70, 101}}, size,
                                             style);
                    }});
  makers.push_back(
      {"timeline of roles", [](const viz::Subject&, Size size, const Style& style) {
         static const auto kSample = sample::roles_sample();
         static const auto kTimeline = analysis::role_timeline(kSample.recording, 0, kSample.details);
         return make_role_timeline({.recording = &kSample.recording, .cc = {9, 0}}, &kTimeline, size, style);
       }});
  makers.push_back({"blocks of a cluster", [](const viz::Subject&, Size size, const Style& style) {
                      static const auto kSample = sample::cluster_sample();
                      static const auto kCluster =
                          analysis::cluster_blocks(kSample.recording, *kSample.details);
                      return make_cluster_blocks({.recording = &kSample.recording, .cc = {9, 0}, .step = 1},
                                                 &kCluster, size, style);
                    }});
  makers.push_back({"box of three dimensions", [](const viz::Subject&, Size size, const Style& style) {
                      static const auto kSample = sample::tensor_sample({.element = TensorElement::f32,
                                                                         .rank = 3,
                                                                         .address = sample::kTensorBase,
                                                                         .extents = {256, 64, 8, 1, 1},
                                                                         .strides = {4, 1024, 65536},
                                                                         .box = {256, 16, 4, 1, 1}});
                      return make_tensor_box({.recording = &kSample.recording, .cc = {9, 0}},
                                             &kSample.details, {}, size, style);
                    }});
  makers.push_back({"roofline with a ladder", [](const viz::Subject&, Size size, const Style& style) {
                      return make_roofline(example(8, 12), size, style);
                    }});
  makers.push_back({"intensity of the ladder", [](const viz::Subject&, Size size, const Style& style) {
                      return make_intensity_ladder(example(8, 12), size, style);
                    }});
  makers.push_back({"gain of the ladder", [](const viz::Subject&, Size size, const Style& style) {
                      return make_gain(example(8, 12), {100, 10}, size, style);
                    }});
  makers.push_back({"published bars", [](const viz::Subject&, Size size, const Style& style) {
                      return make_published(bars(true), size, style);
                    }});
  makers.push_back({"published lines", [](const viz::Subject&, Size size, const Style& style) {
                      return make_published(lines(true), size, style);
                    }});
  makers.push_back({"published source", [](const viz::Subject&, Size size, const Style& style) {
                      EXPECT_GE(published_source_height(bars(true), size.width, style), 0);
                      return make_published_source(bars(true), size, style);
                    }});
  makers.push_back({"rates", [](const viz::Subject&, Size size, const Style& style) {
                      return make_rate_bars({{"ikj, this CPU", 3.2}, {"replay", 1234.6}}, "GFLOP/s",
                                            "this machine", size, style);
                    }});
}

}  // namespace

std::vector<Subject> make_subjects() {
  std::vector<Subject> made{
      {"tiled", test::tiled({.tile = 8, .size = 24, .swapped = true}), {.cc = {9, 0}, .phase = 1, .step = 3}},
      {"tiled under old rules",
       test::tiled({.tile = 32, .size = 64, .swapped = true}),
       {.cc = {1, 0}, .phase = 1}},
      {"naive", test::naive(20, 37, 5), {.cc = {9, 0}, .step = 1}},
      {"assorted", test::assorted(), {.cc = {9, 0}}},
      {"empty", {}, {.cc = {9, 0}}}};
  for (Subject& subject : made) {
    subject.results =
        std::make_shared<analysis::Results>(analysis::results_of(subject.recording, subject.moment.cc));
  }
  return made;
}

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = make_subjects();
  return all;
}

const std::vector<NamedMaker>& makers() {
  static const std::vector<NamedMaker> all = [] {
    std::vector<NamedMaker> made;
    for (const viz::View& view : viz::views()) {
      if (view.make != nullptr) made.push_back({std::string(view.id), view.make});
    }
    add_pictures_of_the_window(made);
    return made;
  }();
  return all;
}

}  // namespace warplens::picture
