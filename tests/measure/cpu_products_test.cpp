#include "app/measure/cpu_products.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "app/measure/cpu_run.h"
#include "app/measure/meter.h"

namespace warplens::measure {
namespace {

std::vector<float> small_integers(std::size_t count, std::uint32_t seed) {
  std::vector<float> values(count);
  for (float& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<int>(seed >> 24) % 7 - 3);
  }
  return values;
}

TEST(CpuProducts, GiveTheSameExactProduct) {
  for (const auto& [m, p, n] : {ProductSize{1, 1, 1},
                                {7, 7, 7},
                                {64, 64, 64},
                                {130, 130, 130},
                                {1, 70, 3},
                                {65, 2, 129},
                                {40, 100, 1}}) {
    const auto a = small_integers(m * p, 1), b = small_integers(p * n, 2);
    for (const CpuProduct product : kCpuProducts) {
      if (what_is_missing_for(product)) continue;
      std::vector<float> c(m * n, -1000);
      multiply(product, a.data(), b.data(), c.data(), {m, p, n});
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          std::int64_t sum = 0;
          for (std::size_t k = 0; k < p; ++k)
            sum += static_cast<std::int64_t>(a[i * p + k]) * static_cast<std::int64_t>(b[k * n + j]);
          ASSERT_EQ(c[i * n + j], static_cast<float>(sum)) << name_of(product) << " at " << i << ", " << j;
        }
      }
    }
  }
}

TEST(CpuProducts, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names, explanations;
  for (const CpuProduct product : kCpuProducts) {
    names.insert(name_of(product));
    explanations.insert(explanation_of(product));
  }
  EXPECT_EQ(names.size(), kCpuProducts.size());
  EXPECT_EQ(explanations.size(), kCpuProducts.size());
  EXPECT_EQ(name_of(CpuProduct::kji), "kji");
  EXPECT_EQ(name_of(CpuProduct::blas_threaded), "blas_threaded");
}

TEST(CpuProducts, SayWhatToInstall) {
  for (const CpuProduct product : {CpuProduct::blas, CpuProduct::blas_threaded}) {
    const std::string missing = what_is_missing_for(product).value_or("");
    EXPECT_TRUE(missing.empty() || missing.find("install the package libopenblas0") != std::string::npos)
        << missing;
  }
  EXPECT_FALSE(what_is_missing_for(CpuProduct::blocked));
}

TEST(CpuRun, TimesAsOftenAsToldAndVerifies) {
  const Result<Problem> problem = make_problem(cpu_descriptor(CpuProduct::jki), 33, 17, 50, {}, "f32");
  ASSERT_TRUE(problem.ok());
  std::vector<std::uint64_t> told;
  const CpuRun exact = run_product(CpuProduct::jki, *problem, 3, [&](const CpuProgress& progress) {
    told.push_back(progress.runs_done);
    EXPECT_EQ(progress.runs_wanted, 3u);
    EXPECT_GT(progress.seconds_each, 0);
  });
  EXPECT_TRUE(exact.verified);
  EXPECT_EQ(exact.milliseconds.size(), 3u);
  EXPECT_EQ(told, (std::vector<std::uint64_t>{0, 0, 1, 2, 3}));

  const CpuRun chosen = run_product(CpuProduct::ikj, *problem, std::nullopt, [](const CpuProgress&) {});
  EXPECT_TRUE(chosen.verified);
  EXPECT_GE(chosen.milliseconds.size(), 20u);
}

TEST(CpuRun, ProductsAreFoundByTheirNames) {
  for (const CpuProduct product : kCpuProducts) EXPECT_EQ(find_cpu_product(name_of(product)), product);
  EXPECT_EQ(find_cpu_product("openblas"), CpuProduct::blas);
  EXPECT_FALSE(find_cpu_product("tiled"));
  EXPECT_FALSE(find_cpu_product(""));
}

TEST(Meter, MeasuresOnlyWhileOnAndDropsSamplesOfAnotherSize) {
  std::mutex mutex;
  std::condition_variable sampled;
  int rounds = 0;
  Meter meter([&] {
    const std::lock_guard lock(mutex);
    ++rounds;
    sampled.notify_all();
  });
  EXPECT_FALSE(meter.on());
  EXPECT_TRUE(meter.samples(CpuProduct::ijk).empty());
  meter.set_size(16);
  meter.switch_on(true);
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(sampled.wait_for(lock, std::chrono::seconds(60), [&] { return rounds > 0; }));
  }
  meter.switch_on(false);
  for (const CpuProduct product : kCpuProducts) {
    const bool chosen = product == CpuProduct::ijk || product == CpuProduct::ikj;
    EXPECT_EQ(meter.chosen(product), chosen) << name_of(product);
    ASSERT_EQ(meter.samples(product).empty(), !chosen) << name_of(product);
    EXPECT_TRUE(!chosen || meter.samples(product).front().gflops > 0) << name_of(product);
  }
  meter.choose(CpuProduct::ijk, false);
  EXPECT_TRUE(meter.samples(CpuProduct::ijk).empty());
  EXPECT_FALSE(meter.samples(CpuProduct::ikj).empty());
  meter.set_size(32);
  EXPECT_TRUE(meter.samples(CpuProduct::ikj).empty());
}

}  // namespace
}  // namespace warplens::measure
