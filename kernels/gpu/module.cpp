#include "kernels/gpu/module.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "kernels/base/texts.h"

namespace warplens::gpu {
namespace {

// Numbers of CUfunction_attribute.
constexpr int kMaxThreadsPerBlock = 0, kSharedBytes = 1, kLocalBytes = 3, kRegisters = 4,
              kMaxDynamicSharedBytes = 8, kNonPortableClusterSizeAllowed = 14;
// Numbers of CUlaunchAttributeID.
constexpr int kCooperative = 2, kClusterDimension = 4;
// Numbers of CUjitInputType.
constexpr int kPtxInput = 1;
// Numbers of CUjit_option.
constexpr int kMaxRegistersOption = 0, kOptimisationLevelOption = 7;

/// The options of one compilation in the driver's form, and the logs that it writes. Stays where it is while
/// the driver knows of it.
class JitRun {
 public:
  explicit JitRun(const JitOptions& options) {
    // Numbers of CUjit_option. Values are passed as if they were pointers.
    add(3, info_.data());
    add(4, number(static_cast<std::uint32_t>(info_.size() - 1)));
    add(5, errors_.data());
    add(6, number(static_cast<std::uint32_t>(errors_.size() - 1)));
    if (options.max_registers > 0)
      add(kMaxRegistersOption, number(static_cast<std::uint32_t>(options.max_registers)));
    if (options.line_info) add(13, number(1));
  }
  JitRun(const JitRun&) = delete;
  JitRun& operator=(const JitRun&) = delete;

  /// Returns a number as the driver takes numbers: as if it were a pointer.
  static void* number(std::uint32_t value) {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(value));
  }

  [[nodiscard]] unsigned count() const { return count_; }
  [[nodiscard]] int* names() { return names_.data(); }
  [[nodiscard]] void** values() { return values_.data(); }

  [[nodiscard]] std::string info() const { return trimmed(info_.data()); }

  /// The driver's error, with what the compiler said.
  [[nodiscard]] Error error(const Context& context, CuResult result, const char* call) const {
    Error failure = driver_error(context.enter(), result, call);
    if (const std::string said = trimmed(errors_.data()); !said.empty())
      failure.what = tr("{what}:\n{said}", "what"_a = failure.what, "said"_a = said);
    return failure;
  }

 private:
  static std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of(" \n\t") + 1);
    return text;
  }
  void add(int name, void* value) {
    names_[count_] = name;
    values_[count_++] = value;
  }

  std::array<char, 16384> info_{}, errors_{};
  std::array<int, 8> names_{};
  std::array<void*, 8> values_{};
  unsigned count_ = 0;
};

Result<Owned<CuModule, &DriverApi::module_unload>> load_image(const ContextPointer& context,
                                                              const void* image, JitRun& run) {
  CuModule module = nullptr;
  const CuResult result =
      context->enter().module_load(&module, image, run.count(), run.names(), run.values());
  if (result != kCuSuccess) return run.error(*context, result, "cuModuleLoadDataEx");
  return Owned<CuModule, &DriverApi::module_unload>(context, module);
}

/// Returns the arguments' addresses as the driver takes them: it only reads them.
std::vector<void*> addresses_of(const Arguments& arguments) {
  std::vector<void*> addresses;
  addresses.reserve(arguments.values().size());
  for (const std::vector<std::byte>& value : arguments.values())
    addresses.push_back(const_cast<std::byte*>(value.data()));
  return addresses;
}

}  // namespace

Result<Module> Module::load(const ContextPointer& context, std::string_view image,
                            const JitOptions& options) {
  JitRun run(options);
  const std::string terminated(image);  // PTX must end in a zero
  auto module = load_image(context, terminated.data(), run);
  if (!module.ok()) return module.error();
  return Module(std::move(*module), run.info());
}

Result<Module> Module::link(const ContextPointer& context, std::span<const PtxText> texts,
                            const JitOptions& options) {
  JitRun run(options);
  const DriverApi& api = context->enter();
  CuLink created = nullptr;
  if (const CuResult result = api.link_create(run.count(), run.names(), run.values(), &created);
      result != kCuSuccess) {
    return run.error(*context, result, "cuLinkCreate");
  }
  const Owned<CuLink, &DriverApi::link_destroy> link(context, created);
  for (const PtxText& ptx : texts) {
    std::string text(ptx.text);
    std::vector<int> options_of_text;
    std::vector<void*> values;
    const auto set = [&](int option, std::uint32_t value) {
      options_of_text.push_back(option);
      values.push_back(JitRun::number(value));
    };
    if (ptx.max_registers != 0) set(kMaxRegistersOption, static_cast<std::uint32_t>(ptx.max_registers));
    if (!ptx.optimise) set(kOptimisationLevelOption, 0);
    const CuResult result =
        api.link_add(created, kPtxInput, text.data(), text.size() + 1, ptx.name.c_str(),
                     static_cast<unsigned>(values.size()), options_of_text.data(), values.data());
    if (result != kCuSuccess) {
      Error failure = run.error(*context, result, "cuLinkAddData");
      failure.where = ptx.name;
      return failure;
    }
  }
  void* cubin = nullptr;
  std::size_t bytes = 0;
  if (const CuResult result = api.link_complete(created, &cubin, &bytes); result != kCuSuccess)
    return run.error(*context, result, "cuLinkComplete");
  JitRun loading({});
  auto module = load_image(context, cubin, loading);
  if (!module.ok()) return module.error();
  return Module(std::move(*module), run.info());
}

