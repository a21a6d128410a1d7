// Why the replay cannot run an instruction, and what such instructions have in common.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/ptx/module.h"

namespace warplens::replay {

enum class RefusalKind : std::uint8_t {
  tensor_cores,
  asynchronous_copies,
  clusters,
  textures,
  other_devices,
  calls,
  form,
  unknown
};
[[nodiscard]] const char* name_of(RefusalKind kind);  ///< "tensor cores": to be translated

struct Refusal {
  RefusalKind kind = RefusalKind::unknown;
  std::string reason;
};
/// Returns why an instruction cannot be run, as far as its opcode alone says so; `form` where the opcode is
/// known.
[[nodiscard]] Refusal refusal_of(const ptx::Instruction& instruction);

}  // namespace warplens::replay
