#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/measure/cpu_products.h"
#include "cli/run.h"

namespace warplens::app {
namespace {

using nlohmann::ordered_json;

TEST(RunOnTheCpu, EveryProductIsVerifiedAndTimed) {
  for (const measure::CpuProduct product : measure::kCpuProducts) {
    if (measure::what_is_missing_for(product)) continue;
    const std::string name(measure::name_of(product));
    const Output output = run({"run", name, "-m", "33", "-p", "70", "-n", "21", "--reps", "4", "--json"});
    ASSERT_EQ(output.status, kDone) << output.err;
    EXPECT_EQ(output.err, "");
    const ordered_json json = ordered_json::parse(output.out);
    std::vector<std::string> keys;
    for (const auto& [key, value] : json.items()) keys.push_back(key);
    const std::vector<std::string> promised{"kernel",    "device",      "m",        "p",       "n",
                                            "reps",      "median_ms",   "min_ms",   "gflops",  "gbps",
                                            "upload_ms", "download_ms", "total_ms", "verified"};
    ASSERT_GE(keys.size(), promised.size());
    EXPECT_EQ(
        std::vector<std::string>(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(promised.size())),
        promised);
    EXPECT_EQ(json["kernel"], name);
    EXPECT_NE(json["device"], "");
    EXPECT_EQ(json["m"], 33);
    EXPECT_EQ(json["p"], 70);
    EXPECT_EQ(json["n"], 21);
    EXPECT_EQ(json["reps"], 4);
    EXPECT_EQ(json["verified"], true);
    EXPECT_EQ(json["upload_ms"], 0.0);
    EXPECT_GT(json["min_ms"], 0.0);
    EXPECT_LE(json["min_ms"], json["median_ms"]);
    EXPECT_DOUBLE_EQ(json["gflops"].get<double>(), 2 * 33 * 70 * 21 / json["median_ms"].get<double>() * 1e-6);
  }
}

TEST(RunOnTheCpu, PrintsText) {
  const Output output = run({"run", "kij", "--size", "40", "--reps", "2"});
  EXPECT_EQ(output.status, kDone);
  EXPECT_NE(output.out.find("kij on "), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("m = 40, p = 40, n = 40, f32"), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("right in every element"), std::string::npos);
  EXPECT_NE(output.out.find("the median of 2;"), std::string::npos);
}

TEST(RunOnTheCpu, UnsupportedRequestsAreRefused) {
  const auto refuses = [](const std::vector<std::string>& arguments, int status, const std::string& wanted) {
    const Output output = run(arguments);
    EXPECT_EQ(output.status, status) << output.err;
    EXPECT_EQ(output.out, "");
    EXPECT_NE(output.err.find(wanted), std::string::npos) << output.err;
  };
  refuses({"run", "ijk", "--reps", "0"}, kMisused, "0 runs measure nothing");
  refuses({"run", "ijk", "--set", "T=16"}, kMisused, "T");
  refuses({"run", "ijk", "--type", "f64"}, kMisused, "ijk has no form for values of type f64");
  refuses({"run", "ijk", "-p", "2000000"}, kMisused, "p = 2000000 is too large");
  refuses({"run", "ijk", "--size", "0"}, kMisused, "at least 1");
  refuses({"run", "ijk", "--cublas"}, kMisused, "--cublas");
  refuses({"run", "jkl"}, kMisused, "there is no kernel `jkl`");
}

}  // namespace
}  // namespace warplens::app
