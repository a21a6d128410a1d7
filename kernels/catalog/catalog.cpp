#include "kernels/catalog/catalog.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>

namespace warplens {
namespace {

// "CUDA C++ Programming Guide", technical specifications per compute capability: the same for all of them since 3.0.
constexpr std::uint64_t kMaxGridX = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMaxGridY = 65535;
constexpr std::uint64_t kMaxKernelInt = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMaxSharedBytes = 49152;  // Without opting in to more

Catalog& mutable_catalog() {
  static Catalog instance;
  return instance;
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::optional<Error> check_parameters(const KernelDescriptor& kernel, const std::vector<NamedValue>& given) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& name = given[i].name;
    const auto same_name = [&](const auto& other) { return other.name == name; };
    const auto info = std::find_if(kernel.parameters.begin(), kernel.parameters.end(), same_name);
    if (info == kernel.parameters.end()) {
      std::vector<std::string> names;
      for (const ParameterInfo& parameter : kernel.parameters) names.push_back(parameter.name);
      return Error{fmt::format("{} has no parameter {}", kernel.id, name), "",
                   names.empty() ? "It has none." : fmt::format("Its parameters: {}.", fmt::join(names, ", "))};
    }
    if (std::find_if(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(i), same_name) != given.begin() + static_cast<std::ptrdiff_t>(i)) {
      return Error{fmt::format("parameter {} is given twice", name), "", "Give each parameter once."};
    }
    if (std::find(info->values.begin(), info->values.end(), given[i].value) == info->values.end()) {
      return Error{fmt::format("{} = {} is not possible for {}", name, given[i].value, kernel.id), "",
                   fmt::format("{} is one of {}.", name, fmt::join(info->values, ", "))};
    }
  }
  return std::nullopt;
}

std::string names_of_extents(const KernelDescriptor& kernel) {
  std::string names;
  for (const ExtentInfo& extent : kernel.extents) names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", extent.name, extent.label);
  return names;
}

// Sets one extent of the problem: the given value, or the default.
std::optional<Error> choose_extent(const KernelDescriptor& kernel, char name, std::optional<std::uint64_t> given, std::uint64_t& value) {
  const auto info = std::find_if(kernel.extents.begin(), kernel.extents.end(), [&](const ExtentInfo& extent) { return extent.name == name; });
  if (info == kernel.extents.end()) {
    if (!given) return std::nullopt;
    return Error{fmt::format("{} has no size {}", kernel.id, name), "", fmt::format("Its sizes: {}.", names_of_extents(kernel))};
  }
  value = given.value_or(info->default_value);
  if (value == 0) return Error{fmt::format("{} = 0 leaves {} nothing to do", name, kernel.id), "", fmt::format("{} is at least 1.", name)};
  if (value <= info->max) return std::nullopt;
  return Error{
      fmt::format("{} = {} is too large", name, value), "",
      info->max == kMaxInnerExtent
          ? fmt::format("{} may be at most {}: beyond it sums of products of the integer inputs could round, and no result could be checked.", name,
                        info->max)
          : fmt::format("{} may be at most {}: the kernels' ints end there.", name, info->max)};
}

std::optional<Error> check_plan(const LaunchPlan& plan) {
  const auto too_large = [](const char* name, const MatrixLayout& layout) {
    return Error{fmt::format("matrix {} of {} x {} elements is too large", name, layout.padded_rows, layout.padded_columns), "",
                 fmt::format("The kernels index elements with 32-bit ints, so a matrix has at most {} of them, padding included.", kMaxKernelInt)};
  };
  const auto elements = [](const MatrixLayout& layout) { return layout.padded_rows * layout.padded_columns; };
  if (elements(plan.a) > kMaxKernelInt) return too_large("A", plan.a);
  if (elements(plan.b) > kMaxKernelInt) return too_large("B", plan.b);
  if (elements(plan.c) > kMaxKernelInt) return too_large("C", plan.c);
  if (plan.dynamic_shared_bytes > kMaxSharedBytes) {
    return Error{fmt::format("{} bytes of shared memory a block are too many", plan.dynamic_shared_bytes), "",
                 fmt::format("A block has at most {}: choose smaller sizes.", kMaxSharedBytes)};
  }
  if (plan.grid.x > kMaxGridX || plan.grid.y > kMaxGridY) {
    return Error{fmt::format("a grid of {} x {} blocks is too large", plan.grid.x, plan.grid.y), "",
                 fmt::format("CUDA launches at most {} x {} blocks: choose smaller matrices or larger blocks.", kMaxGridX, kMaxGridY)};
  }
  return std::nullopt;
}

}  // namespace

std::int64_t Problem::parameter(std::string_view name) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const NamedValue& value) { return value.name == name; });
  assert(found != parameters.end());
  return found->value;
}

