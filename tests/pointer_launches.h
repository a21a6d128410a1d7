// Launches of the kernels of tests/data/cu/pointers.cu: arguments that hold addresses.
#pragma once

#include <string>
#include <vector>

#include "app/launch/launch.h"

namespace warplens::app {

struct PointerLaunch {
  std::string entry;
  Dim3 grid, block;
  std::vector<std::string> arguments;  ///< As --arg takes them; parameters are called as in the PTX
  std::vector<std::string> variables;  ///< NAME=SPEC
};

inline std::vector<PointerLaunch> pointer_launches() {
  return {
      {"neighbours",
       {4},
       {256},
       {"param_0=buf:f32:1001:ints", "param_1=&param_0[1]", "param_2=buf:f32:1000", "param_3=i32:1000"},
       {}},
      {"in_place", {2}, {64}, {"param_0=&param_1", "param_1=buf:f32:128:iota"}, {}},
      {"batched", {5}, {48}, {"param_0=f32*[5][48,64]:ints", "param_1=f32*[5][48]"}, {}},
      {"fill",
       {4},
       {64},
       {"param_0=bytes:00000000000000006400000000000000@0=&pool[100]", "param_1=&pool",
        "pool=buf:f32:300:iota"},
       {}},
      {"weighted",
       {2},
       {64},
       {"param_0=bytes:0000000000000000640000000000000000000000000000000000000000000000@0=&x@16=&x[100]",
        "param_1=buf:f32:128", "x=buf:f32:104:ints"},
       {}},
      {"weighted",
       {2},
       {64},
       {"param_0=bytes:0000000000000000640000000000000000000000000000000000000000000000@0=&x@16=&x[100]@24=&"
        "w[2]",
        "param_1=buf:f32:128", "x=buf:f32:104:ints", "w=buf:f32:3:iota"},
       {}},
      {"transposed",
       {4},
       {64},
       {"param_0=bytes:10000000100000000000000000000000" + std::string(16, '0') + "@8=&in@16=&out",
        "in=f32[16][16]:iota", "out=f32[16][16]"},
       {}},
      {"by_module",
       {1},
       {96},
       {"param_0=f32:2", "X=buf:f32:32:ints", "Y=buf:f32:64:iota", "Z=buf:f32:96"},
       {"target=&Z", "tables=ptr[3]:&X,null,&Y[32]"}},
      {"by_table",
       {1},
       {32},
       {"param_0=ptr[8]:&rows[i*4]", "param_1=buf:f32:32", "param_2=i32:8", "rows=buf:f32:32:iota"},
       {}},
  };
}

/// Of PTX, named `file`.
inline LaunchRequest request_of(const PointerLaunch& launch, const std::string& ptx,
                                const std::filesystem::path& file) {
  LaunchRequest request;
  request.origin =
      FileKernel{.file = file, .entry = launch.entry, .text = ptx, .sources = {}, .source_folders = {}};
  request.shape = {.grid = launch.grid, .block = launch.block};
  for (const std::string& text : launch.arguments) request.arguments.push_back(*parse_named_argument(text));
  for (const std::string& text : launch.variables) request.variables.push_back(*parse_named_argument(text));
  return request;
}

}  // namespace warplens::app
