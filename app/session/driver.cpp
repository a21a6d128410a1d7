#include "app/session/driver.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <array>

namespace warplens::app {
namespace {

// As far as needed of the CUDA driver API ("CUDA Driver API", NVIDIA); the values are part of its binary interface.
using CuResult = int;
using CuDevice = int;
constexpr CuResult kSuccess = 0, kNoDevice = 100;
constexpr int kMultiprocessorCount = 16, kComputeCapabilityMajor = 75, kComputeCapabilityMinor = 76;

struct Driver {
  CuResult (*init)(unsigned) = nullptr;
  CuResult (*driver_version)(int*) = nullptr;
  CuResult (*device_count)(int*) = nullptr;
  CuResult (*device_get)(CuDevice*, int) = nullptr;
  CuResult (*device_name)(char*, int, CuDevice) = nullptr;
  CuResult (*device_memory)(std::size_t*, CuDevice) = nullptr;
  CuResult (*device_attribute)(int*, int, CuDevice) = nullptr;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool find_all(void* library, Driver& driver) {
  return find(library, "cuInit", driver.init) && find(library, "cuDriverGetVersion", driver.driver_version) &&
         find(library, "cuDeviceGetCount", driver.device_count) && find(library, "cuDeviceGet", driver.device_get) &&
         find(library, "cuDeviceGetName", driver.device_name) && find(library, "cuDeviceTotalMem_v2", driver.device_memory) &&
         find(library, "cuDeviceGetAttribute", driver.device_attribute);
}

Gpu describe(const Driver& driver, CuDevice device) {
  Gpu gpu;
  std::array<char, 256> name{};
  std::size_t bytes = 0;
  if (driver.device_name(name.data(), static_cast<int>(name.size()) - 1, device) == kSuccess) gpu.name = name.data();
  if (driver.device_memory(&bytes, device) == kSuccess) gpu.memory_bytes = bytes;
  driver.device_attribute(&gpu.cc_major, kComputeCapabilityMajor, device);
  driver.device_attribute(&gpu.cc_minor, kComputeCapabilityMinor, device);
  driver.device_attribute(&gpu.multiprocessors, kMultiprocessorCount, device);
  return gpu;
}

void ask(const Driver& driver, DriverCheck& check) {
  int version = 0;
  if (driver.driver_version(&version) == kSuccess) check.version = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  if (const CuResult result = driver.init(0); result != kSuccess) {
    check.missing = result == kNoDevice ? std::string("the driver finds no GPU") : fmt::format("the driver does not start (CUDA error {})", result);
    check.advice = "See what nvidia-smi says; in a container, start it with access to the GPU.";
    return;
  }
  int count = 0;
  driver.device_count(&count);
  for (int i = 0; i < count; ++i) {
    CuDevice device = 0;
    if (driver.device_get(&device, i) == kSuccess) check.gpus.push_back(describe(driver, device));
  }
  if (check.gpus.empty()) {
    check.missing = "the driver finds no GPU";
    check.advice = "See what nvidia-smi says.";
  }
}

}  // namespace

DriverCheck check_driver() {
  DriverCheck check;
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // Never closed: a started driver has threads of its own
  Driver driver;
  if (library == nullptr) {
    check.missing = "there is no NVIDIA driver (libcuda.so.1)";
    check.advice = "Install the driver of your GPU; without one, kernels are replayed on the CPU.";
  } else if (!find_all(library, driver)) {
    check.missing = "the NVIDIA driver is too old";
    check.advice = "Update it.";
  } else {
    ask(driver, check);
  }
  return check;
}

}  // namespace warplens::app
