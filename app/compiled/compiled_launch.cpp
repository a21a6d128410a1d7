#include "app/compiled/compiled_launch.h"

#include <cstring>
#include <optional>
#include <variant>

#include "kernels/base/texts.h"

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

std::vector<std::byte> parameter_bytes(const std::vector<Workload::Argument>& arguments,
                                       const std::function<std::uint64_t(std::uint32_t buffer)>& base_of) {
  std::vector<std::byte> bytes;
  const auto append = [&](const void* from, std::size_t size) {
    bytes.resize((bytes.size() + size - 1) / size * size + size);
    std::memcpy(bytes.data() + bytes.size() - size, from, size);
  };
  for (const Workload::Argument& argument : arguments) {
    if (const auto* const buffer = std::get_if<std::uint32_t>(&argument)) {
      const std::uint64_t base = base_of(*buffer);
      append(&base, sizeof base);
    } else {
      const auto& scalar = std::get<std::vector<std::byte>>(argument);
      append(scalar.data(), scalar.size());
    }
  }
  return bytes;
}

std::string reason(const Error& error) {
  return error.where.empty() ? error.what
                             : tr("{what} ({where})", "what"_a = error.what, "where"_a = error.where);
}

}  // namespace warplens::app
