#define WARPLENS_CORE kCoreV3
#define WARPLENS_CORE_NAME "AVX2"
#include "kernels/replay/core.inl"