Result<Function> Module::function(const std::string& name) const {
  const ContextPointer& context = module_.context();
  CuFunction function = nullptr;
  const CuResult result = context->enter().module_function(&function, module_.get(), name.c_str());
  if (auto found = context->check(result, "cuModuleGetFunction"); !found.ok()) {
    Error failure = found.error();
    failure.where = name;
    return failure;
  }
  return Function(context, function, name);
}

Result<Module::Global> Module::global(const std::string& name) const {
  const ContextPointer& context = module_.context();
  Global global;
  const CuResult result =
      context->enter().module_global(&global.address, &global.bytes, module_.get(), name.c_str());
  if (auto found = context->check(result, "cuModuleGetGlobal"); !found.ok()) {
    Error failure = found.error();
    failure.where = name;
    return failure;
  }
  return global;
}

Result<Done> Module::set_global(const VariableContents& variable, const Stream& stream) const {
  const Result<Global> found = global(variable.name);
  if (!found.ok()) return found.error();
  const std::size_t bytes = std::min(found->bytes, variable.bytes.size());
  const ContextPointer& context = module_.context();
  return context->check(
      context->enter().copy_to_device(found->address, variable.bytes.data(), bytes, stream.handle()),
      "cuMemcpyHtoDAsync");
}

Result<FunctionAttributes> Function::attributes() const {
  const DriverApi& api = context_->enter();
  FunctionAttributes attributes;
  const std::pair<int, int*> wanted[] = {{kRegisters, &attributes.registers},
                                         {kSharedBytes, &attributes.shared_bytes},
                                         {kLocalBytes, &attributes.local_bytes},
                                         {kMaxThreadsPerBlock, &attributes.max_threads_per_block}};
  for (const auto& [which, value] : wanted) {
    if (auto asked = context_->check(api.function_attribute(value, which, function_), "cuFuncGetAttribute");
        !asked.ok())
      return asked.error();
  }
  return attributes;
}

Result<Done> Function::allow_dynamic_shared(std::uint32_t bytes) const {
  const CuResult result =
      context_->enter().function_set_attribute(function_, kMaxDynamicSharedBytes, static_cast<int>(bytes));
  auto allowed = context_->check(result, "cuFuncSetAttribute");
  if (allowed.ok()) return allowed;
  Error failure = allowed.error();
  failure.where = name_;
  failure.hint =
      tr("A block of this GPU has at most {most} bytes of shared memory; {wanted} of dynamic shared memory "
         "are asked for.",
         "most"_a = context_->gpu().shared_bytes_per_block, "wanted"_a = bytes);
  return failure;
}

Result<Done> Function::allow_large_clusters() const {
  return context_->check(
      context_->enter().function_set_attribute(function_, kNonPortableClusterSizeAllowed, 1),
      "cuFuncSetAttribute");
}

Result<int> Function::blocks_per_multiprocessor(Dim3 block, std::uint32_t dynamic_shared_bytes) const {
  int blocks = 0;
  const CuResult result =
      context_->enter().occupancy(&blocks, function_, static_cast<int>(block.count()), dynamic_shared_bytes);
  if (auto asked = context_->check(result, "cuOccupancyMaxActiveBlocksPerMultiprocessor"); !asked.ok())
    return asked.error();
  return blocks;
}

Result<Done> Function::check_together(const LaunchConfiguration& configuration) const {
  if (!configuration.waits_for_grid) return Done{};
  const Result<int> each = blocks_per_multiprocessor(configuration.block, configuration.dynamic_shared_bytes);
  if (!each.ok()) return each.error();
  const Gpu& gpu = context_->gpu();
  const auto max = static_cast<std::uint64_t>(*each) * static_cast<std::uint64_t>(gpu.multiprocessors);
  const std::uint64_t blocks = configuration.grid.count();
  if (blocks <= max) return Done{};
  return Error{
      tr("a grid of {blocks} blocks that wait for each other", "blocks"_a = blocks), name_,
      tr("The {gpu} holds {most} of them at a time, {each} on each of its {multiprocessors} multiprocessors, "
         "and later ones would never begin: "
         "choose a smaller grid.",
         "gpu"_a = gpu.name, "most"_a = max, "each"_a = *each, "multiprocessors"_a = gpu.multiprocessors)};
}

Result<Done> Function::launch(const LaunchConfiguration& configuration, const Stream& stream,
                              const Arguments& arguments) const {
  const auto& [grid, block, dynamic_shared_bytes, waits_for_grid, cluster] = configuration;
  std::array<CuLaunchAttribute, 2> attributes{};
  CuLaunch launch{.grid = {grid.x, grid.y, grid.z},
                  .block = {block.x, block.y, block.z},
                  .dynamic_shared_bytes = dynamic_shared_bytes,
                  .stream = stream.handle(),
                  .attributes = attributes.data(),
                  .attribute_count = 0};
  if (waits_for_grid) {
    CuLaunchAttribute& attribute = attributes[launch.attribute_count++];
    attribute.kind = kCooperative;
    attribute.cooperative = 1;
  }
  if (cluster.count() > 1) {
    CuLaunchAttribute& attribute = attributes[launch.attribute_count++];
    attribute.kind = kClusterDimension;
    attribute.cluster[0] = cluster.x;
    attribute.cluster[1] = cluster.y;
    attribute.cluster[2] = cluster.z;
  }
  std::vector<void*> addresses = addresses_of(arguments);
  auto done = context_->check(context_->enter().launch(&launch, function_, addresses.data(), nullptr),
                              "cuLaunchKernelEx");
  if (done.ok()) return done;
  Error failure = done.error();
  failure.where = name_;
  return failure;
}

}  // namespace warplens::gpu
