// Small programs of machine code, and launches of one warp.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/sass/symbolic_execution.h"

namespace warplens::sass {

struct Executed {
  Listing listing;
  Result<SymbolicExecution> execution;
};

inline Launch one_warp(std::vector<std::uint32_t> parameters = {}) {
  Launch launch{.grid = {1, 1, 1},
                .block = {32, 1, 1},
                .parameters = std::vector<std::byte>(4 * parameters.size()),
                .blocks = {},
                .threads = 1};
  if (!parameters.empty()) std::memcpy(launch.parameters.data(), parameters.data(), launch.parameters.size());
  return launch;
}

/// Instructions, one a line, and labels.
inline Executed execution(const std::string& body, const Launch& launch,
                          const std::string& architecture = "sm_86") {
  std::string text = "\t.target\t" + architecture + "\n_Z1k:\n//## File \"k.cu\", line 1\n";
  std::uint32_t address = 0;
  for (std::size_t begin = 0; begin < body.size();) {
    const std::size_t end = std::min(body.find('\n', begin), body.size());
    const std::string line = body.substr(begin, end - begin);
    char number[16];
    std::snprintf(number, sizeof number, "/*%04x*/ ", address);
    text += line.ends_with(':') ? line + "\n" : number + line + " ;\n";
    address += line.ends_with(':') ? 0 : 16;
    begin = end + 1;
  }
  const Result<Listing> listing = parse_listing(text, "k.sass");
  EXPECT_TRUE(listing.ok()) << listing.error().message();
  if (!listing.ok()) return {Listing{}, listing.error()};
  return {*listing, execute_symbolically(*listing, listing->functions.front(), launch)};
}

inline Executed hopper(const std::string& body, const Launch& launch = one_warp()) {
  return execution(body, launch, "sm_90a");
}

/// The one pattern of the first memory instruction.
struct Seen {
  PatternCount pattern;
  Shape shape{};
};
inline Seen only_pattern(const SymbolicExecution& result, std::size_t site = 0) {
  EXPECT_EQ(result.totals.at(site).patterns.size(), 1u);
  const PatternCount pattern = result.totals.at(site).patterns.front();
  return {pattern, result.shapes.at(pattern.shape)};
}

/// A launch with memory: words from address 0x1000 on, which the launch's parameters name.
struct WithMemory {
  explicit WithMemory(std::vector<std::uint32_t> contents)
      : words(std::move(contents)), launch(one_warp({0x1000, 0})) {
    launch.memory = {{{.base = 0x1000, .bytes = std::as_writable_bytes(std::span(words))}}};
  }
  std::vector<std::uint32_t> words;
  Launch launch;
};
inline std::vector<std::uint32_t> counted(std::uint32_t n, std::uint32_t times = 1) {
  std::vector<std::uint32_t> words(n);
  for (std::uint32_t i = 0; i < n; ++i) words[i] = times * i;
  return words;
}
inline constexpr const char* kOwnWord =
    "S2R R0, SR_TID.X\n"
    "IMAD.WIDE R2, R0, 0x4, c[0x0][0x160]\n"
    "LDG.E R4, [R2.64]\n";

// Lanes may return from the middle; what the others do after that is done, too.
inline const std::string kReturnsEarly =
    "MOV R8, 0x60\n"
    "MOV R5, 0x7\n"
    "CALL.REL.NOINC `($put)\n"
    "EXIT\n"
    "$put:\n"
    "ISETP.GE.AND P0, PT, R0, 0x14, PT\n"
    "@P0 RET.REL.NODEC R8 `(_Z1k)\n"
    "STG.E [R2.64], R5\n"
    "RET.REL.NODEC R8 `(_Z1k)\n";

}  // namespace warplens::sass
