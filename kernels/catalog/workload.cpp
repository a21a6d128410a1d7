#include "kernels/catalog/workload.h"

#include <algorithm>
#include <memory>

#include "kernels/catalog/elements.h"

namespace warplens {

Workload make_workload(const KernelDescriptor& kernel, const Problem& problem, const LaunchPlan& plan) {
  return (kernel.workload == nullptr ? product_workload : kernel.workload)(problem, plan);
}

Workload make_partial_workload(const KernelDescriptor& kernel, const Problem& problem,
                               const LaunchPlan& plan) {
  if (kernel.workload == nullptr) return partial_product_workload(problem, plan);
  return (kernel.partial_workload == nullptr ? kernel.workload : kernel.partial_workload)(problem, plan);
}

Workload make_outline(const KernelDescriptor& kernel, const Problem& problem, const LaunchPlan& plan) {
  return kernel.workload == nullptr ? product_outline(problem, plan)
                                    : make_partial_workload(kernel, problem, plan);
}

std::uint64_t padded_matrix_bytes(const LaunchPlan& plan, const std::string& value_type) {
  const auto bytes_of = [](const MatrixLayout& layout, ElementType type) {
    return layout.padded_rows * layout.padded_columns * static_cast<std::uint64_t>(size_of(type));
  };
  const ValueType& type = value_type_of(value_type);
  return bytes_of(plan.a, type.operand) + bytes_of(plan.b, type.operand) + bytes_of(plan.c, type.result);
}

std::uint64_t workload_bytes(const LaunchPlan& plan, const std::string& value_type) {
  std::uint64_t bytes = padded_matrix_bytes(plan, value_type);
  for (const MatrixLayout* layout : {&plan.a, &plan.b, &plan.c})
    bytes += layout->rows * layout->columns * sizeof(float);
  return bytes;
}

Workload known_workload(const LaunchPlan& plan, const std::vector<NamedMatrix>& inputs,
                        const NamedMatrix& result, const std::vector<std::int64_t>& ints) {
  constexpr auto kType = ElementType::f32;
  Workload workload;
  for (const NamedMatrix& input : inputs) {
    workload.arguments.emplace_back(static_cast<std::uint32_t>(workload.buffers.size()));
    workload.buffers.push_back(matrix_buffer(input.name, input.layout, kType));
    workload.contents.push_back(padded_bytes(input.layout, input.values, kType));
  }
  workload.output = static_cast<std::uint32_t>(workload.buffers.size());
  workload.arguments.emplace_back(workload.output);
  workload.buffers.push_back(matrix_buffer(result.name, result.layout, kType));
  workload.contents.push_back(poisoned_bytes(result.layout, kType));
  for (const std::int64_t value : ints) workload.arguments.emplace_back(kernel_int(value));

  workload.verify = [plan, expected = std::make_shared<const NamedMatrix>(result)](const auto& bytes,
                                                                                   const auto& blocks) {
    const auto is_right = [&](const Part& part) {
      const Part inside = without_padding(expected->layout, part);
      std::vector<float> values;
      for (std::uint64_t row = inside.row; row < inside.row + inside.rows; ++row) {
        const auto begin = expected->values.begin() +
                           static_cast<std::ptrdiff_t>(row * expected->layout.columns + inside.column);
        values.insert(values.end(), begin, begin + static_cast<std::ptrdiff_t>(inside.columns));
      }
      return part_equals(expected->layout, kType, bytes, part, values);
    };
    const std::vector<Part> parts = parts_of(plan, blocks);
    return std::all_of(parts.begin(), parts.end(), is_right);
  };
  return workload;
}

}  // namespace warplens