LaunchPlan padded_plan(const Problem& problem, std::uint64_t multiple_of_m, std::uint64_t multiple_of_p, std::uint64_t multiple_of_n) {
  const std::uint64_t m = round_up(problem.m, multiple_of_m), p = round_up(problem.p, multiple_of_p), n = round_up(problem.n, multiple_of_n);
  LaunchPlan plan;
  plan.a = {problem.m, problem.p, m, p};
  plan.b = {problem.p, problem.n, p, n};
  plan.c = {problem.m, problem.n, m, n};
  return plan;
}

const char* name_of(KernelGroup group) {
  return group == KernelGroup::ladder ? "The ladder" : "Demonstrators";
}

bool KernelDescriptor::has_extent(char name) const {
  return std::any_of(extents.begin(), extents.end(), [&](const ExtentInfo& extent) { return extent.name == name; });
}

std::vector<ExtentInfo> product_extents(std::uint64_t default_value) {
  return {{.name = 'm', .label = "Rows of A and of C", .default_value = default_value},
          {.name = 'p', .label = "Columns of A, rows of B", .default_value = default_value, .max = kMaxInnerExtent},
          {.name = 'n', .label = "Columns of B and of C", .default_value = default_value}};
}

void Catalog::add(KernelDescriptor descriptor) {
  if (find(descriptor.id) != nullptr) {
    fmt::print(stderr, "warplens: two kernels are registered as `{}`\n", descriptor.id);
    std::abort();
  }
  const auto later = [](int rank, const KernelDescriptor& kernel) { return rank < kernel.rank; };
  kernels_.insert(std::upper_bound(kernels_.begin(), kernels_.end(), descriptor.rank, later), std::move(descriptor));
}

const KernelDescriptor* Catalog::find(std::string_view id) const {
  const auto found = std::find_if(kernels_.begin(), kernels_.end(), [&](const KernelDescriptor& kernel) { return kernel.id == id; });
  return found == kernels_.end() ? nullptr : &*found;
}

const Catalog& catalog() {
  return mutable_catalog();
}

RegisterKernel::RegisterKernel(KernelDescriptor descriptor) {
  mutable_catalog().add(std::move(descriptor));
}

const KernelDescriptor* ladder_kernel_of(const Recording& recording) {
  // Files of version 1.0 do not say whose the kernel is; but only what the ladder's compute is verified.
  const bool inferred = recording.origin == Origin::unknown && recording.verified.has_value();
  return recording.origin == Origin::ladder || inferred ? catalog().find(recording.kernel) : nullptr;
}

Result<Problem> make_problem(const KernelDescriptor& kernel, std::optional<std::uint64_t> m, std::optional<std::uint64_t> p,
                             std::optional<std::uint64_t> n, const std::vector<NamedValue>& parameters, const std::string& value_type) {
  Problem problem;
  if (auto error = choose_extent(kernel, 'm', m, problem.m)) return *error;
  if (auto error = choose_extent(kernel, 'p', p, problem.p)) return *error;
  if (auto error = choose_extent(kernel, 'n', n, problem.n)) return *error;
  if (auto error = check_parameters(kernel, parameters)) return *error;
  if (std::find(kernel.value_types.begin(), kernel.value_types.end(), value_type) == kernel.value_types.end()) {
    return Error{fmt::format("{} has no form for values of type {}", kernel.id, value_type), "",
                 fmt::format("It takes {}.", fmt::join(kernel.value_types, ", "))};
  }
  problem.value_type = value_type;
  for (const ParameterInfo& info : kernel.parameters) {
    const auto given = std::find_if(parameters.begin(), parameters.end(), [&](const NamedValue& value) { return value.name == info.name; });
    problem.parameters.push_back({info.name, given == parameters.end() ? info.default_value : given->value});
  }
  if (auto error = check_plan(kernel.plan(problem))) return *error;
  return problem;
}

Result<Problem> make_problem(const KernelDescriptor& kernel, const std::vector<NamedValue>& values, const std::string& value_type) {
  std::optional<std::uint64_t> m, p, n;
  std::vector<NamedValue> parameters;
  for (const NamedValue& given : values) {
    std::optional<std::uint64_t>* const extent = given.name == "m" ? &m : given.name == "p" ? &p : given.name == "n" ? &n : nullptr;
    if (extent == nullptr) {
      parameters.push_back(given);
    } else if (given.value < 0) {
      return Error{fmt::format("{} = {} is no size", given.name, given.value), "", "Sizes are at least 1."};
    } else {
      *extent = static_cast<std::uint64_t>(given.value);
    }
  }
  return make_problem(kernel, m, p, n, parameters, value_type);
}

}  // namespace warplens
