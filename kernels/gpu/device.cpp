#include "kernels/gpu/device.h"

#include <array>

#include "kernels/base/texts.h"

namespace warplens::gpu {
namespace {

// Numbers of CUdevice_attribute.
constexpr int kMultiprocessorCount = 16, kL2CacheSize = 38, kComputeCapabilityMajor = 75,
              kComputeCapabilityMinor = 76, kMaxSharedPerBlockOptIn = 97;

int attribute(const DriverApi& api, CuDevice device, int which) {
  int value = 0;
  api.device_attribute(&value, which, device);
  return value;
}

std::string text(CuResult (*ask)(char*, int, CuDevice), CuDevice device) {
  std::array<char, 256> buffer{};
  return ask(buffer.data(), static_cast<int>(buffer.size()) - 1, device) == kCuSuccess ? buffer.data() : "";
}

}  // namespace

Gpu describe(const DriverApi& api, CuDevice device) {
  std::size_t bytes = 0;
  api.device_total_memory(&bytes, device);
  return {
      .name = text(api.device_name, device),
      .cc_major = attribute(api, device, kComputeCapabilityMajor),
      .cc_minor = attribute(api, device, kComputeCapabilityMinor),
      .memory_bytes = bytes,
      .multiprocessors = attribute(api, device, kMultiprocessorCount),
      .l2_bytes = static_cast<std::uint64_t>(attribute(api, device, kL2CacheSize)),
      .shared_bytes_per_block = static_cast<std::uint64_t>(attribute(api, device, kMaxSharedPerBlockOptIn)),
      .pci_bus_id = text(api.device_pci_bus_id, device)};
}

DriverCheck check_driver() {
  DriverCheck check;
  check.version = driver_version();
  const Result<DriverApi>& api = driver_api();
  if (!api.ok()) {
    check.missing = api.error().what;
    check.advice = api.error().hint;
    return check;
  }
  int count = 0;
  api->device_count(&count);
  for (int i = 0; i < count; ++i) {
    CuDevice device = 0;
    if (api->device_get(&device, i) == kCuSuccess) check.gpus.push_back(describe(*api, device));
  }
  if (check.gpus.empty()) {
    check.missing = tr("the driver finds no GPU");
    check.advice = tr("See what nvidia-smi says.");
  }
  return check;
}

}  // namespace warplens::gpu
