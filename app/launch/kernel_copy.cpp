#include "app/launch/kernel_copy.h"

#include <fmt/core.h>

#include <array>
#include <cstring>

#include "kernels/catalog/workload.h"
#include "kernels/compile/signatures.h"

namespace warplens::app {
namespace {

/// "(n+31)/32" where blocks cover a size in equal steps, else the number of blocks.
std::string blocks_along(const char* size, std::uint64_t extent, std::uint32_t blocks) {
  const std::uint64_t step = extent / blocks;
  if (blocks == 1 || step == 0 || (extent + step - 1) / step != blocks) return std::to_string(blocks);
  return step == 1 ? std::string(size) : fmt::format("({}+{})/{}", size, step - 1, step);
}

std::string extent_text(Dim3 extent) {
  if (extent.z > 1) return fmt::format("{},{},{}", extent.x, extent.y, extent.z);
  return extent.y > 1 ? fmt::format("{},{}", extent.x, extent.y) : std::to_string(extent.x);
}

void describe_product(LaunchForm& form, const LaunchPlan& plan, const ValueType& type,
                      const std::vector<std::string>& names) {
  const std::string operand = name_of(type.operand);
  const std::array sizes{std::pair{"m", plan.kernel_m()}, std::pair{"p", plan.kernel_p()},
                         std::pair{"n", plan.kernel_n()}};
  for (const auto& [name, value] : sizes) form.set(name, std::to_string(value));
  const std::string grid_x = blocks_along("n", plan.kernel_n(), plan.grid.x),
                    grid_y = blocks_along("m", plan.kernel_m(), plan.grid.y);
  form.set("grid", fmt::format("{},{}", grid_x, grid_y));
  form.set(names[0], operand + "[m][p]:ints:1");
  form.set(names[1], operand + (plan.b_lies_by_columns ? "[n][p]:ints:2" : "[p][n]:ints:2"));
  form.set(names[2], name_of(type.result) + std::string("[m][n]"));
  const std::array extents{"m", "p", "n"};
  for (std::size_t i = 3; i < names.size() && i < 6; ++i) {
    if (names[i] != extents[i - 3]) form.set(names[i], extents[i - 3]);
  }
  if (!plan.b_lies_by_columns) form.product = fmt::format("{}*{}->{}", names[0], names[1], names[2]);
}

void describe_arguments(LaunchForm& form, const Workload& workload, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < workload.arguments.size() && i < names.size(); ++i) {
    if (const auto* const index = std::get_if<std::uint32_t>(&workload.arguments[i])) {
      const Buffer& buffer = workload.buffers[*index];
      const bool result = *index == workload.output;
      form.set(names[i], fmt::format("{}[{}][{}]{}", name_of(buffer.type), buffer.rows, buffer.pitch,
                                     result ? "" : ":ints"));
    } else {
      std::int32_t value = 0;
      const auto& bytes = std::get<std::vector<std::byte>>(workload.arguments[i]);
      std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
      form.set(names[i], std::to_string(value));
    }
  }
}

}  // namespace

Result<LaunchRequest> copy_of_kernel(const LaunchRequest& request) {
  const Result<const KernelDescriptor*> kernel = find_kernel(request.catalog_kernel()->id);
  if (!kernel.ok()) return kernel.error();
  const Result<Problem> problem = make_problem(**kernel, request.values, request.value_type);
  if (!problem.ok()) return problem.error();
  const LaunchPlan plan = (*kernel)->plan(*problem);
  const std::string source(ladder_source((*kernel)->source_file));

  LaunchForm form;
  if (plan.entry.find('<') != std::string::npos) form.kernel = plan.entry;
  std::erase(form.kernel, ' ');  // A field has none
  form.set("grid", extent_text(plan.grid));
  form.set("block", extent_text(plan.block));
  if (plan.dynamic_shared_bytes > 0) form.set("shared", std::to_string(plan.dynamic_shared_bytes));
  const std::vector<Workload::Argument> arguments = launch_arguments(**kernel, *problem, plan);
  const std::vector<compile::SourceKernel> kernels = compile::kernels_in(source);
  std::vector<std::string> names;
  if (const compile::SourceKernel* const found =
          compile::find_kernel(kernels, plan.entry, arguments.size())) {
    for (const compile::SourceParameter& parameter : found->parameters) names.push_back(parameter.name);
  }
  if ((*kernel)->workload == nullptr && names.size() >= 3) {
    describe_product(form, plan, value_type_of(problem->value_type), names);
  } else {
    describe_arguments(form, make_workload(**kernel, *problem, plan), names);
  }

  LaunchRequest copy = request;
  FileKernel own{.file = (*kernel)->source_file, .entry = plan.entry};
  own.cuda = source;
  copy.origin = std::move(own);
  copy.values.clear();
  copy.value_type = "f32";
  copy.form = std::move(form);
  return copy;
}

}  // namespace warplens::app
