#define WARPLENS_CORE kCoreV4
#define WARPLENS_CORE_NAME "AVX-512"
#include "kernels/replay/core.inl"
