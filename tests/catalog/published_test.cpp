#include "kernels/catalog/published.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/catalog/catalog.h"

namespace warplens {
namespace {

const PublishedTable& table(std::string_view id) {
  const auto& tables = *published_tables();
  return *std::find_if(tables.begin(), tables.end(), [&](const PublishedTable& one) { return one.id == id; });
}

const PublishedPoint& point(const PublishedTable& table, std::string_view name) {
  const auto& points = table.series.front().points;
  return *std::find_if(points.begin(), points.end(),
                       [&](const PublishedPoint& one) { return one.name == name; });
}

TEST(Published, AllTablesAreRead) {
  ASSERT_TRUE(published_tables().ok()) << published_tables().error().message();
  EXPECT_EQ(published_tables()->size(), 13u);
  std::set<std::string> ids;
  for (const PublishedTable& one : *published_tables()) {
    SCOPED_TRACE(one.id);
    EXPECT_TRUE(ids.insert(one.id).second);
    EXPECT_FALSE(one.title.empty() || one.machine.empty() || one.source.empty() || one.definition.empty());
    ASSERT_FALSE(one.series.empty());
    for (const PublishedSeries& series : one.series) {
      EXPECT_FALSE(series.points.empty());
      for (const PublishedPoint& figure : series.points) EXPECT_GT(figure.milliseconds, 0);
    }
  }
}

TEST(Published, KernelsHaveThePublishedRate) {
  const PublishedTable& lecture = table("lecture_rtx4070");
  EXPECT_EQ(lecture.by, PublishedBy::kernel);
  EXPECT_EQ(point(lecture, "tiled").gflops, 2902.049);
  EXPECT_EQ(point(lecture, "tiled").description, "compile-time tile 32 unrolled (GPU6)");
  EXPECT_NEAR(point(lecture, "cpu").gflops, 2 * 1.064e9 / 48.761e-3 * 1e-9,
              1e-9);  // The table has its time alone
  EXPECT_FALSE(lecture.with_transfers);
}

/// The kernels of the ladder with values of that type, and cuBLAS. Those of f32 are a ladder of their own.
std::multiset<std::string> kernels_of(const std::string& value_type) {
  std::multiset<std::string> ladder_kernels{"cublas"};
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.group == KernelGroup::ladder && std::ranges::count(kernel.value_types, value_type) > 0)
      ladder_kernels.insert(kernel.id);
  }
  return ladder_kernels;
}

TEST(Published, TheShippedLaddersHaveEveryKernelOnceAndCublas) {
  for (const char* value_type : {"f32", "f16", "bf16", "tf32"}) {
    const PublishedTable* const table = shipped_ladder(value_type);
    ASSERT_NE(table, nullptr) << value_type;
    std::multiset<std::string> measured;
    for (const PublishedPoint& figure : table->series.front().points) measured.insert(figure.name);
    EXPECT_EQ(measured, kernels_of(value_type)) << value_type;
  }
  EXPECT_EQ(shipped_ladder("f64"), nullptr);
  EXPECT_EQ(shipped_ladder(""), nullptr);
}

/// Where a table has both, its rate must be what its own definition makes of its time.
TEST(Published, RatesAgreeWithTheirDefinitions) {
  for (const PublishedPoint& figure : table("lecture_rtx4070").series.front().points) {
    EXPECT_NEAR(figure.gflops, 2 * 1.064e9 / figure.milliseconds * 1e-6, figure.gflops * 0.01) << figure.name;
  }
  std::vector<PublishedPoint> ours = table("h200_our_first_measurement").series.front().points;
  for (const char* value_type : {"f32", "f16", "bf16", "tf32"}) {
    const std::vector<PublishedPoint>& points = shipped_ladder(value_type)->series.front().points;
    ours.insert(ours.end(), points.begin(), points.end());
  }
  for (const PublishedPoint& figure : ours) {
    const double products =
        static_cast<double>(figure.m) * static_cast<double>(figure.p) * static_cast<double>(figure.n);
    EXPECT_NEAR(figure.gflops, 2 * products / figure.milliseconds * 1e-6, figure.gflops * 0.002)
        << figure.name;
  }
  for (const PublishedSeries& series : table("paper_gts450_gtx770_naive").series) {
    for (const PublishedPoint& figure : series.points) {
      const double n = static_cast<double>(figure.n);
      EXPECT_NEAR(figure.gflops, 2 * n * n * n / figure.milliseconds * 1e-6, figure.gflops * 0.01)
          << series.name << " " << n;
    }
  }
}

