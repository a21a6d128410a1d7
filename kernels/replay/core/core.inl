// The interpreter's core. Included by core_v2.cpp, core_v3.cpp and core_v4.cpp, each compiled for its
// instruction set with WARPLENS_CORE naming the object that it defines and WARPLENS_WHOLE_CORE whether it has
// the rare handlers too (select.inl); everything else has internal linkage, so that nothing compiled here is
// taken for code that must run everywhere. For the same reason nothing of the standard library but plain
// types is used.

#if defined(__FMA__) && defined(__AVX2__)
#include <immintrin.h>
#endif

#include "kernels/replay/core/core.h"
#include "kernels/replay/core/lane_functions.h"
#include "kernels/replay/core/portable.h"
#include "kernels/replay/core/video.h"
#include "kernels/tensor/fragment_access.h"
#include "kernels/tensor/mma_plan.h"

namespace warplens::replay {
namespace {

constexpr bool kWholeCore = WARPLENS_WHOLE_CORE;

// In the order of use.
// clang-format off
#include "kernels/replay/core/lanes.inl"
#include "kernels/replay/core/integer.inl"
#include "kernels/replay/core/floating.inl"
#include "kernels/replay/core/approximations.inl"
#include "kernels/replay/core/shared_shadow.inl"
#include "kernels/replay/core/access_patterns.inl"
#include "kernels/replay/core/memory.inl"
#include "kernels/replay/core/slow_memory.inl"
#include "kernels/replay/core/copies.inl"
#include "kernels/replay/core/fragments.inl"
#include "kernels/replay/core/sums.inl"
#include "kernels/replay/core/warp_ops.inl"
#include "kernels/replay/core/matrices.inl"
#include "kernels/replay/core/control.inl"
#include "kernels/replay/core/convert.inl"
#include "kernels/replay/core/select_arithmetic.inl"
#include "kernels/replay/core/select_comparisons.inl"
#include "kernels/replay/core/select_conversions.inl"
#include "kernels/replay/core/select_memory.inl"
#include "kernels/replay/core/select.inl"
// clang-format on

}  // namespace

extern const Core WARPLENS_CORE;
const Core WARPLENS_CORE{.name = WARPLENS_CORE_NAME,
                         .select = &select,
                         .by_lane = &by_lane,
                         .test_by_lane = &test_by_lane,
                         .compare_by_lane = &compare_by_lane,
                         .compare_pairs_by_lane = &compare_pairs_by_lane,
                         .set_by_lane = &set_by_lane,
                         .video = &video,
                         .join = &join,
                         .guard = &guard,
                         .begin_loads = &select_begin_loads,
                         .add_up = &select_add_up,
                         .unsupported = &unsupported,
                         .call = &call,
                         .after_call = &after_call,
                         .return_from_call = &return_from_call,
                         .load_call_param = &load_call_param,
                         .store_call_param = &store_call_param,
                         .multiply_in_warpgroup = &multiply_in_warpgroup,
                         .multiply_matrices = &multiply_matrices,
                         .run = &run,
                         .conflicts = &conflicts,
                         .merge_shadow = &merge_shadow};

}  // namespace warplens::replay
