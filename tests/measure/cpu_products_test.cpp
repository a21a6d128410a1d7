#include "app/measure/cpu_products.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "app/measure/meter.h"

namespace warplens::measure {
namespace {

std::vector<float> small_integers(std::size_t n, std::uint32_t seed) {
  std::vector<float> values(n * n);
  for (float& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<int>(seed >> 24) % 7 - 3);
  }
  return values;
}

TEST(CpuProducts, GiveTheSameExactProduct) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{130}}) {
    const auto a = small_integers(n, 1), b = small_integers(n, 2);
    for (const CpuProduct product : kCpuProducts) {
      if (what_is_missing_for(product)) continue;
      std::vector<float> c(n * n, -1000);
      multiply(product, a.data(), b.data(), c.data(), n);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          std::int64_t sum = 0;
          for (std::size_t k = 0; k < n; ++k) sum += static_cast<std::int64_t>(a[i * n + k]) * static_cast<std::int64_t>(b[k * n + j]);
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
    EXPECT_TRUE(missing.empty() || missing.find("install the package libopenblas0") != std::string::npos) << missing;
  }
  EXPECT_FALSE(what_is_missing_for(CpuProduct::blocked));
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
