// helper_cuda.h, helper_functions.h and their like: what kernels' files use of them
#pragma once
#include <float.h>
#define checkCudaErrors(value) ((void)(value))
#define getLastCudaError(text)
#define printLastCudaError(text)
#define cutilSafeCall(value) ((void)(value))
#define CUDA_SAFE_CALL(value) ((void)(value))
#define CUDA_CHECK_ERROR(text)
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
__host__ __device__ inline int ftoi(float value) {
  return static_cast<int>(value + (value >= 0 ? 0.5f : -0.5f));
}
