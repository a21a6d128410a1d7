// Every arithmetic instruction form on 1024 operands: the replay's results are the H200's, bit for bit; the
// approximate functions' are within the error that the PTX ISA states, counted from the exact value.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "h200/measured.h"
#include "kernels/arithmetic/half.h"
#include "kernels/ptx/parser.h"
#include "kernels/replay/replay.h"

namespace warplens {
namespace {

constexpr std::size_t kCount = 1024;
constexpr std::size_t kBytes = kCount * 8;

std::string run_form(const ptx::Module& module, const std::string& entry,
                     const std::vector<std::string>& inputs, std::vector<std::byte>& out) {
  auto program = replay::Program::decode(module, entry);
  if (!program) return program.error().message();
  replay::Memory memory;
  replay::Launch launch{.grid = {4}, .block = {256}, .dynamic_shared_bytes = 0, .arguments = {}};
  for (const std::string& input : inputs) {
    launch.arguments.emplace_back(
        replay::BufferArgument{memory.add({.name = "in"}, h200::bytes_of(input, 0, kBytes))});
  }
  const std::uint32_t result = memory.add({.name = "out"}, std::vector<std::byte>(kBytes));
  launch.arguments.emplace_back(replay::BufferArgument{result});
  auto recording = replay::run(*program, launch, memory, {.threads = 1});
  if (!recording) return recording.error().message();
  out = memory.contents(result);
  return {};
}

struct Form {
  std::string name, result, wide;
  std::size_t offset;
};

class H200Arithmetic : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto& row : h200::rows_of(h200::read_text("arithmetic.csv"), ','))
      forms_.push_back({row[0], row[1], row[2], forms_.size() * kBytes});
    for (const std::string wide : {"32", "64"}) {
      for (const std::string operand : {"a", "b", "c"})
        inputs_[wide].push_back(h200::read_compressed(operand + wide + ".bin.zst"));
    }
    expected_ = h200::read_compressed("arithmetic.bin.zst");
  }

  std::vector<Form> forms_;
  std::map<std::string, std::vector<std::string>> inputs_;
  std::string expected_;
};

TEST_F(H200Arithmetic, ExactFormsEqualTheHardware) {
  auto module = ptx::parse(h200::read_compressed("arithmetic.ptx.zst"), "arithmetic.ptx");
  ASSERT_TRUE(module) << module.error().message();
  const std::map<std::string, std::size_t> sizes{{"b16", 2}, {"b64", 8}, {"f64", 8}};
  for (const Form& form : forms_) {
    if (form.name.starts_with("ap_")) continue;
    std::vector<std::byte> out;
    const std::string error = run_form(*module, form.name, inputs_.at(form.wide), out);
    // Video instructions that no compiler emits were measured as well.
    if (form.name.starts_with("op_v") && error.find("does not run this form") != std::string::npos) continue;
    ASSERT_TRUE(error.empty()) << form.name << ": " << error;
    const std::size_t size = sizes.contains(form.result) ? sizes.at(form.result) : 4;
    int differing = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      std::uint64_t got = 0, want = 0, operand[3] = {};
      std::memcpy(&got, &out[i * 8], size);
      std::memcpy(&want, &expected_[form.offset + i * 8], size);
      for (std::size_t o = 0; o < 3; ++o) std::memcpy(&operand[o], &inputs_.at(form.wide)[o][i * 8], 8);
      if (got != want && ++differing <= 3) {
        ADD_FAILURE() << form.name << "[" << i << "] of " << std::hex << operand[0] << ", " << operand[1]
                      << ", " << operand[2] << ": " << got << ", the H200 gives " << want;
      }
    }
    if (differing > 3) ADD_FAILURE() << form.name << ": " << differing << " of " << kCount << " differ";
  }
}

