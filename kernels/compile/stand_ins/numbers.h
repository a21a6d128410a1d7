// Of the libraries that the host calls: the types of numbers that they bring along
#pragma once
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
