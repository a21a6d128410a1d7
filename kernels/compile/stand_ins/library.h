// The C++ library of the toolkit, read where device code asks namespace std for more than standard.h has.
#pragma once
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
namespace std {
using namespace cuda::std;
}
