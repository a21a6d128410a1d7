#include "kernels/catalog/catalog.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>

#include "kernels/base/texts.h"

namespace warplens {
namespace {

// "CUDA C++ Programming Guide", technical specifications per compute capability: the same for all of them
// since 3.0.
constexpr std::uint64_t kMaxGridX = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMaxGridY = 65535;
constexpr std::uint64_t kMaxKernelInt = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMaxSharedBytes = 49152;  // Shared memory of a block without opt-in
// Opt-in limits: what every GPU from 8.0 on has, and those of 9.0
constexpr std::uint64_t kMaxOptInSharedBytes = 99 * 1024, kMaxSharedBytesOnHopper = 227 * 1024;

constexpr ValueType kValueTypes[] = {
    {"f32", ElementType::f32, ElementType::f32, "float"},
    {"f64", ElementType::f64, ElementType::f64, "double"},
    {"i32", ElementType::i32, ElementType::i32, "int"},
    {"f16", ElementType::f16, ElementType::f32, "__half", true},
    {"bf16", ElementType::bf16, ElementType::f32, "__nv_bfloat16", true},
    {"tf32", ElementType::f32, ElementType::f32, "float",
     true},  // Rounded to 10 bits of fraction by the kernel
};

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
      return Error{
          tr("{kernel} has no parameter {parameter}", "kernel"_a = kernel.id, "parameter"_a = name), "",
          names.empty() ? tr("It has none.")
                        : tr("Its parameters: {parameters}.", "parameters"_a = fmt::join(names, ", "))};
    }
    if (std::find_if(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(i), same_name) !=
        given.begin() + static_cast<std::ptrdiff_t>(i)) {
      return Error{tr("parameter {parameter} is given twice", "parameter"_a = name), "",
                   tr("Give each parameter once.")};
    }
    if (std::find(info->values.begin(), info->values.end(), given[i].value) == info->values.end()) {
      return Error{tr("{parameter} = {value} is not possible for {kernel}", "parameter"_a = name,
                      "value"_a = given[i].value, "kernel"_a = kernel.id),
                   "",
                   tr("{parameter} is one of {values}.", "parameter"_a = name,
                      "values"_a = fmt::join(info->values, ", "))};
    }
  }
  return std::nullopt;
}

std::string names_of_extents(const KernelDescriptor& kernel) {
  std::string names;
  for (const ExtentInfo& extent : kernel.extents)
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", extent.name, tr(extent.label.c_str()));
  return names;
}

// Sets one extent of the problem: the given value, or the default.
std::optional<Error> choose_extent(const KernelDescriptor& kernel, char name,
                                   std::optional<std::uint64_t> given, std::uint64_t& value) {
  const auto info = std::find_if(kernel.extents.begin(), kernel.extents.end(),
                                 [&](const ExtentInfo& extent) { return extent.name == name; });
  if (info == kernel.extents.end()) {
    if (!given) return std::nullopt;
    return Error{tr("{kernel} has no size {size}", "kernel"_a = kernel.id, "size"_a = name), "",
                 tr("Its sizes: {sizes}.", "sizes"_a = names_of_extents(kernel))};
  }
  value = given.value_or(info->default_value);
  if (value == 0)
    return Error{tr("{size} = 0 leaves {kernel} nothing to do", "size"_a = name, "kernel"_a = kernel.id), "",
                 tr("{size} is at least 1.", "size"_a = name)};
  if (value <= info->max) return std::nullopt;
  return Error{tr("{size} = {value} is too large", "size"_a = name, "value"_a = value), "",
               info->max == kMaxInnerExtent
                   ? tr("{size} may be at most {most}: beyond it sums of products of the integer inputs "
                        "could round, and no result could be checked.",
                        "size"_a = name, "most"_a = info->max)
                   : tr("{size} may be at most {most}: the kernels' ints end there.", "size"_a = name,
                        "most"_a = info->max)};
}

/// Returns the limit of shared memory of a block. Launches of kernels that need 8.0 opt in to more.
std::uint64_t max_shared_bytes(const KernelDescriptor& kernel) {
  const int needed = kernel.source_file.empty() ? 0 : ladder_capability(kernel.source_file);
  return needed >= 90 ? kMaxSharedBytesOnHopper : needed >= 80 ? kMaxOptInSharedBytes : kMaxSharedBytes;
}

std::optional<Error> check_plan(const KernelDescriptor& kernel, const LaunchPlan& plan) {
  const auto too_large = [](const char* name, const MatrixLayout& layout) {
    return Error{tr("matrix {matrix} of {rows} x {columns} elements is too large", "matrix"_a = name,
                    "rows"_a = layout.padded_rows, "columns"_a = layout.padded_columns),
                 "",
                 tr("The kernels index elements with 32-bit ints, so a matrix has at most {most} of them, "
                    "padding included.",
                    "most"_a = kMaxKernelInt)};
  };
  const auto elements = [](const MatrixLayout& layout) { return layout.padded_rows * layout.padded_columns; };
  if (elements(plan.a) > kMaxKernelInt) return too_large("A", plan.a);
  if (elements(plan.b) > kMaxKernelInt) return too_large("B", plan.b);
  if (elements(plan.c) > kMaxKernelInt) return too_large("C", plan.c);
  if (const std::uint64_t most = max_shared_bytes(kernel); plan.dynamic_shared_bytes > most) {
    return Error{
        tr("{size} bytes of shared memory per block are too many", "size"_a = plan.dynamic_shared_bytes), "",
        tr("A block has at most {most}: choose smaller sizes.", "most"_a = most)};
  }
  if (plan.grid.x > kMaxGridX || plan.grid.y > kMaxGridY) {
    return Error{tr("a grid of {x} x {y} blocks is too large", "x"_a = plan.grid.x, "y"_a = plan.grid.y), "",
                 tr("CUDA launches at most {x} x {y} blocks: choose smaller matrices or larger blocks.",
                    "x"_a = kMaxGridX, "y"_a = kMaxGridY)};
  }
  return std::nullopt;
}

}  // namespace

