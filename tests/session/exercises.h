// Exercises of the courses' kind, in tests/data/exercises, and what one gets wrong in each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace warplens::app {

struct Exercise {
  const char* name;    ///< Of its file, without .cu
  const char* kernel;  ///< Plain name
  const char* right;   ///< The end of a line of the kernel's ..
  const char* wrong;   ///< .. and what a mistake makes of it
};

inline constexpr Exercise kExercises[] = {
    {"vector_add", "add", "if (i < n) c[i] = a[i] + b[i];", "if (i < n - 1) c[i] = a[i] + b[i];"},
    {"transpose", "transpose", "out[y * rows + x] = tile[threadIdx.x][j];",
     "out[y * rows + x] = tile[j][threadIdx.x];"},
    {"reduction", "sum", "if (t < s) part[t] += part[t + s];", "if (t <= s) part[t] += part[t + s];"},
    {"scan", "scan", "temp[from * n + t - offset];", "temp[from * n + t - 1];"},
    {"histogram", "count", "atomicAdd(&mine[text[i]], 1u);", "++mine[text[i]];"},
    {"stencil", "smooth", "in[i - RADIUS] : 0;", "in[i] : 0;"},
    {"sort", "sort", "bool up = (low & size) == 0;", "bool up = (low & stride) == 0;"},
    {"softmax", "softmax", "most = most_of_warp(most);", ";"},
    {"matmul", "matmul<16>", "sum += a[y][i] * b[i][x];", "sum += a[i][y] * b[i][x];"},
    {"particles", "fall", "if (i < n) move(particles[i], step);", "if (i < n) particles[i].x += step.dt;"},
};

inline std::filesystem::path file_of(const Exercise& exercise) {
  return std::filesystem::path(WARPLENS_TEST_DATA) / "exercises" / (std::string(exercise.name) + ".cu");
}
inline std::string text_of(const Exercise& exercise) {
  std::ifstream file(file_of(exercise));
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace warplens::app
