#include "kernels/gpu/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kernels/base/texts.h"
#include "kernels/gpu/ladder_code.h"
#include "kernels/gpu/tensor_map.h"
#include "kernels/recording/validate.h"

namespace warplens::gpu {
namespace {

std::uint64_t useful_bytes(const LaunchPlan& plan, const Workload& workload) {
  const auto bytes_of = [](const MatrixLayout& layout, const Buffer& buffer) {
    return layout.rows * layout.columns * static_cast<std::uint64_t>(size_of(buffer.type));
  };
  const Buffer& operand = workload.buffers.front();
  return bytes_of(plan.a, operand) + bytes_of(plan.b, operand) +
         bytes_of(plan.c, workload.buffers[workload.output]);
}

std::vector<std::uint64_t> addresses_of(const std::vector<DeviceBuffer>& buffers) {
  std::vector<std::uint64_t> addresses;
  for (const DeviceBuffer& buffer : buffers) addresses.push_back(buffer.address());
  return addresses;
}

Arguments arguments_of(const Workload& workload, const std::vector<DeviceBuffer>& buffers,
                       const std::map<std::uint32_t, TextureObject>& textures) {
  Arguments arguments;
  const std::vector<std::uint64_t> bases = addresses_of(buffers);
  for (std::uint32_t k = 0; k < workload.arguments.size(); ++k) {
    if (const auto* const buffer = std::get_if<std::uint32_t>(&workload.arguments[k])) {
      const auto texture = textures.find(*buffer);
      arguments.add(texture != textures.end() ? texture->second.handle() : bases[*buffer]);
      continue;
    }
    arguments.add_bytes(*std::get_if<std::vector<std::byte>>(&workload.arguments[k]));
  }
  return arguments;
}

Result<std::shared_ptr<const Code>> code_of(Result<Module> module, const std::string& entry) {
  if (!module.ok()) return module.error();
  const Result<Function> function = module->function(entry);
  if (!function.ok()) return function.error();
  return std::shared_ptr<const Code>(new Code{std::move(*module), *function});
}

Enqueue launches_of(std::shared_ptr<const Code> code, const LaunchConfiguration& configuration,
                    Arguments arguments) {
  return [code = std::move(code), configuration, arguments = std::move(arguments)](const Stream& stream) {
    return code->function.launch(configuration, stream, arguments);
  };
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

Subject::Subject(Workload workload, std::vector<BufferCheck> checks, std::uint64_t useful_bytes)
    : workload_(std::move(workload)), checks_(std::move(checks)), useful_bytes_(useful_bytes) {
  for (const BufferCheck& check : checks_) outputs_.push_back(check.buffer);
  for (std::uint32_t i = 0; checks_.empty() && i < workload_.contents.size(); ++i) outputs_.push_back(i);
  for (const std::uint32_t output : outputs_) results_.emplace_back(workload_.contents[output].size());
}

Subject Subject::of_output(Workload workload, std::uint64_t useful_bytes) {
  const BufferCheck check{workload.output, [verify = workload.verify](std::span<const std::byte> result) {
                            return verify(result, std::nullopt);
                          }};
  return {std::move(workload), {check}, useful_bytes};
}

bool Subject::is_right() const {
  for (std::size_t i = 0; i < checks_.size(); ++i) {
    if (!checks_[i].is_right(results_[i])) return false;
  }
  return has_reference();
}

Result<Done> Subject::allocate(const ContextPointer& context) {
  for (const std::vector<std::byte>& contents : workload_.contents) {
    Result<DeviceBuffer> buffer = DeviceBuffer::allocate(context, contents.size());
    if (!buffer.ok()) return buffer.error();
    buffers_.push_back(std::move(*buffer));
  }
  const std::vector<std::uint64_t> bases = addresses_of(buffers_);
  for (const auto& [index, addresses] : workload_.buffer_addresses)
    put_addresses(workload_.contents[index], addresses, bases);
  for (const auto& [index, addresses] : workload_.scalar_addresses)
    put_addresses(std::get<std::vector<std::byte>>(workload_.arguments[index]), addresses, bases);
  if (auto encoded = encode_tensor_maps(context); !encoded.ok()) return encoded;
  for (const auto& [index, texture] : workload_.textures) {
    Result<TextureObject> object = TextureObject::create(context, texture, buffers_[index].address());
    if (!object.ok()) return object.error();
    textures_.emplace(index, std::move(*object));
  }
  return Done{};
}

Result<Done> Subject::encode_tensor_maps(const ContextPointer& context) {
  for (std::vector<std::byte>& contents : workload_.contents) {
    if (auto done = encode_for_device(context, contents); !done.ok()) return done;
  }
  for (Workload::Argument& argument : workload_.arguments) {
    auto* const scalar = std::get_if<std::vector<std::byte>>(&argument);
    if (scalar == nullptr) continue;
    if (auto done = encode_for_device(context, *scalar); !done.ok()) return done;
  }
  return Done{};
}

Result<Done> Subject::take(const ContextPointer& context, const Result<std::shared_ptr<const Code>>& code,
                           const LaunchConfiguration& configuration) {
  if (!code.ok()) return code.error();
  const Function& function = (*code)->function;
  const Result<FunctionAttributes> attributes = function.attributes();
  if (!attributes.ok()) return attributes.error();
  if (auto allowed = function.allow_dynamic_shared(configuration.dynamic_shared_bytes); !allowed.ok())
    return allowed;
  if (configuration.cluster.count() > kPortableClusterBlocks) {
    if (auto allowed = function.allow_large_clusters(); !allowed.ok()) return allowed;
  }
  if (auto fits = function.check_together(configuration); !fits.ok()) return fits;
  if (auto allocated = allocate(context); !allocated.ok()) return allocated;
  attributes_ = *attributes;
  dynamic_shared_bytes_ = configuration.dynamic_shared_bytes;
  code_ = *code;
  enqueue_ = launches_of(*code, configuration, arguments_of(workload_, buffers_, textures_));
  return Done{};
}

Result<Subject> Subject::kernel(const ContextPointer& context, const KernelDescriptor& kernel,
                                const Problem& problem) {
  const LaunchPlan plan = kernel.plan(problem);
  const Result<std::string> entry = mangled_entry(kernel, plan.entry);
  if (!entry.ok()) return entry.error();
  Workload workload = make_workload(kernel, problem, plan);
  const std::uint64_t useful = warplens::gpu::useful_bytes(plan, workload);
  Subject subject = of_output(std::move(workload), useful);
  const auto taken = subject.take(context, code_of(load_ladder(context, kernel), *entry),
                                  {plan.grid, plan.block, plan.dynamic_shared_bytes});
  if (!taken.ok()) return taken.error();
  return subject;
}

Result<Subject> Subject::of_file(const ContextPointer& context, const FileLaunch& launch) {
  std::uint64_t bytes = 0;
  for (const std::vector<std::byte>& contents : launch.workload.contents) bytes += contents.size();
  Subject subject(launch.workload, launch.checks, bytes);
  subject.may_write_all_ = true;
  const auto taken = subject.take(
      context, code_of(Module::load(context, launch.ptx), launch.entry),
      {launch.grid, launch.block, launch.dynamic_shared_bytes, launch.waits_for_grid, launch.cluster});
  if (!taken.ok()) return taken.error();
  return subject;
}

Result<Subject> Subject::cublas(const ContextPointer& context, const Problem& problem) {
  if (!Cublas::multiplies(problem.value_type)) {
    return Error{tr("cuBLAS has no product of {type}", "type"_a = problem.value_type), "",
                 tr("It takes {types}.", "types"_a = fmt::join(Cublas::value_types(), ", "))};
  }
  Result<std::unique_ptr<Cublas>> created = Cublas::create(context);
  if (!created.ok()) return created.error();
  const LaunchPlan plan = padded_plan(problem, 1, 1, 1);
  Workload workload = product_workload(problem, plan);
  workload.verify = [exact = workload.verify, type = problem.value_type](std::span<const std::byte> computed,
                                                                         const auto& blocks) {
    std::vector<std::byte> result(computed.begin(), computed.end());
    type == "f64" ? drop_signs_of_zeros<double>(result) : drop_signs_of_zeros<float>(result);
    return exact(result, blocks);
  };
  const std::uint64_t useful = warplens::gpu::useful_bytes(plan, workload);
  Subject subject = of_output(std::move(workload), useful);
  if (auto allocated = subject.allocate(context); !allocated.ok()) return allocated.error();
  subject.create_ms_ = (*created)->create_ms();
  const Cublas::Product product{.m = static_cast<int>(problem.m),
                                .p = static_cast<int>(problem.p),
                                .n = static_cast<int>(problem.n),
                                .value_type = problem.value_type,
                                .a = subject.buffers_[0].address(),
                                .b = subject.buffers_[1].address(),
                                .c = subject.buffers_[2].address()};
  subject.enqueue_ = [library = std::shared_ptr<const Cublas>(std::move(*created)),
                      product](const Stream& stream) { return library->multiply(product, stream); };
  return subject;
}

Result<Done> Subject::upload_inputs(const Stream& stream) const {
  for (std::uint32_t i = 0; i < buffers_.size(); ++i) {
    if (std::ranges::find(checks_, i, &BufferCheck::buffer) != checks_.end()) continue;
    if (auto uploaded = buffers_[i].upload(workload_.contents[i], stream); !uploaded.ok()) return uploaded;
  }
  return load_textures(stream);
}

Result<Done> Subject::load_textures(const Stream& stream) const {
  for (const auto& [index, texture] : textures_) {
    if (auto loaded = texture.load(stream); !loaded.ok()) return loaded;
  }
  return Done{};
}

Result<Done> Subject::set_variables(const Stream& stream) const {
  for (VariableContents variable : workload_.variables) {
    put_addresses(variable.bytes, variable.addresses, addresses_of(buffers_));
    if (auto set = code_->module.set_global(variable, stream); !set.ok()) return set;
  }
  return Done{};
}

Result<Done> Subject::poison_output(const Stream& stream) const {
  if (auto set = set_variables(stream); !set.ok()) return set;
  for (std::uint32_t i = 0; has_reference() && i < buffers_.size(); ++i) {
    if (!may_write_all_ && std::ranges::find(checks_, i, &BufferCheck::buffer) == checks_.end()) continue;
    if (auto uploaded = buffers_[i].upload(workload_.contents[i], stream); !uploaded.ok()) return uploaded;
  }
  return load_textures(stream);
}

Result<Done> Subject::download(const Stream& stream) {
  for (const auto& [index, texture] : textures_) {
    if (auto stored = texture.store(stream); !stored.ok()) return stored;
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (auto downloaded = buffers_[outputs_[i]].download(results_[i], stream); !downloaded.ok())
      return downloaded;
  }
  return Done{};
}

}  // namespace warplens::gpu