std::span<const ValueType> value_types() {
  return kValueTypes;
}

const ValueType& value_type_of(std::string_view name) {
  const auto* const found = std::ranges::find(kValueTypes, name, &ValueType::name);
  assert(found != std::end(kValueTypes));
  return *found;
}

std::int64_t Problem::parameter(std::string_view name) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const NamedValue& value) { return value.name == name; });
  assert(found != parameters.end());
  return found->value;
}

LaunchPlan padded_plan(const Problem& problem, std::uint64_t multiple_of_m, std::uint64_t multiple_of_p,
                       std::uint64_t multiple_of_n) {
  const std::uint64_t m = round_up(problem.m, multiple_of_m), p = round_up(problem.p, multiple_of_p),
                      n = round_up(problem.n, multiple_of_n);
  LaunchPlan plan;
  plan.a = {problem.m, problem.p, m, p};
  plan.b = {problem.p, problem.n, p, n};
  plan.c = {problem.m, problem.n, m, n};
  return plan;
}

const char* name_of(KernelGroup group) {
  return group == KernelGroup::ladder ? tr("The ladder") : tr("Demonstrators");
}

bool KernelDescriptor::has_extent(char name) const {
  return std::any_of(extents.begin(), extents.end(),
                     [&](const ExtentInfo& extent) { return extent.name == name; });
}

std::vector<ExtentInfo> product_extents(std::uint64_t default_value) {
  return {{.name = 'm', .label = marked("Rows of A and of C"), .default_value = default_value},
          {.name = 'p',
           .label = marked("Columns of A, rows of B"),
           .default_value = default_value,
           .max = kMaxInnerExtent},
          {.name = 'n', .label = marked("Columns of B and of C"), .default_value = default_value}};
}

void Catalog::add(KernelDescriptor descriptor) {
  if (find(descriptor.id) != nullptr) {
    fmt::print(stderr, "warplens: two kernels are registered as `{}`\n", descriptor.id);
    std::abort();
  }
  const auto later = [](int rank, const KernelDescriptor& kernel) { return rank < kernel.rank; };
  kernels_.insert(std::upper_bound(kernels_.begin(), kernels_.end(), descriptor.rank, later),
                  std::move(descriptor));
}

const KernelDescriptor* Catalog::find(std::string_view id) const {
  const auto found = std::find_if(kernels_.begin(), kernels_.end(),
                                  [&](const KernelDescriptor& kernel) { return kernel.id == id; });
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

Result<Problem> make_problem(const KernelDescriptor& kernel, std::optional<std::uint64_t> m,
                             std::optional<std::uint64_t> p, std::optional<std::uint64_t> n,
                             const std::vector<NamedValue>& parameters, const std::string& value_type) {
  Problem problem;
  if (auto error = choose_extent(kernel, 'm', m, problem.m)) return *error;
  if (auto error = choose_extent(kernel, 'p', p, problem.p)) return *error;
  if (auto error = choose_extent(kernel, 'n', n, problem.n)) return *error;
  if (auto error = check_parameters(kernel, parameters)) return *error;
  problem.value_type = value_type.empty() ? kernel.value_types.front() : value_type;
  if (std::find(kernel.value_types.begin(), kernel.value_types.end(), problem.value_type) ==
      kernel.value_types.end()) {
    return Error{
        tr("{kernel} has no form for values of type {type}", "kernel"_a = kernel.id, "type"_a = value_type),
        "", tr("It takes {types}.", "types"_a = fmt::join(kernel.value_types, ", "))};
  }
  for (const ParameterInfo& info : kernel.parameters) {
    const auto given = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const NamedValue& value) { return value.name == info.name; });
    problem.parameters.push_back({info.name, given == parameters.end() ? info.default_value : given->value});
  }
  if (auto error = check_plan(kernel, kernel.plan(problem))) return *error;
  return problem;
}

Result<Problem> make_problem(const KernelDescriptor& kernel, const std::vector<NamedValue>& values,
                             const std::string& value_type) {
  std::optional<std::uint64_t> m, p, n;
  std::vector<NamedValue> parameters;
  for (const NamedValue& given : values) {
    std::optional<std::uint64_t>* const extent = given.name == "m"   ? &m
                                                 : given.name == "p" ? &p
                                                 : given.name == "n" ? &n
                                                                     : nullptr;
    if (extent == nullptr) {
      parameters.push_back(given);
    } else if (given.value < 0) {
      return Error{tr("{size} = {value} is not a valid size", "size"_a = given.name, "value"_a = given.value),
                   "", tr("Sizes are at least 1.")};
    } else {
      *extent = static_cast<std::uint64_t>(given.value);
    }
  }
  return make_problem(kernel, m, p, n, parameters, value_type);
}

}  // namespace warplens
