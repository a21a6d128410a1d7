#include <cstdlib>
#include <string_view>

#include "kernels/replay/core/core.h"

namespace warplens::replay {

const Core& best_core() {
  const char* lowered = std::getenv("WARPLENS_SIMD");
  const std::string_view limit = lowered != nullptr ? lowered : "v4";
  const bool v3 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512cd");
  if (v4 && limit == "v4") return kCoreV4;
  if (v3 && limit != "v2") return kCoreV3;
  return kCoreV2;
}

}  // namespace warplens::replay
