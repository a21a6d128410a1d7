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

/// A matrix of a product with its place in a launch plan. `extents` and `fill` as a launch is written.
struct Matrix {
  ElementType type;
  std::string extents, fill;
  const std::optional<MatrixBox>& box;
};

/// Describes what is passed by a name: a buffer, or a tensor map of one beside. Returns the buffer's name.
std::string describe_matrix(LaunchForm& form, const std::string& name, const Matrix& matrix) {
  const std::string typed = name_of(matrix.type) + matrix.extents;
  if (!matrix.box) {
    form.set(name, typed + matrix.fill);
    return name;
  }
  std::string values = name + "_values";
  form.set(values, typed + matrix.fill);
  const std::uint32_t swizzle = width_of(matrix.box->swizzle);
  form.set(name, fmt::format("tensormap:{}@{}:box={}x{}{}", typed, values, matrix.box->rows,
                             matrix.box->columns, swizzle == 0 ? "" : fmt::format(":swizzle={}B", swizzle)));
  return values;
}

void describe_product(LaunchForm& form, const LaunchPlan& plan, const ValueType& type,
                      const std::vector<std::string>& names) {
  const std::array sizes{std::pair{"m", plan.kernel_m()}, std::pair{"p", plan.kernel_p()},
                         std::pair{"n", plan.kernel_n()}};
  for (const auto& [name, value] : sizes) form.set(name, std::to_string(value));
  const std::string grid_x = blocks_along("n", plan.kernel_n(), plan.grid.x),
                    grid_y = blocks_along("m", plan.kernel_m(), plan.grid.y);
  if (plan.output.group_rows == 0) form.set("grid", fmt::format("{},{}", grid_x, grid_y));
  const std::string a = describe_matrix(form, names[0], {type.operand, "[m][p]", ":ints:1", plan.a_box}),
                    b = describe_matrix(
                        form, names[1],
                        {type.operand, plan.b_lies_by_columns ? "[n][p]" : "[p][n]", ":ints:2", plan.b_box}),
                    c = describe_matrix(form, names[2], {type.result, "[m][n]", "", plan.c_box});
  const std::array extents{"m", "p", "n"};
  for (std::size_t i = 3; i < names.size() && i < 6; ++i) {
    if (names[i] != extents[i - 3]) form.set(names[i], extents[i - 3]);
  }
  if (!plan.b_lies_by_columns) form.product = fmt::format("{}*{}->{}", a, b, c);
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
  const Workload outline = make_outline(**kernel, *problem, plan);
  const std::vector<compile::SourceKernel> kernels = compile::kernels_in(source);
  std::vector<std::string> names;
  if (const compile::SourceKernel* const found =
          compile::find_kernel(kernels, plan.entry, outline.arguments.size())) {
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
