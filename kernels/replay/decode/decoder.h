// From a PTX function to the flat array of instructions that the cores run: what the parts of the decoder
// share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/ptx/module.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/replay/core/video.h"
#include "kernels/replay/decode/code.h"
#include "kernels/replay/decode/link.h"
#include "kernels/replay/decode/product_sums.h"
#include "kernels/replay/decode/refusals.h"
#include "kernels/replay/decode/registers.h"

namespace warplens::replay {

class Decoder {
 public:
  Decoder(const ptx::Module& module, const ptx::Function& function);

  /// Once. Fails only where nothing could run; instructions that cannot are kept as such.
  Result<std::shared_ptr<Program::Code>> decode();

 private:
  using Kind = ptx::Operand::Kind;
  using Effect = ptx::Effect;
  using Opcode = ptx::Opcode;
  using StateSpace = ptx::StateSpace;
  using Type = ptx::Type;
  static constexpr std::uint32_t kNoOperand = 0xffffffffu;
  /// What a source or destination register must hold: 1 for a predicate, 4 or 8 bytes, 0 for either of the
  /// two.
  using Width = int;
  [[nodiscard]] static Width width_of_type(Type type);
  /// The width that operand `k` of an instruction must have.
  [[nodiscard]] static Width operand_width(const ptx::Instruction& instruction, std::size_t k);

  const ptx::Function& function() const { return code_->function; }

  // ---- decode.cpp: properties, and instructions one after the other

  void find_properties();
  void find_crossings();
  void emit_all();
  void emit(const ptx::Instruction& instruction);
  /// Emits an instruction that logs at run time what orders lanes of a warp, before the one that does, in
  /// kernels that store to shared memory.
  void log_order(const ptx::Instruction& instruction);
  /// Emits an instruction that checks the accesses of the next one to registers of wgmma.
  void check_wgmma_registers(const ptx::Instruction& instruction);
  [[nodiscard]] bool is_replayed_call(const ptx::Instruction& instruction) const;
  void choose_handler(const ptx::Instruction& instruction, Instr& instr, const Traits& traits);
  Traits traits_of(const ptx::Instruction& i);
  void fill(const ptx::Instruction& instruction, Instr& instr, Traits& traits);
  void fill_branch(const ptx::Instruction& instruction, Instr& instr, Traits& traits);
  void fill_indexed_branch(const ptx::Instruction& instruction, Instr& instr);
  void fill_texels(const ptx::Instruction& instruction, Instr& instr);
  void load_texture_queries();
  [[nodiscard]] std::optional<std::uint32_t> parameter_of_handle(const ptx::Operand& handle) const;
  void fill_barrier(const ptx::Instruction& instruction, Instr& instr);
  /// Addresses are known now: branch targets, joins, operand lists.
  void link();

  // ---- decode_calls.cpp: functions that are called

  /// Lays out the parameters of calls, and what functions declare that may be called while they run, in the
  /// memory of each call.
  void lay_out_calls();
  void pass_parameters();
  static std::uint64_t place_in(std::uint64_t& bytes, const ptx::Variable& variable);
  [[nodiscard]] CallArgument call_argument_in(std::uint32_t v) const;
  [[nodiscard]] CallArgument call_parameter(std::uint32_t v,
                                            const std::optional<std::vector<std::uint32_t>>& live) const;
  [[nodiscard]] bool is_call_param(std::uint32_t v) const;
  [[nodiscard]] bool is_call_param(const ptx::Operand& address) const;
  [[nodiscard]] static std::uint64_t address_of_piece(std::uint32_t piece);
  void set_initial_addresses();
  /// Returns the head that holds the address of a recursive function's variable, plus `offset`, in the memory
  /// of the call.
  std::uint32_t in_call(std::uint32_t v, std::int64_t offset);
  void finish_pieces();
  [[nodiscard]] std::uint32_t piece_at(std::uint32_t index) const;
  void fill_call(const ptx::Instruction& instruction, Instr& instr);
  CallArgument call_operand(const ptx::Operand& operand);

  // ---- decode_operands.cpp: the register file, and operands as places in it

  std::uint32_t slot_head(std::uint32_t slot) const {
    return slot * static_cast<std::uint32_t>(sizeof(Head));
  }
  /// Slots first, so that a register's Head offset tells its slot; then special registers and constants as
  /// they are met.
  void number_heads();
  std::uint32_t add_head(HeadPlan plan);
  std::uint32_t constant(std::uint64_t bits, bool in_shared = false);
  /// The address of a variable and `offset` bytes.
  std::uint32_t variable(const ptx::Operand& operand, std::int64_t offset);
  std::uint32_t special(ptx::SpecialRegister which, Width width);
  void place_heads();
  Width register_width(const ptx::Operand& operand) const;
  /// The exact bytes of a register: 2 and 4 share a class, and narrow signed values are extended to one or
  /// the other.
  std::uint8_t exact_bytes(const ptx::Operand& operand) const;
  static std::uint64_t immediate_bits(const ptx::Operand& operand, Type type);
  /// The Head of a register, constant or special register. `width` 0: any but a predicate.
  std::uint32_t operand_head(const ptx::Operand& operand, Width width, Type type);
  std::uint32_t source(const ptx::Instruction& instruction, std::size_t k);
  std::uint32_t destination(const ptx::Instruction& instruction, std::size_t k);
  bool negated(const ptx::Instruction& instruction, std::size_t k) const;
  /// Remembers a list for Instr::more; pointers are set at the end.
  void set_more(Instr& instr, const std::vector<std::uint32_t>& list);
  void fail(std::string reason);
  void refuse(const ptx::Instruction& instruction);

