// The body of a function: scopes, declarations, labels and instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernels/ptx/cursor.h"
#include "kernels/ptx/declarations.h"
#include "kernels/ptx/line_table.h"
#include "kernels/ptx/module.h"
#include "kernels/ptx/symbols.h"

namespace warplens::ptx {

struct OperandForm;

/// One for a module; `parse` is called for each body.
class BodyParser {
 public:
  BodyParser(Cursor& cursor, Module& module, SymbolTable& symbols, LineTable& lines)
      : cursor_(cursor), module_(module), symbols_(symbols), lines_(lines) {}

  /// Registers of the module are seen in all bodies from here on.
  void declare_in_module(std::vector<RegisterDeclaration> registers);
  /// Parses from behind the opening `{` to behind the closing one. The function's parameters are declared
  /// already, in a scope that the caller closes.
  [[nodiscard]] bool parse(Function& function);

 private:
  /// What an operand's text turned out to be. An unsupported one makes its instruction unsupported; an error
  /// ends the parse.
  enum class Outcome { good, unsupported, error };

  struct RegisterRange {
    Type type;
    std::uint32_t elements;  ///< 2 or 4 of vectors
    bool is_opaque;          ///< Of the module: see declare_registers_of_module
    std::uint64_t count;
    std::size_t depth;                    ///< Of its scope, as SymbolTable counts
    std::optional<std::uint32_t> hidden;  ///< Of the same prefix, in a scope around this one's: its registers
                                          ///< with higher numbers are still seen
  };
  struct InRange {
    std::uint32_t range, number;
  };
  struct LabelReference {
    std::string_view label;
    std::uint32_t instruction, operand;
    std::uint32_t element;  ///< Of a table of branch targets, else kNoElement
    std::uint32_t line;
  };
  static constexpr std::uint32_t kNoElement = 0xffffffffu;

  /// Labels are seen from all of their scope and the scopes in it, also before they stand: references wait
  /// for their scope's end.
  struct Scope {
    std::unordered_map<std::string_view, std::uint32_t> labels;
    std::vector<LabelReference> references;
  };

  void open_scope();
  [[nodiscard]] bool close_scope();
  [[nodiscard]] bool parse_statement();
  [[nodiscard]] bool parse_directive();
  void declare(const RegisterDeclaration& declaration, bool is_opaque);
  void declare_registers_of_module();
  [[nodiscard]] bool parse_variables(StateSpace space);
  [[nodiscard]] bool parse_label(const Token& name);
  [[nodiscard]] bool parse_branch_targets(std::string_view name);
  void complete_body(std::uint32_t last_line);
  void read_returned_registers(Instruction& ret) const;

  [[nodiscard]] bool parse_guard(Operand& guard);
  [[nodiscard]] std::string_view parse_suffixes(std::string_view word);
  [[nodiscard]] bool parse_instruction(Operand guard, const Token& opcode);
  [[nodiscard]] bool check_address(const Instruction& instruction, const Token& opcode);
  [[nodiscard]] Outcome parse_operands(Instruction& instruction);
  [[nodiscard]] Outcome parse_operand(const OperandForm& form, Instruction& instruction);
  [[nodiscard]] Outcome parse_call(Instruction& instruction);
  [[nodiscard]] Outcome parse_call_list(Operand& list);
  [[nodiscard]] Outcome parse_label_operand(Instruction& instruction);
  [[nodiscard]] Outcome parse_table_operand(Instruction& instruction);
  [[nodiscard]] Outcome parse_address(Operand& operand);
  [[nodiscard]] Outcome parse_vector(Operand& operand);
  [[nodiscard]] Outcome parse_value(Operand& operand);
  [[nodiscard]] Outcome take_constant(const std::optional<Operand>& value, Operand& operand) const;
  [[nodiscard]] Outcome parse_name(Operand& operand, bool negated);
  [[nodiscard]] Outcome parse_index(Operand& operand);
  [[nodiscard]] Operand address_of_element(const Operand& index, int element_bytes, const Operand& variable);
  [[nodiscard]] Operand emit_computed(const char* opcode, Type type, std::vector<Operand> operands);
  void emit_generated(const char* opcode, std::vector<Operand> operands, const Operand& guard);
  void use_stack(Instruction& instruction, const Operand& guard);
  [[nodiscard]] Operand stack_pointer();
  [[nodiscard]] Operand widened_to_64(const Operand& value);
  void clear_stack_at_entry();
  [[nodiscard]] Outcome resolve(const Token& name, Operand& operand);
  [[nodiscard]] Outcome resolve_component(const Token& name, Operand& operand);
  [[nodiscard]] Outcome resolve_predefined(const Token& name, Operand& operand);
  [[nodiscard]] Token take_part(const Token& name, Operand& operand) const;
  [[nodiscard]] bool is_part_of_register(std::string_view name) const;
  [[nodiscard]] Outcome parse_offset(std::int64_t& offset);

  /// Finds a register of a range. By ptxas' rule all digits at the end of a name are its number.
  [[nodiscard]] std::optional<InRange> find_in_ranges(std::string_view name) const;
  void use_range(InRange place, std::string_view name, Operand& operand);
  /// Sets `variable` to the function's copy of a module's variable.
  [[nodiscard]] bool copy_module_variable(std::uint32_t index, std::uint32_t line, std::uint32_t& variable);
  std::uint32_t add_register(std::string_view name, Type type);
  std::uint32_t add_vector(std::string_view name, Type type, std::uint32_t elements);
  static void use_registers(std::uint32_t first, std::uint32_t elements, Operand& operand);

  Cursor& cursor_;
  Module& module_;
  SymbolTable& symbols_;
  LineTable& lines_;
  std::vector<RegisterDeclaration> of_module_;
  std::unordered_map<std::string_view, Instruction>
      prototypes_;  ///< By opcode with its suffixes, each decoded once

  // Of the body being parsed:
  Function* function_ = nullptr;
  std::vector<Scope> scopes_;
  SymbolTable ranges_by_prefix_;
  std::vector<RegisterRange> ranges_;
  /// Range (high half) and number in it, to register (the first one of a vector): those named so far.
  std::unordered_map<std::uint64_t, std::uint32_t> registers_of_ranges_;
  std::vector<std::vector<std::string_view>> branch_targets_;
  std::unordered_map<std::uint32_t, std::uint32_t> copies_;  ///< Module variable to function variable
  std::optional<std::uint32_t> stack_;                       ///< The variable that `alloca` allocates in
  std::optional<std::uint32_t> stack_pointer_;               ///< The register with the bytes of it in use
  std::uint32_t highest_target_ = 0;  ///< The last instruction that a label in use stands before
};

}  // namespace warplens::ptx
