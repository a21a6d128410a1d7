#include "app/views/gpu_model.h"

#include <fmt/format.h>

namespace warplens::app {

bool is_product(const std::string& kernel) {
  if (kernel == gpu::kCublasId) return true;
  const KernelDescriptor* const descriptor = catalog().find(kernel);
  return descriptor != nullptr && descriptor->workload == nullptr;
}

std::string name_of(const gpu::RunRequest& request) {
  std::string name = request.kernel;
  for (const NamedValue& parameter : request.parameters) name += fmt::format(", {} = {}", parameter.name, parameter.value);
  return name;
}

std::string GpuModel::unusable() const {
  if (!driver) return "Looking for the NVIDIA driver ...";
  if (usable()) return {};
  std::string words = driver->missing;
  if (!words.empty()) words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  return driver->advice.empty() ? words + "." : words + ". " + driver->advice;
}

}  // namespace warplens::app
