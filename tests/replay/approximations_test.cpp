// Approximate functions of f32 are worked out for 32 lanes at once: bit by bit what double arithmetic and the
// library give, rounded once.
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

struct Approximate {
  const char* name;
  double (*of)(double);
};
const Approximate kFunctions[] = {{"ex2", [](double x) { return std::exp2(x); }},
                                  {"lg2", [](double x) { return std::log2(x); }},
                                  {"sin", [](double x) { return std::sin(x); }},
                                  {"cos", [](double x) { return std::cos(x); }},
                                  {"rcp", [](double x) { return 1 / x; }},
                                  {"sqrt", [](double x) { return std::sqrt(x); }},
                                  {"rsqrt", [](double x) { return 1 / std::sqrt(x); }}};

float flushed(float v) {
  return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
}
std::uint32_t canonical(float v) {
  return std::isnan(v) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(v);
}

/// Of all sizes, of usual ones, and what is odd.
std::vector<float> arguments() {
  std::mt19937 random(5);
  std::vector<float> all;
  for (int k = 0; k < 1 << 14; ++k) all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  std::uniform_real_distribution<float> usual(-140, 140), near(0.5f, 2);
  for (int k = 0; k < 1 << 14; ++k) all.push_back(usual(random));
  for (int k = 0; k < 1 << 14; ++k) all.push_back(near(random));
  constexpr float kMax = std::numeric_limits<float>::max(), kMin = std::numeric_limits<float>::denorm_min();
  for (const float odd : {0.0f, 1.0f, 2.0f, 126.0f, 127.0f, 128.0f, 149.0f, 150.0f, 0x1p-126f, kMin, 1e-40f,
                          kMax, 65536.0f, 1.57079637f, 3.14159274f, 0x1.fffffep-1f, 0x1.000002p+0f,
                          std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    all.insert(all.end(), {odd, -odd});
  }
  all.resize((all.size() + 127) / 128 * 128, 0.75f);
  return all;
}

TEST(Approximations, AreRoundedFromDoubles) {
  const std::vector<float> x = arguments();
  for (const auto& [name, of] : kFunctions) {
    for (const bool flushes : {false, true}) {
      // Every fifth lane is off.
      const std::string form = std::string(name) + (flushes ? ".approx.ftz.f32" : ".approx.f32");
      Trial run(kernel_of("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r1, 128, %r2; "
                          "mul.wide.u32 %rd2, %r1, 4;"
                          "add.s64 %rd3, %rd0, %rd2; add.s64 %rd4, %rd1, %rd2; ld.global.f32 %f1, [%rd3]; "
                          "mov.f32 %f2, 0f40E00000;"
                          "rem.u32 %r3, %r2, 5; setp.ne.u32 %p1, %r3, 0; @%p1 " +
                              form + " %f2, %f1; st.global.f32 [%rd4], %f2; " + form +
                              " %f1, %f1; st.global.f32 [%rd4+" + std::to_string(4 * x.size()) + "], %f1;",
                          2),
                "k", {static_cast<std::uint32_t>(x.size() / 128)}, {128});
      run.buffer(x).buffer(std::vector<float>(2 * x.size())).record();
      const auto results = run.contents<std::uint32_t>(1);
      for (std::size_t k = 0; k < x.size(); ++k) {
        const auto rounded = static_cast<float>(of(flushes ? flushed(x[k]) : x[k]));
        const std::uint32_t expected = canonical(flushes ? flushed(rounded) : rounded);
        ASSERT_EQ(results[k], k % 128 % 5 == 0 ? 0x40e00000u : expected) << form << " of " << x[k];
        ASSERT_EQ(results[x.size() + k], expected) << form << " of " << x[k];
      }
    }
  }
}

TEST(Approximations, QuotientsAreZeroBeyond2To126) {
  const std::vector<float> x = arguments();
  for (const bool full : {false, true}) {
    const std::string form = full ? "div.full.f32" : "div.approx.f32";
    Trial run(kernel_of("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r1, 128, %r2; "
                        "mul.wide.u32 %rd2, %r1, 4;"
                        "add.s64 %rd3, %rd0, %rd2; add.s64 %rd4, %rd1, %rd2; ld.global.f32 %f1, [%rd3]; " +
                            form + " %f2, 0f40E00000, %f1; st.global.f32 [%rd4], %f2;",
                        2),
              "k", {static_cast<std::uint32_t>(x.size() / 128)}, {128});
    run.buffer(x).buffer(std::vector<float>(x.size())).record();
    const auto results = run.contents<std::uint32_t>(1);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const bool vanishes = !full && std::isfinite(x[k]) && std::fabs(x[k]) > 0x1p126f;
      ASSERT_EQ(results[k], canonical(vanishes ? 7 * std::copysign(0.0f, x[k]) : 7 / x[k]))
          << form << " by " << x[k];
    }
  }
}

}  // namespace
}  // namespace warplens
