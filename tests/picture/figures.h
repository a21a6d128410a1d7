// Figures to draw that no recording holds: of arithmetic, published rates and compiled variants. Made up.
#pragma once

#include <iterator>
#include <optional>
#include <string>

#include "viz/analysis/occupancy.h"
#include "viz/picture/published.h"
#include "viz/picture/roofline.h"

namespace warplens::picture {

inline Arithmetic example(double intensity, double fetched, bool counted = true) {
  Arithmetic arithmetic;
  arithmetic.kernel = "tiled, T = 32";
  arithmetic.size = "256";
  arithmetic.device = "RTX 4070, published figures";
  if (counted) {
    analysis::CountedArithmetic figures;
    figures.flops = 2.0 * 256 * 256 * 256;
    figures.requested_bytes = static_cast<std::uint64_t>(figures.flops / intensity);
    figures.fetched_bytes = static_cast<std::uint64_t>(figures.flops / fetched);
    figures.global_loads = figures.requested_bytes / 4;
    figures.shared_loads = 2 * 256 * 256 * 256;
    figures.shared_stores = figures.global_loads;
    arithmetic.counted = figures;
  } else {
    arithmetic.why_not = "vector_add multiplies no matrices";
    arithmetic.what_to_do = "Record a kernel of the ladder.";
  }
  const char* const names[] = {"naive, T = 32",
                               "naive_uncoalesced, T = 32",
                               "buffered_column",
                               "buffered_row",
                               "tiled_dynamic, T = 32",
                               "tiled_guarded",
                               "tiled_padded, T = 32",
                               "tiled, T = 32",
                               "volkov"};
  const double ratios[] = {0.25, 0.25, 0.498, 0.498, 8, 4, 8, 8, 6.4};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    arithmetic.ladder.push_back({"a_kernel", 32, names[i], "m p ceil(n / T) + n p ceil(m / T)", "f32",
                                 "T / 4", ratios[i], std::nullopt, i == 7 && counted});
  }
  arithmetic.ladder[0].measured = MeasuredRate{6061.1, 0.25, "naive, T = 32 at 1,024 on Test GPU"};
  arithmetic.ladder[7].measured = MeasuredRate{8983.2, 8, "tiled, T = 32 at 1,024 on Test GPU"};
  return arithmetic;
}

inline Compared bars(bool own) {
  Compared compared{.title = "Kernels, H200",
                    .unit = "GFLOP/s",
                    .machine = "H200",
                    .own = "Test GPU, at 1,024",
                    .why_no_own = "Measure the ladder."};
  compared.note =
      "A university lecture on matrix multiplication in CUDA, on a processor that it does not name. The rate "
      "is 2 x multiply-adds / time.";
  for (int i = 0; i < 12; ++i) {
    ComparedRow row{"register_tile, T = 2, 1,021 x 1,020 x 1,022",
                    "register_tile, T = 2",
                    {100.0 * (i + 1), "published"},
                    {}};
    if (own && i % 2 == 0) row.own = {150.0 * (i + 1), "own"};
    compared.rows.push_back(row);
  }
  return compared;
}

inline Compared lines(bool own) {
  Compared compared{
      .title = "Tile of tiled, GTX 770", .unit = "GFLOP/s", .machine = "GTX 770", .own = "Test GPU"};
  compared.note =
      "A journal paper. Times include both transfers: the rate is 2 n^3 / (upload + multiply + download).";
  compared.axis = "tile";
  compared.marks = {1, 2, 4, 8, 16, 32};
  for (int n = 1; n <= 4; ++n) {
    ComparedLine line{.name = "N = " + std::to_string(256 << n), .own = own && n == 4};
    for (const double tile : compared.marks) {
      line.points.push_back({tile, 0.4 * n * tile});
      line.explanations.emplace_back("a point");
    }
    compared.lines.push_back(line);
  }
  return compared;
}

inline analysis::CompiledVariant variant(int t, std::uint32_t registers, std::uint32_t stack,
                                         std::uint64_t local) {
  analysis::CompiledVariant made;
  made.name = "T = " + std::to_string(t);
  made.recorded = t == 16;
  made.needs = {.threads = 256, .registers = registers, .shared_bytes = 0, .blocks = 64};
  made.stack_bytes = stack;
  made.spill_store_bytes = made.spill_load_bytes = stack;
  made.local_loads = made.local_stores = local;
  return made;
}

inline analysis::OccupancySubject subject() {
  return {.kernel = "register_tile",
          .launch = {.threads = 256, .registers = std::nullopt, .shared_bytes = 0, .blocks = 64},
          .compiled = {{.architecture = "sm_90",
                        .cc = {9, 0},
                        .terms = 64,
                        .variants = {variant(1, 32, 0, 0), variant(4, 40, 0, 0), variant(8, 96, 0, 0),
                                     variant(16, 255, 168, 9472), variant(64, 104, 16384, 5000000)}}},
          .why_no_registers = ""};
}

}  // namespace warplens::picture
