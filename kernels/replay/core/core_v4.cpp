#define WARPLENS_CORE kCoreV4
#define WARPLENS_CORE_NAME "AVX-512"
#define WARPLENS_WHOLE_CORE false
#include "kernels/replay/core/core.inl"
