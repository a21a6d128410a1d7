#define WARPLENS_CORE kCoreV2
#define WARPLENS_CORE_NAME "x86-64-v2"
#include "kernels/replay/core.inl"
