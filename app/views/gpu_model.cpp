#include "app/views/gpu_model.h"

#include "kernels/base/texts.h"

namespace warplens::app {

bool is_product(const std::string& kernel) {
  if (kernel == gpu::kCublasId) return true;
  const KernelDescriptor* const descriptor = catalog().find(kernel);
  return descriptor != nullptr && descriptor->workload == nullptr;
}

std::string name_of(const gpu::RunRequest& request) {
  std::string name = request.kernel;
  for (const NamedValue& parameter : request.parameters)
    name += fmt::format(", {} = {}", parameter.name, parameter.value);
  return name;
}

std::string GpuModel::unusable() const {
  if (!driver) return tr("Looking for the NVIDIA driver ...");
  if (usable()) return {};
  std::string reason = tr(driver->missing.c_str());  // The worker introduces itself in English
  if (!reason.empty() && reason.front() >= 'a' && reason.front() <= 'z')
    reason.front() = static_cast<char>(reason.front() - 'a' + 'A');
  if (driver->advice.empty()) return tr("{reason}.", "reason"_a = reason);
  return tr("{reason}. {advice}", "reason"_a = reason, "advice"_a = tr(driver->advice.c_str()));
}

}  // namespace warplens::app
