// A PTX entry decoded for the replay: once per kernel, then run for any launch. Nothing is looked up by name
// after this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/base/variable_contents.h"
#include "kernels/ptx/module.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/decode/refusals.h"

namespace warplens::replay {

/// An instruction that the replay cannot run. Other kernels of the same module are not affected, nor is a run
/// that never reaches it.
struct Unsupported {
  std::uint32_t ptx_line = 0;
  std::uint32_t file = 0, line = 0;
  std::string text, reason;
  RefusalKind kind = RefusalKind::unknown;
};

class Program {
 public:
  /// Copies what it needs of the module. Fails only where nothing could run (no such entry, no body).
  [[nodiscard]] static Result<Program> decode(const ptx::Module& module, const std::string& entry);

  [[nodiscard]] const std::vector<Unsupported>& unsupported() const;
  [[nodiscard]] std::uint32_t static_shared_bytes() const;
  [[nodiscard]] const ptx::Function& function() const;
  [[nodiscard]] const std::vector<std::string>& files() const;  ///< Paths of Module::files

  struct Code;  ///< The decoded form; private to the replay
  [[nodiscard]] const Code& code() const { return *code_; }

 private:
  std::shared_ptr<const Code> code_;
};

/// A module's variable that the entry names, as a launch begins that sets some.
struct ModuleVariable {
  std::string name;
  std::uint64_t address = 0;  ///< In its state space
  std::vector<std::byte> bytes;
};
[[nodiscard]] std::uint64_t bytes_of_global_variables(const Program& program);
[[nodiscard]] std::vector<ModuleVariable> global_variables(const Program& program,
                                                           std::span<const VariableContents> set);
[[nodiscard]] std::vector<ModuleVariable> constant_variables(const Program& program,
                                                             std::span<const VariableContents> set);

/// A parameter that is the handle of a texture or surface, as instructions use it.
struct HandleUse {
  std::uint32_t parameter = 0;
  ptx::TextureGeometry geometry = ptx::TextureGeometry::none;
  bool is_surface = false, by_index = false;  ///< by_index: of linear memory of one dimension
};
/// What a decoded entry is asked for where it is not to run.
struct Inspection {
  std::vector<Unsupported> unsupported;
  std::vector<HandleUse> handles;  ///< In no order; the same one may be used several times
  std::uint64_t static_shared_bytes = 0;
};
/// Inspects an entry of `module`. Takes time and memory in proportion to the function's size, whatever else
/// is in the module.
[[nodiscard]] Result<Inspection> inspect(const ptx::Module& module, const ptx::Function& function);

/// What a memory instruction is called in records; none for others. An atomic operation whose result is not
/// used is recorded as a reduction.
[[nodiscard]] std::optional<AccessOp> access_op(const ptx::Instruction& instruction);

}  // namespace warplens::replay
