#include "kernels/replay/block_details.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <vector>

#include "kernels/base/texts.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/block/lanes.h"
#include "kernels/replay/block/team.h"
#include "kernels/replay/block_observer.h"
#include "kernels/replay/extrapolate/exposed.h"
#include "kernels/replay/texture/textures.h"
#include "kernels/tensor/operand_matrices.h"
#include "kernels/tensor/shared_matrix.h"

namespace warplens::replay {
namespace {

using Kind = ptx::Operand::Kind;

const Instr* observe_matrices(Machine& m, const Instr* i) {
  return m.runner->block_observer->run(m, i);
}

}  // namespace

BlockObserver::BlockObserver(const Program::Code& code, std::uint64_t block, std::uint32_t warp)
    : code_(code), block_(block), warp_(warp), handlers_(handlers_of(code)) {
  for (std::uint32_t i = 0; i < code.function.instructions.size(); ++i) {
    std::vector<tensor::OperandMatrix> matrices = tensor::operand_matrices(code.function.instructions[i]);
    if (!matrices.empty()) matrices_.emplace(i, std::move(matrices));
  }
}

std::vector<std::uint32_t> BlockObserver::instructions() const {
  std::vector<std::uint32_t> instructions;
  for (const auto& [instruction, matrices] : matrices_) instructions.push_back(instruction);
  return instructions;
}

/// The lanes' values of one operand, each of `bytes` bytes. Returns false where it holds none: a sink, or a
/// register that nothing reads.
bool BlockObserver::read(const Machine& m, const ptx::Operand& operand, std::size_t bytes,
                         std::byte* to) const {
  if (operand.kind != Kind::reg && operand.kind != Kind::immediate) return false;
  Head constant;
  constant.base = operand.bits;
  const Head* head = &constant;
  if (operand.kind == Kind::reg) {
    const std::uint32_t index = code_.head_of_register[static_cast<std::uint32_t>(operand.reg)];
    if (index >= code_.heads.size()) return false;
    head = reinterpret_cast<const Head*>(m.registers) + index;
  }
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t bits = value_of_lane(*head, bytes == 8, lane);
    std::memcpy(to + lane * bytes, &bits, bytes);
  }
  return true;
}

void BlockObserver::read(const Machine& m, const std::vector<tensor::OperandMatrix>& matrices, bool written,
                         MatrixExecution& execution) const {
  std::byte* to = execution.registers.data();
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    const std::size_t bytes = matrices[k].fragment.register_bytes() * kWarpSize;
    for (std::size_t r = 0; r < matrices[k].registers.size(); ++r) {
      if (matrices[k].is_written == written &&
          !read(m, matrices[k].registers[r], matrices[k].fragment.register_bytes(), to + r * bytes))
        execution.unknown |= 1u << k;
    }
    to += matrices[k].fragment.registers * bytes;
  }
}

/// Reads the matrices of wgmma that lie in shared memory, and clears C where it does not count.
void BlockObserver::read_shared(const Machine& m, const Instr& i,
                                const std::vector<tensor::OperandMatrix>& matrices,
                                MatrixExecution& execution) const {
  constexpr std::uint32_t kRowsOfWarp = 16, kWarpsOfWarpgroup = 4;
  const auto head = [&](WarpgroupOperand operand) -> const Head& {
    return *reinterpret_cast<const Head*>(m.registers + i.more[operand]);
  };
  const auto first_lane = static_cast<std::uint32_t>(std::countr_zero(m.active));
  const std::uint32_t first_row = m.warp % kWarpsOfWarpgroup * kRowsOfWarp;
  const auto flags = WarpgroupFlags::of(i.more[kWarpgroupFlags]);
  const auto of_c = static_cast<std::uint32_t>(head(kWarpgroupC).base) ^ (flags.c_negated ? ~0u : 0u);
  execution.descriptors.resize(matrices.size());
  std::byte* to = execution.registers.data();
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    const tensor::OperandMatrix& matrix = matrices[k];
    const tensor::Fragment& fragment = matrix.fragment;
    const std::size_t all_bytes = fragment.registers * fragment.register_bytes() * kWarpSize;
    if (matrix.name == 'C' && (of_c & m.active) == 0) std::memset(to, 0, all_bytes);
    if (matrix.descriptor) {
      const bool is_b = matrix.name == 'B';
      execution.descriptors[k] =
          value_of_lane(head(is_b ? kDescriptorOfB : kDescriptorOfA), true, first_lane);
      const auto shared = tensor::SharedMatrix::of(execution.descriptors[k], matrix.is_mn_major);
      const std::uint32_t bytes = fragment.element_bits / 8u;
      for (std::uint32_t at = 0; at < fragment.rows * std::uint32_t{fragment.columns}; ++at) {
        const std::uint32_t row = at / fragment.columns, column = at % fragment.columns;
        const std::uint32_t address = is_b ? shared.address_of_element(column, row, bytes)
                                           : shared.address_of_element(first_row + row, column, bytes);
        if (address >= m.shared.begin && address + bytes <= m.shared.end)
          std::memcpy(to + at * bytes, m.shared.data + address, bytes);
      }
    }
    to += all_bytes;
  }
}