/// Largest error that the PTX ISA states for a form: in units in the last place of the result, or absolute
/// (ex2, lg2, sin, cos near zero).
struct Bound {
  double ulp, absolute;
};
Bound bound_of(const std::string& name) {
  if (name == "ap_tanh_approx_f16") return {0, std::exp2(-10.987)};
  if (name == "ap_tanh_approx_bf16") return {0, std::ldexp(1.0, -8)};
  if (name.find("ex2") != std::string::npos) return {2, 0};
  if (name.find("lg2") != std::string::npos) return {2, std::ldexp(1.0, -22)};
  if (name.find("rsqrt_approx_f64") != std::string::npos ||
      name.find("rcp_approx_ftz_f64") != std::string::npos)
    return {std::ldexp(1.0, 33), 0};
  if (name.find("sin") != std::string::npos || name.find("cos") != std::string::npos)
    return {0, std::exp2(-20.5)};
  if (name.find("tanh") != std::string::npos) return {std::ldexp(1.0, 13), 0};
  if (name.find("rsqrt") != std::string::npos) return {2, 0};
  return {2, 0};  // rcp: 1, sqrt: max relative 2^-23, div: 2
}

double half_in(const char* bytes, bool is_bfloat) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes, sizeof bits);
  return is_bfloat ? arithmetic::Bfloat16::widen(bits) : arithmetic::Float16::widen(bits);
}

TEST_F(H200Arithmetic, ApproximateFormsAreWithinTheStatedError) {
  auto module = ptx::parse(h200::read_compressed("approximate.ptx.zst"), "approximate.ptx");
  ASSERT_TRUE(module) << module.error().message();
  for (const Form& form : forms_) {
    if (!form.name.starts_with("ap_")) continue;
    std::vector<std::byte> out;
    const std::string error = run_form(*module, form.name, inputs_.at(form.wide), out);
    ASSERT_TRUE(error.empty()) << form.name << ": " << error;
    const Bound bound = bound_of(form.name);
    const bool is_double = form.result == "f64", is_bfloat = form.result == "bf16",
               is_half = is_bfloat || form.result == "f16";
    const bool is_trigonometric =
        form.name.find("sin") != std::string::npos || form.name.find("cos") != std::string::npos;
    int differing = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      double got = 0, want = 0, operand = 0;
      float single[3] = {};
      if (is_double) {
        std::memcpy(&got, &out[i * 8], 8);
        std::memcpy(&want, &expected_[form.offset + i * 8], 8);
      } else if (is_half) {
        got = half_in(reinterpret_cast<const char*>(&out[i * 8]), is_bfloat);
        want = half_in(&expected_[form.offset + i * 8], is_bfloat);
      } else {
        std::memcpy(&single[0], &out[i * 8], 4);
        std::memcpy(&single[1], &expected_[form.offset + i * 8], 4);
        std::memcpy(&single[2], &inputs_.at(form.wide)[0][i * 8], 4);
        got = single[0], want = single[1], operand = single[2];
      }
      if (is_trigonometric && std::fabs(operand) > 3.14159)
        continue;  // The error is stated for -pi..pi only.
      const int digits = is_double ? 52 : is_bfloat ? 7 : is_half ? 10 : 23;
      const int least_exponent = is_double ? -1022 : form.result == "f16" ? -14 : -126;
      const double ulp = std::ldexp(1.0, std::max(std::ilogb(want), least_exponent) - digits);
      const bool same = (std::isnan(got) && std::isnan(want)) || got == want ||
                        // Both are allowed the stated error, so they may be twice as far apart.
                        std::fabs(got - want) <= std::max(2 * bound.absolute, 2 * bound.ulp * ulp);
      if (!same && ++differing <= 3)
        ADD_FAILURE() << form.name << "[" << i << "]: " << got << ", the H200 gives " << want;
    }
    if (differing > 3) ADD_FAILURE() << form.name << ": " << differing << " of " << kCount << " differ";
  }
}

}  // namespace
}  // namespace warplens
