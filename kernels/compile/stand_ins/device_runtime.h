// <cuda_device_runtime_api.h>: what nvcc declares in every source ("CUDA C++ Programming Guide",
// "Programmatic Dependent Launch and Synchronization").
#pragma once
#if __CUDA_ARCH__ >= 900
__device__ inline void cudaGridDependencySynchronize() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
__device__ inline void cudaTriggerProgrammaticLaunchCompletion() {
  asm volatile("griddepcontrol.launch_dependents;" :::);
}
#endif
