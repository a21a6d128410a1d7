#include "kernels/gpu/subject.h"

#include <fmt/core.h>

#include <cstring>

#include "kernels/gpu/ladder_code.h"

namespace warplens::gpu {
namespace {

std::uint64_t useful_elements(const LaunchPlan& plan) {
  std::uint64_t elements = 0;
  for (const MatrixLayout* layout : {&plan.a, &plan.b, &plan.c}) elements += layout->rows * layout->columns;
  return elements;
}

Arguments arguments_of(const Workload& workload, const std::vector<DeviceBuffer>& buffers) {
  Arguments arguments;
  for (const Workload::Argument& argument : workload.arguments) {
    if (const auto* const buffer = std::get_if<std::uint32_t>(&argument)) {
      arguments.add(buffers[*buffer].address());
    } else {
      arguments.add_bytes(*std::get_if<std::vector<std::byte>>(&argument));
    }
  }
  return arguments;
}

// A module and what is launched of it, together.
struct Code {
  Module module;
  Function function;
};

Result<std::shared_ptr<const Code>> load_code(const ContextPointer& context, const KernelDescriptor& kernel, const std::string& entry) {
  const Result<std::string> name = mangled_entry(kernel, entry);
  if (!name.ok()) return name.error();
  Result<Module> module = load_ladder(context, kernel);
  if (!module.ok()) return module.error();
  const Result<Function> function = module->function(*name);
  if (!function.ok()) return function.error();
  return std::shared_ptr<const Code>(new Code{std::move(*module), *function});
}

// A sum of zeros may come out as -0 or as 0, as the order of its terms has it: that is the library's choice.
template <class Value>
void drop_signs_of_zeros(std::vector<std::byte>& bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Value)) {
    Value value = 0;
    std::memcpy(&value, &bytes[at], sizeof value);
    if (value != 0) continue;
    value = 0;
    std::memcpy(&bytes[at], &value, sizeof value);
  }
}

}  // namespace

Subject::Subject(Workload workload, const LaunchPlan& plan)
    : workload_(std::move(workload)),
      result_(workload_.contents[workload_.output].size()),
      useful_bytes_(useful_elements(plan) * static_cast<std::uint64_t>(size_of(workload_.buffers[workload_.output].type))) {}

Result<Done> Subject::allocate(const ContextPointer& context) {
  for (const std::vector<std::byte>& contents : workload_.contents) {
    Result<DeviceBuffer> buffer = DeviceBuffer::allocate(context, contents.size());
    if (!buffer.ok()) return buffer.error();
    buffers_.push_back(std::move(*buffer));
  }
  return Done{};
}

Result<Subject> Subject::kernel(const ContextPointer& context, const KernelDescriptor& kernel, const Problem& problem) {
  const LaunchPlan plan = kernel.plan(problem);
  const auto code = load_code(context, kernel, plan.entry);
  if (!code.ok()) return code.error();
  const Function& function = (*code)->function;
  const Result<FunctionAttributes> attributes = function.attributes();
  if (!attributes.ok()) return attributes.error();
  if (auto allowed = function.allow_dynamic_shared(plan.dynamic_shared_bytes); !allowed.ok()) return allowed.error();

  Subject subject(make_workload(kernel, problem, plan), plan);
  if (auto allocated = subject.allocate(context); !allocated.ok()) return allocated.error();
  subject.attributes_ = *attributes;
  subject.dynamic_shared_bytes_ = plan.dynamic_shared_bytes;
  subject.enqueue_ = [code = *code, grid = plan.grid, block = plan.block, shared = plan.dynamic_shared_bytes,
                      arguments = arguments_of(subject.workload_, subject.buffers_)](const Stream& stream) {
    return code->function.launch(grid, block, shared, stream, arguments);
  };
  return subject;
}

Result<Subject> Subject::cublas(const ContextPointer& context, const Problem& problem) {
  if (problem.value_type != "f32" && problem.value_type != "f64") {
    return Error{fmt::format("cuBLAS has no product of {}", problem.value_type), "", "It takes f32, f64."};
  }
  Result<std::unique_ptr<Cublas>> created = Cublas::create(context);
  if (!created.ok()) return created.error();
  const LaunchPlan plan = padded_plan(problem, 1, 1, 1);
  Workload workload = product_workload(problem, plan);
  workload.verify = [exact = workload.verify, type = problem.value_type](std::vector<std::byte> result, const auto& blocks) {
    type == "f64" ? drop_signs_of_zeros<double>(result) : drop_signs_of_zeros<float>(result);
    return exact(result, blocks);
  };
  Subject subject(std::move(workload), plan);
  if (auto allocated = subject.allocate(context); !allocated.ok()) return allocated.error();
  subject.create_ms_ = (*created)->create_ms();
  const Cublas::Product product{.m = static_cast<int>(problem.m),
                                .p = static_cast<int>(problem.p),
                                .n = static_cast<int>(problem.n),
                                .value_type = problem.value_type,
                                .a = subject.buffers_[0].address(),
                                .b = subject.buffers_[1].address(),
                                .c = subject.buffers_[2].address()};
  subject.enqueue_ = [library = std::shared_ptr<const Cublas>(std::move(*created)), product](const Stream& stream) {
    return library->multiply(product, stream);
  };
  return subject;
}

Result<Done> Subject::upload_inputs(const Stream& stream) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (i == workload_.output) continue;
    if (auto uploaded = buffers_[i].upload(workload_.contents[i], stream); !uploaded.ok()) return uploaded;
  }
  return Done{};
}

Result<Done> Subject::poison_output(const Stream& stream) const {
  return buffers_[workload_.output].upload(workload_.contents[workload_.output], stream);
}

Result<Done> Subject::download(const Stream& stream) {
  return buffers_[workload_.output].download(result_, stream);
}

}  // namespace warplens::gpu