  // ---- decode_memory.cpp: loads, stores, atomics

  void group_loads();
  void fill_access(const ptx::Instruction& instruction, Instr& instr, Traits& traits);
  void fill_matrices(const ptx::Instruction& instruction, Instr& instr);
  /// wmma.load and wmma.store.
  void fill_fragment(const ptx::Instruction& instruction, Instr& instr);
  void fill_copy(const ptx::Instruction& instruction, Instr& instr);
  // decode_bulk.cpp
  void fill_bulk_copy(const ptx::Instruction& instruction, Instr& instr);
  void fill_cluster_barrier(const ptx::Instruction& instruction, Instr& instr);
  void fill_cluster_address(const ptx::Instruction& instruction, Instr& instr);
  void reach_cluster(const ptx::Instruction& instruction, Instr& instr);
  AddressOperand address_operand(const ptx::Operand& address);

  // decode_memory.cpp
  void fill_copy_order(const ptx::Instruction& instruction, Instr& instr);
  void fill_mbarrier(const ptx::Instruction& instruction, Instr& instr);
  /// Adds what comes before a group's first load, or before the first instruction of the sum that it stands
  /// in.
  void begin_loads(std::uint32_t group);
  void find_sums();
  /// Adds what comes before the first instruction of a sum of products.
  void begin_sum(const ProductSumPlan& sum);
  void fill_call_param(const ptx::Instruction& instruction, Instr& instr);
  void fill_address(const ptx::Operand& address, Instr& instr);
  void fill_atomic(const ptx::Instruction& instruction, Instr& instr, Traits& traits);
  /// Fills in an atomic of several elements, or of 16 bytes, whose registers are pairs.
  void fill_atomic_of_vector(const ptx::Instruction& instruction, std::size_t first, Instr& instr);

  // ---- decode_matrices.cpp: products of matrices

  void fill_product(const ptx::Instruction& instruction, Instr& instr);
  void fill_tensor_map(const ptx::Instruction& instruction, Instr& instr);
  void fill_warpgroup_product(const ptx::Instruction& instruction, Instr& instr);
  void fill_warpgroup_order(const ptx::Instruction& instruction, Instr& instr);

  // ---- decode_results.cpp: instructions that do nothing but compute

  /// Fills in instructions that do nothing but compute a result and whose operands are in an unusual order.
  void fill_result(const ptx::Instruction& instruction, Instr& instr, Traits& traits);
  void fill_video(const ptx::Instruction& instruction, const VideoForm& form, Instr& instr);
  void fill_plain(const ptx::Instruction& instruction, Instr& instr, Traits& traits);
  // lop3.and d|p, a, b, c, table, q: whether the result is not zero, and q
  void fill_lop3_test(const ptx::Instruction& instruction, Instr& instr);
  /// What only advises caches leaves zero where it leaves anything.
  void fill_idle(const ptx::Instruction& instruction, Instr& instr, Traits& traits);
  void fill_move(const ptx::Instruction& instruction, Instr& instr, Traits& traits);
  /// mov.b128, whose registers are pairs here: see split_wide_registers.
  void fill_move_of_elements(const ptx::Instruction& instruction, Instr& instr, Traits& traits);
  static bool fill_clock(ptx::SpecialRegister which, Instr& instr, Traits& traits);
  /// What set leaves where the comparison holds: 1.0, or all ones.
  static std::int64_t one_of(Type type);
  void fill_comparison(const ptx::Instruction& instruction, Instr& instr);
  void fill_shuffle(const ptx::Instruction& instruction, Instr& instr);
  void fill_warp(const ptx::Instruction& instruction, Instr& instr);
  void fill_cvta(const ptx::Instruction& instruction, Instr& instr);

  struct Branch {
    std::uint32_t at, target, block;
  };
  struct Grouped {
    std::uint32_t group, above;
  };

  std::shared_ptr<Program::Code> code_;
  Linked linked_;  ///< Its function and flow are in code_
  RegisterSlots slots_;
  std::vector<std::uint64_t> variable_address_;
  std::vector<std::uint32_t> first_site_, position_;
  std::map<std::pair<std::uint64_t, bool>, std::uint32_t> constants_;
  std::map<std::pair<ptx::SpecialRegister, Width>, std::uint32_t> specials_;
  std::map<std::uint32_t, Grouped> grouped_;      ///< By PTX instruction
  std::vector<bool> begun_;                       ///< By group of loads
  std::map<std::uint32_t, ProductSumPlan> sums_;  ///< By their first PTX instruction
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      fused_ends_;  ///< What runs ahead of several, and the PTX instruction behind them
  std::uint32_t condition_code_ = 0;
  std::vector<std::uint32_t> crossings_;  ///< Ascending
  bool stores_to_shared_ = false;
  bool maps_generic_addresses_ = false;  ///< By mapa
  std::vector<bool> results_used_;       ///< By PTX instruction: of atomics
  std::vector<std::pair<std::size_t, std::size_t>> more_of_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> indexed_;
  std::vector<Branch> branches_;
  std::string reason_;
  RefusalKind kind_ = RefusalKind::form;  ///< Of reason_
  std::uint32_t index_ = 0;
};

}  // namespace warplens::replay
