// cuda.h and cudaTypedefs.h: what kernels use of the driver's interface, as parameters.
#ifndef WARPLENS_DRIVER
#define WARPLENS_DRIVER
typedef struct CUtensorMap_st {
  alignas(128) unsigned long long opaque[16];
} CUtensorMap;
#endif
