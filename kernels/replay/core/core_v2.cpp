#define WARPLENS_CORE kCoreV2
#define WARPLENS_CORE_NAME "x86-64-v2"
#define WARPLENS_WHOLE_CORE true
#include "kernels/replay/core/core.inl"
