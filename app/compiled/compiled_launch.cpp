#include "app/compiled/compiled_launch.h"

#include <cstring>
#include <optional>
#include <variant>

#include "kernels/base/texts.h"
#include "kernels/sass/symbolic_execution.h"

namespace warplens::app {

Result<const KernelDescriptor*> kernel_with_listing(const Recording& recording) {
  const KernelDescriptor* const kernel = ladder_kernel_of(recording);
  if (kernel == nullptr) return Error{tr("only the kernels of the ladder have listings"), "", ""};
  if (recording.ptx != ladder_ptx(kernel->source_file))
    return Error{tr("the recording is of another version of the kernel"), "", ""};
  return kernel;
}

Result<Problem> problem_of(const KernelDescriptor& kernel, const Recording& recording,
                           const std::vector<NamedValue>& parameters, std::uint64_t p) {
  const auto extent = [&](char name, std::uint64_t value) {
    return kernel.has_extent(name) ? std::optional(value) : std::nullopt;
  };
  return make_problem(kernel, extent('m', recording.m), extent('p', p), extent('n', recording.n), parameters,
                      recording.value_type);
}

std::vector<std::byte> parameter_bytes(const Workload& workload, const std::string& architecture,
                                       const std::function<std::uint64_t(std::uint32_t buffer)>& base_of) {
  const std::size_t first = sass::parameters_offset(architecture);
  std::vector<std::byte> bytes;
  const auto append = [&](const void* from, std::size_t size) {
    const std::size_t end = first + bytes.size();
    bytes.resize((end + size - 1) / size * size - first + size);
    std::memcpy(bytes.data() + bytes.size() - size, from, size);
  };
  std::vector<std::uint64_t> bases;
  for (std::uint32_t i = 0; i < workload.buffers.size(); ++i) bases.push_back(base_of(i));
  for (std::uint32_t i = 0; i < workload.arguments.size(); ++i) {
    if (const auto* const buffer = std::get_if<std::uint32_t>(&workload.arguments[i])) {
      append(&bases[*buffer], sizeof bases[*buffer]);
      continue;
    }
    auto scalar = std::get<std::vector<std::byte>>(workload.arguments[i]);
    if (const auto addresses = workload.scalar_addresses.find(i);
        addresses != workload.scalar_addresses.end())
      put_addresses(scalar, addresses->second, bases);
    append(scalar.data(), scalar.size());
  }
  return bytes;
}

std::string reason(const Error& error) {
  return error.where.empty() ? error.what
                             : tr("{what} ({where})", "what"_a = error.what, "where"_a = error.where);
}

}  // namespace warplens::app
