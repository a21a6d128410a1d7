#define WARPLENS_CORE kCoreV3
#define WARPLENS_CORE_NAME "AVX2"
#define WARPLENS_WHOLE_CORE false
#include "kernels/replay/core/core.inl"
