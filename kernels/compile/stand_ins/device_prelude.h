// Read before the device code of a source whose host code does not compile: what is the host's alone is read
// as the device's, and left out where that does not work.
#pragma once
#undef __host__
#define __host__
#include <float.h>
#include <stdint.h>
#include <warplens/prelude.h>
#define register  // Which C++17 took away
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef long ssize_t;

// Shuffles and votes without a mask, which CUDA 9 deprecated and CUDA 13 has for no architecture: of the
// lanes that are active. A warning, by which the opened file is told so, names each use.
#define WARPLENS_OF_ACTIVE_LANES [[deprecated("warplens: active lanes")]]
template <class T>
WARPLENS_OF_ACTIVE_LANES __device__ inline T __shfl(T value, int lane, int width = 32) {
  return __shfl_sync(__activemask(), value, lane, width);
}
template <class T>
WARPLENS_OF_ACTIVE_LANES __device__ inline T __shfl_up(T value, unsigned lanes, int width = 32) {
  return __shfl_up_sync(__activemask(), value, lanes, width);
}
template <class T>
WARPLENS_OF_ACTIVE_LANES __device__ inline T __shfl_down(T value, unsigned lanes, int width = 32) {
  return __shfl_down_sync(__activemask(), value, lanes, width);
}
template <class T>
WARPLENS_OF_ACTIVE_LANES __device__ inline T __shfl_xor(T value, int lanes, int width = 32) {
  return __shfl_xor_sync(__activemask(), value, lanes, width);
}
WARPLENS_OF_ACTIVE_LANES __device__ inline unsigned __ballot(int predicate) {
  return __ballot_sync(__activemask(), predicate);
}
WARPLENS_OF_ACTIVE_LANES __device__ inline int __any(int predicate) {
  return __any_sync(__activemask(), predicate);
}
WARPLENS_OF_ACTIVE_LANES __device__ inline int __all(int predicate) {
  return __all_sync(__activemask(), predicate);
}
#undef WARPLENS_OF_ACTIVE_LANES