const Instr* BlockObserver::run(Machine& m, const Instr* i) {
  const Handler handler = handlers_[i->index];
  if (ptx::effect_of(code_.function.instructions[i->index]) == ptx::Effect::warpgroup_product)
    note(*m.runner, {.kind = SyncKind::multiply,
                     .instruction = i->index,
                     .warp = m.warp,
                     .order = m.runner->event_log.events_of(m.warp)});
  if (m.warp != warp_ || m.runner->block() != block_) return handler(m, i);
  const std::vector<tensor::OperandMatrix>& matrices = matrices_.at(i->index);
  std::size_t bytes = 0;
  for (const tensor::OperandMatrix& matrix : matrices)
    bytes += matrix.fragment.registers * kWarpSize * matrix.fragment.register_bytes();
  bytes_ += bytes;
  if (bytes_ > kMaxMatrixBytes) {
    seen.cut = true;
    return handler(m, i);
  }
  MatrixExecution execution{.instruction = i->index,
                            .order = m.runner->event_log.events_of(warp_),
                            .registers = std::vector<std::byte>(bytes)};
  read(m, matrices, false, execution);
  const ptx::Instruction& instruction = code_.function.instructions[i->index];
  if (tensor::is_sparse(instruction)) {
    execution.metadata.resize(kWarpSize);
    auto* const to = reinterpret_cast<std::byte*>(execution.metadata.data());
    if (!read(m, instruction.operands[4], sizeof(std::uint32_t), to)) execution.metadata.clear();
  }
  if (ptx::effect_of(instruction) == ptx::Effect::warpgroup_product) read_shared(m, *i, matrices, execution);
  const Instr* const next = handler(m, i);
  read(m, matrices, true, execution);
  seen.executions.push_back(std::move(execution));
  return next;
}

void BlockObserver::note(const BlockRunner& runner, const TensorCopy& copy) {
  if (runner.block() == block_ && seen.copies.size() < kMaxTensorCopies) seen.copies.push_back(copy);
}

void BlockObserver::note(const BlockRunner& runner, Sync sync) {
  if (runner.block() != block_ || seen.syncs.size() >= kMaxSyncs) return;
  const bool is_of_mbarrier = sync.kind != SyncKind::barrier_arrive && sync.kind != SyncKind::barrier_wait &&
                              sync.kind != SyncKind::multiply;
  if (is_of_mbarrier) {
    std::uint32_t& ended = phases_[sync.object];
    sync.phase = sync.kind == SyncKind::wait ? std::max(ended, 1u) - 1 : ended;
    if (sync.kind == SyncKind::phase_end) ++ended;
  }
  if (sync.kind == SyncKind::arrive && !seen.syncs.empty()) {
    Sync same = seen.syncs.back();
    same.count = sync.count;
    if (same == sync) {
      seen.syncs.back().count += sync.count;
      return;
    }
  }
  seen.syncs.push_back(sync);
}

void BlockRunner::note(SyncKind kind, std::uint32_t instruction, std::uint32_t warp, std::uint32_t object,
                       std::uint64_t count, std::uint32_t rank_of_other) const {
  if (block_observer == nullptr) return;
  block_observer->note(*this, {.kind = kind,
                               .instruction = instruction,
                               .warp = warp,
                               .order = warp == kOtherBlock ? 0 : event_log.events_of(warp),
                               .object = object,
                               .count = count,
                               .rank = warp == kOtherBlock ? rank_of_other : 0});
}

Result<BlockDetails> details_of_block(const Program& program, const Launch& launch, Memory& memory,
                                      const Options& options, Dim3 block, std::uint32_t warp) {
  Options one = options;
  one.replay_blocks = one.event_blocks = std::vector<Dim3>{block};
  one.threads = 1;
  one.pattern_cost = nullptr;
  try {
    BlockObserver observer(program.code(), linear_index(launch.grid, block), warp);
    const std::vector<std::uint32_t> instructions = observer.instructions();
    const Program::Code code = with_handler(program.code(), instructions, observe_matrices);
    Result<Outline> outlined = outline(code, launch, one);
    if (!outlined.ok()) return outlined.error();
    if (warp >= outlined->warps)
      return Error{tr("there is no warp {warp}", "warp"_a = warp), "",
                   tr("A block has {warps} warps, counted from 0.", "warps"_a = outlined->warps)};
    if (auto error = check_textures(code, launch)) return std::move(*error);
    std::vector<std::byte> parameters;
    if (auto error = pass_arguments(code, launch, memory.bases(), parameters)) return std::move(*error);
    const ZeroPages module_bytes = code.global.pages(launch.variables);
    std::vector<std::byte*> contents;
    for (std::uint32_t b = 0; b < memory.buffers().size(); ++b) contents.push_back(memory.bytes(b).data());
    Job job{.code = code,
            .launch = launch,
            .options = one,
            .sites = sites_of_launch(code, launch),
            .parameters = parameters};
    set_up(job, *outlined, memory.buffers(), contents, module_bytes);
    PatternTotals totals(job.sites, one);
    Team team(job, totals, outlined->count, &outlined->blocks, 1);
    for (const auto& runner : team.runners) runner->block_observer = &observer;
    if (auto error = team.run()) return std::move(*error);
    observer.seen.block = block;
    observer.seen.warp = warp;
    return std::move(observer.seen);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace warplens::replay
