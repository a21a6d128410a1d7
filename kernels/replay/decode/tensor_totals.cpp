#include "kernels/replay/decode/tensor_totals.h"

#include <fmt/core.h>

#include "kernels/ptx/opcodes.h"
#include "kernels/tensor/fragments.h"

namespace warplens::replay {
namespace {

bool is_of_warpgroup(const ptx::Instruction& i) {
  return ptx::effect_of(i) == ptx::Effect::warpgroup_product;
}

bool is_sparse_of_warpgroup(const ptx::Instruction& i) {
  return i.opcode == ptx::Opcode::wgmma_mma_async_sp;
}

std::string kind_of_product(const ptx::Instruction& i) {
  const auto type = [&](tensor::MatrixRole role) { return ptx::name_of(tensor::element_type(i, role)); };
  const char* const name = is_sparse_of_warpgroup(i)      ? "wgmma.sp"
                           : is_of_warpgroup(i)           ? "wgmma"
                           : tensor::is_sparse(i)         ? "mma.sp"
                           : i.opcode == ptx::Opcode::mma ? "mma"
                                                          : "wmma.mma";
  return fmt::format("{}.m{}n{}k{}.{}.{}.{}.{}", name, i.m, i.n, i.k, type(tensor::MatrixRole::d),
                     type(tensor::MatrixRole::a), type(tensor::MatrixRole::b),
                     is_of_warpgroup(i) ? type(tensor::MatrixRole::d) : type(tensor::MatrixRole::c));
}

/// Counts two operations for each multiply-add: of sparse ones only those of stored elements, of wgmma a
/// warp's quarter.
std::uint64_t operations_of(const ptx::Instruction& i) {
  constexpr std::uint64_t kWarpsOfGroup = 4;
  const std::uint64_t of_stored = is_sparse_of_warpgroup(i) ? 2 : 1;
  if (is_of_warpgroup(i)) return 2 * std::uint64_t{i.m} * i.n * i.k / kWarpsOfGroup / of_stored;
  const std::uint64_t products = tensor::has_four_products(i) ? 4 : 1,
                      terms = tensor::is_sparse(i) ? i.k / 2 : i.k;
  return 2 * products * i.m * i.n * terms;
}

}  // namespace

std::vector<TensorTotals> list_tensor_instructions(const ptx::Function& function) {
  std::vector<TensorTotals> listed;
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    if (!ptx::is_product_of_matrices(instruction) && !is_of_warpgroup(instruction)) continue;
    listed.push_back({.instruction = i,
                      .ptx_line = instruction.ptx_line,
                      .file = instruction.location.outer_file,
                      .line = instruction.location.outer_line,
                      .kind = kind_of_product(instruction),
                      .operations = operations_of(instruction)});
  }
  return listed;
}

std::vector<std::uint32_t> tensor_instructions_before(const std::vector<TensorTotals>& listed,
                                                      std::size_t instructions) {
  std::vector<std::uint32_t> before;
  if (listed.empty()) return before;
  std::uint32_t count = 0;
  for (std::size_t i = 0; i <= instructions; ++i) {
    before.push_back(count);
    if (count < listed.size() && listed[count].instruction == i) ++count;
  }
  return before;
}

void add_tensor_executions(Recording& recording, const std::vector<std::uint64_t>& executions,
                           std::uint64_t times) {
  for (std::size_t k = 0; k < executions.size(); ++k)
    recording.tensor[k].instructions += times * executions[k];
}

}  // namespace warplens::replay
