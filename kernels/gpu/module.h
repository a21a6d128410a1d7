// Code on the GPU: loaded or linked, looked into, launched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/base/dim3.h"
#include "kernels/base/variable_contents.h"
#include "kernels/gpu/context.h"

namespace warplens::gpu {

/// What the driver's compiler of PTX is told. Machine code that is loaded as it is knows nothing of it.
struct JitOptions {
  int max_registers = 0;   ///< A thread's; 0: as many as it likes
  bool line_info = false;  ///< Keep the source lines in the machine code
};

/// A kernel's arguments in order: each its bytes, as wide as the parameter.
class Arguments {
 public:
  template <class Value>
  void add(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    add_bytes(std::as_bytes(std::span(&value, 1)));
  }
  void add_bytes(std::span<const std::byte> bytes) { values_.emplace_back(bytes.begin(), bytes.end()); }
  [[nodiscard]] const std::vector<std::vector<std::byte>>& values() const { return values_; }

 private:
  std::vector<std::vector<std::byte>> values_;
};

struct FunctionAttributes {
  int registers = 0;              ///< A thread's
  int shared_bytes = 0;           ///< A block's, static
  int local_bytes = 0;            ///< A thread's: what was spilled, and arrays indexed at run time
  int max_threads_per_block = 0;  ///< As its registers allow
};

/// How a kernel is launched.
struct LaunchConfiguration {
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  bool waits_for_grid = false;  ///< Blocks wait for each other: all are started at once (cooperative launch)
  Dim3 cluster{1, 1, 1};        ///< Blocks of a cluster; more than 8: allow_large_clusters comes first
};

/// A kernel of a module; valid as long as the module is.
class Function {
 public:
  Function(ContextPointer context, CuFunction function, std::string name)
      : context_(std::move(context)), function_(function), name_(std::move(name)) {}

  [[nodiscard]] Result<FunctionAttributes> attributes() const;
  /// More than 48 KB of dynamic shared memory must be asked for before the launch ("CUDA C++ Programming
  /// Guide", shared memory of compute capability 7.x); fewer may be.
  [[nodiscard]] Result<Done> allow_dynamic_shared(std::uint32_t bytes) const;
  /// Clusters of more than 8 blocks must be asked for before the launch ("CUDA C++ Programming Guide",
  /// thread block clusters); fewer may be.
  [[nodiscard]] Result<Done> allow_large_clusters() const;
  /// How many of its blocks a multiprocessor holds at once.
  [[nodiscard]] Result<int> blocks_per_multiprocessor(Dim3 block, std::uint32_t dynamic_shared_bytes) const;
  /// Puts a launch into the stream, and returns at once. A fault shows when the stream is waited for.
  [[nodiscard]] Result<Done> launch(const LaunchConfiguration& configuration, const Stream& stream,
                                    const Arguments& arguments) const;
  /// Returns an error if the blocks wait for each other and the GPU does not hold all of them at once.
  [[nodiscard]] Result<Done> check_together(const LaunchConfiguration& configuration) const;
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  ContextPointer context_;
  CuFunction function_ = nullptr;
  std::string name_;
};

struct PtxText {
  std::string name;  ///< For messages
  std::string_view text;
  int max_registers = 0;  ///< For its functions; 0: what the options say
  bool optimise = true;   ///< Else compiled at level 0
};

class Module {
 public:
  /// Loads a fatbin, a cubin or PTX, told by their first bytes. PTX is compiled for this GPU; what its
  /// compiler complains of is in the error.
  [[nodiscard]] static Result<Module> load(const ContextPointer& context, std::string_view image,
                                           const JitOptions& options = {});
  /// Links several PTX texts that refer to each other's symbols.
  [[nodiscard]] static Result<Module> link(const ContextPointer& context, std::span<const PtxText> texts,
                                           const JitOptions& options = {});

  /// Finds a function by its mangled name.
  [[nodiscard]] Result<Function> function(const std::string& name) const;

  struct Global {
    CuDevicePointer address = 0;
    std::size_t bytes = 0;
  };
  /// A variable in global or constant memory, by its mangled name.
  [[nodiscard]] Result<Global> global(const std::string& name) const;
  /// Puts it at the start of the variable of that name, in the stream's order.
  [[nodiscard]] Result<Done> set_global(const VariableContents& variable, const Stream& stream) const;
  /// What the compiler of PTX reported; empty for machine code.
  [[nodiscard]] const std::string& log() const { return log_; }

 private:
  Module(Owned<CuModule, &DriverApi::module_unload> module, std::string log)
      : module_(std::move(module)), log_(std::move(log)) {}
  Owned<CuModule, &DriverApi::module_unload> module_;
  std::string log_;
};

}  // namespace warplens::gpu
