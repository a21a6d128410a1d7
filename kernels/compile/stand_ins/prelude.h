// Read before every source: nvcc includes these headers of the host by itself, so kernels use what they
// declare without including them.
#pragma once
#include <cuda_device_runtime_api.h>
#include <limits.h>
#include <math.h>
#include <time.h>
#include <warplens/standard.h>