TEST(Published, TilesAreLinesOverTheTile) {
  const PublishedTable& tiled = table("paper_gtx770_tiled_block_size");
  EXPECT_TRUE(tiled.with_transfers);
  ASSERT_EQ(tiled.series.size(), 4u);
  EXPECT_EQ(tiled.series[2].name, "N = 1,024");
  EXPECT_EQ(tiled.series[2].kernel, "tiled");
  ASSERT_EQ(tiled.series[2].points.size(), 5u);  // T = 1 was not measured
  EXPECT_EQ(tiled.series[2].points.front().tile, 2);
  EXPECT_EQ(tiled.series[2].points.back().tile, 32);
  EXPECT_NEAR(tiled.series[2].points.back().gflops, 2 * 1024.0 * 1024 * 1024 / 0.064e9, 1e-9);
}

TEST(Published, SizesAreLinesOverN) {
  const PublishedTable& naive = table("paper_gts450_gtx770_naive");
  ASSERT_EQ(naive.series.size(), 4u);
  EXPECT_EQ(naive.series[0].name, "GTS 450");
  EXPECT_EQ(naive.series[0].kernel, "naive_uncoalesced");
  EXPECT_EQ(naive.series[1].name, "Core 2 E6300, a processor");
  EXPECT_EQ(naive.series[2].points.back().gflops, 13.2);
  const PublishedTable& buffered = table("paper_gtx770_buffered");
  ASSERT_EQ(buffered.series.size(), 3u);
  EXPECT_EQ(buffered.series[2].kernel, "buffered_row");
  EXPECT_EQ(buffered.series[2].points.back().milliseconds, 120);
}

TEST(Published, WithoutASizeThereIsNoRate) {
  for (const char* const id : {"project_p100_register_tile", "project_p100_shared_tile"}) {
    for (const PublishedPoint& figure : table(id).series.front().points) EXPECT_EQ(figure.gflops, 0);
  }
}

TEST(Published, TheTileOfRegisterTileIsTakenFromItsName) {
  const auto& points = table("h200_our_first_measurement").series.front().points;
  const auto found = std::find_if(points.begin(), points.end(),
                                  [](const PublishedPoint& one) { return one.name == "register_tile"; });
  ASSERT_NE(found, points.end());
  EXPECT_EQ(found->tile, 2);
}

void expect_error(std::string_view id, std::string_view text, const std::string& what,
                  const std::string& where) {
  const auto parsed = parse_published(id, text);
  ASSERT_FALSE(parsed.ok());
  EXPECT_NE(parsed.error().what.find(what), std::string::npos) << parsed.error().message();
  EXPECT_EQ(parsed.error().where, where);
  EXPECT_FALSE(parsed.error().hint.empty());
}

TEST(Published, BadTablesAreRefusedWithThePlace) {
  expect_error("lecture_gpu", "", "no published table `lecture_gpu`", "");
  expect_error("lecture_cpu_loop_orders", "", "no figures", "lecture_cpu_loop_orders.csv");
  expect_error("lecture_cpu_loop_orders", "order,time_ms\n", "no figures", "lecture_cpu_loop_orders.csv");
  expect_error("lecture_cpu_loop_orders", "order,seconds\nijk,1\n", "order,seconds",
               "lecture_cpu_loop_orders.csv:1");
  expect_error("lecture_cpu_loop_orders", "order,time_ms\nijk,1\nikj\n", "a row of 1 fields",
               "lecture_cpu_loop_orders.csv:3");
  expect_error("lecture_cpu_loop_orders", "order,time_ms\nijk,1\n\nikj,fast\n", "`fast` under time_ms",
               "lecture_cpu_loop_orders.csv:4");
  expect_error("lecture_cpu_loop_orders", "order,time_ms\nijk,-1\n", "`-1` under time_ms",
               "lecture_cpu_loop_orders.csv:2");
}

TEST(Published, LinesMayEndAsOnWindows) {
  const auto parsed = parse_published("lecture_cpu_loop_orders", "order,time_ms\r\nijk,1746\r\n");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message();
  EXPECT_EQ(parsed->series.front().points.front().milliseconds, 1746);
}

}  // namespace
}  // namespace warplens
