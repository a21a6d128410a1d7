// What differs between compilers, for the interpreter's cores.
#pragma once

/// Inlined whatever the optimiser thinks of it.
#define WARPLENS_INLINE [[gnu::always_inline]] inline
/// Never inlined: one copy for all callers.
#define WARPLENS_SHARED [[gnu::noinline]]
#define WARPLENS_LAMBDA __attribute__((always_inline))

/// A loop over the lanes of a warp, `l`, whose iterations do not depend on each other (results may overwrite
/// their own lane's sources).
#ifdef __clang__
#define WARPLENS_LANES _Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < kWarpSize; ++l)
#else
#define WARPLENS_LANES _Pragma("GCC ivdep") for (int l = 0; l < kWarpSize; ++l)
#endif
