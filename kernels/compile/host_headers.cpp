#include "kernels/compile/host_headers.h"

namespace warplens::compile {
namespace {

constexpr const char* kIntegers =
    "#pragma once\n"
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;\n"
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t; typedef "
    "unsigned long long uint64_t;\n"
    "typedef long long intptr_t; typedef unsigned long long uintptr_t;\n"
    "#define INT32_MAX 2147483647\n#define INT32_MIN (-INT32_MAX - 1)\n#define UINT32_MAX 4294967295u\n"
    "#define INT64_MAX 9223372036854775807ll\n#define INT64_MIN (-INT64_MAX - 1)\n#define UINT64_MAX "
    "18446744073709551615ull\n";
constexpr const char* kLimits =
    "#pragma once\n#define CHAR_BIT 8\n#define INT_MAX 2147483647\n#define INT_MIN (-INT_MAX - 1)\n#define "
    "UINT_MAX 4294967295u\n"
    "#define LLONG_MAX 9223372036854775807ll\n#define LLONG_MIN (-LLONG_MAX - 1)\n#define ULLONG_MAX "
    "18446744073709551615ull\n";
constexpr const char* kFloats =
    "#pragma once\n#define FLT_MAX 3.402823466e+38f\n#define FLT_MIN 1.175494351e-38f\n#define FLT_EPSILON "
    "1.192092896e-7f\n"
    "#define DBL_MAX 1.7976931348623157e+308\n#define DBL_MIN 2.2250738585072014e-308\n#define DBL_EPSILON "
    "2.220446049250313e-16\n";
constexpr const char* kMath =
    "#pragma once\n#ifndef INFINITY\n#define INFINITY __int_as_float(0x7f800000)\n#endif\n#ifndef "
    "NAN\n#define NAN "
    "__int_as_float(0x7fffffff)\n#endif\n"
    "#define M_PI 3.14159265358979323846\n#define M_E 2.7182818284590452354\n#define M_SQRT2 "
    "1.41421356237309504880\n"
    "#define M_SQRT1_2 0.70710678118654752440\n#define M_LN2 0.69314718055994530942\n";
/// nvcc includes the host's <math.h>, <stdlib.h> and <limits.h> by itself, so kernels use what they declare
/// without including them. "CUDA C++ Programming Guide", "Programmatic Dependent Launch and Synchronization":
/// nvcc declares both in every source.
constexpr const char* kDeviceRuntime =
    "#pragma once\n#if __CUDA_ARCH__ >= 900\n"
    "__device__ inline void cudaGridDependencySynchronize() { asm volatile(\"griddepcontrol.wait;\" ::: "
    "\"memory\"); }\n"
    "__device__ inline void cudaTriggerProgrammaticLaunchCompletion() { asm "
    "volatile(\"griddepcontrol.launch_dependents;\" :::); }\n"
    "#endif\n";
constexpr const char* kPrelude =
    "#include <math.h>\n#include <limits.h>\n#include <cuda_device_runtime_api.h>\n"
    "namespace std {\n"
    "using ::abs; using ::acos; using ::acosh; using ::asin; using ::asinh; using ::atan; using ::atan2; "
    "using ::atanh; using ::cbrt;\n"
    "using ::ceil; using ::copysign; using ::cos; using ::cosh; using ::erf; using ::erfc; using ::exp; "
    "using ::exp2; using ::expm1;\n"
    "using ::fabs; using ::fdim; using ::floor; using ::fma; using ::fmax; using ::fmin; using ::fmod; using "
    "::frexp; using ::hypot;\n"
    "using ::ilogb; using ::ldexp; using ::lgamma; using ::log; using ::log10; using ::log1p; using ::log2; "
    "using ::logb; using ::lrint;\n"
    "using ::lround; using ::modf; using ::nearbyint; using ::nextafter; using ::pow; using ::remainder; "
    "using ::remquo; using ::rint;\n"
    "using ::round; using ::scalbn; using ::sin; using ::sinh; using ::sqrt; using ::tan; using ::tanh; "
    "using ::tgamma; using ::trunc;\n"
    "using ::isnan; using ::isinf; using ::isfinite; using ::signbit;\n"
    "}\n";
constexpr HostHeader kHostHeaders[] = {{kPreludeName, kPrelude},
                                       {"cstdint", kIntegers},
                                       {"stdint.h", kIntegers},
                                       {"climits", kLimits},
                                       {"limits.h", kLimits},
                                       {"cfloat", kFloats},
                                       {"float.h", kFloats},
                                       {"cmath", kMath},
                                       {"math.h", kMath},
                                       {"algorithm", ""},
                                       {"assert.h", ""},
                                       {"cassert", ""},
                                       {"chrono", ""},
                                       {"cstddef", ""},
                                       {"cstdio", ""},
                                       {"cstdlib", ""},
                                       {"cstring", ""},
                                       {"ctime", ""},
                                       {"cuda.h", ""},
                                       {"cuda_device_runtime_api.h", kDeviceRuntime},
                                       {"cuda_runtime.h", ""},
                                       {"cuda_runtime_api.h", ""},
                                       {"device_launch_parameters.h", ""},
                                       {"fstream", ""},
                                       {"iomanip", ""},
                                       {"iostream", ""},
                                       {"numeric", ""},
                                       {"random", ""},
                                       {"sstream", ""},
                                       {"stddef.h", ""},
                                       {"stdio.h", ""},
                                       {"stdlib.h", ""},
                                       {"string", ""},
                                       {"string.h", ""},
                                       {"sys/time.h", ""},
                                       {"time.h", ""},
                                       {"unistd.h", ""},
                                       {"vector", ""}};

}  // namespace

std::span<const HostHeader> host_headers() {
  return kHostHeaders;
}

}  // namespace warplens::compile
