// The assembly listing of machine code, as nvdisasm and cuobjdump print it, as typed instructions.
//
//   .resources NAME, 32 registers, 0 bytes stack frame, ..     what ptxas said of a function, put there by
//   cmake/list_machine_code.cmake .constant NAME 0010 0x00 0x08 ..                          words that the
//   compiler keeps for a function in constant bank 2, from an offset on .symbol 0008 NAME whose address lies
//   in bank 4, at an offset .variable 0080 NAME                                       what lies in bank 3,
//   from an offset on _Z5tiledILi32EEvPKfS1_Pfiii:                              a function
//   	//## File "tiled.cu", line 25                             what the next instructions were made of
//   .L_x_1:                                                     a label
//           /*02a0*/         @!P0 LDS.128 R12, [R18+0x10] ;     address, guard, opcode with modifiers,
//           operands
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"

namespace warplens::sass {

inline constexpr std::uint32_t kZeroRegister = 255;        ///< RZ
inline constexpr std::uint32_t kUniformZeroRegister = 63;  ///< URZ
inline constexpr std::uint32_t kTruePredicate = 7;         ///< PT, UPT

/// "[R18.X4+UR4+0x10]": register x scale + uniform register + offset.
struct Address {
  std::uint32_t base = kZeroRegister, uniform_base = kUniformZeroRegister;
  std::uint32_t scale = 1;     ///< 1, 4, 8 or 16
  bool wide = false;           ///< The base is a pair of registers: a 64-bit address
  bool zero_extended = false;  ///< The base is 32 bits of an address in global memory
  std::int64_t offset = 0;
};

struct Operand {
  enum class Kind : std::uint8_t {
    reg,
    uniform_reg,
    predicate,
    uniform_predicate,
    immediate,  ///< An integer
    floating,
    constant,  ///< c[bank][register + offset]
    memory,
    label,
    name  ///< Anything else: SR_TID.X, SRZ, B0
  };
  Kind kind = Kind::name;
  std::uint32_t index = 0;  ///< Of a register or predicate; the target instruction of a label, if `resolved`;
                            ///< the bank of a constant
  bool negated = false, inverted = false; /* "-R4"; "~R4", "!P0" */
  bool resolved = false;                  ///< A label of this function
  std::int64_t value = 0;                 ///< Immediate
  double number = 0;                      ///< Floating
  Address address;                        ///< Memory, and within a constant bank
  std::string text;                       ///< Label or name
};

/// "@!P0"; PT where none is written.
struct Guard {
  std::uint32_t predicate = kTruePredicate;
  bool uniform = false, negated = false;
  [[nodiscard]] bool always() const { return predicate == kTruePredicate && !negated; }
};

/// A line of a source.
struct Place {
  std::uint32_t file = 0, line = 0;  ///< The file: an index into Listing::files
  friend bool operator==(const Place&, const Place&) = default;
};

struct Instruction {
  std::uint32_t address = 0;  ///< In bytes from the function's beginning
  std::uint32_t file = 0;     ///< Index into Listing::files, if line is not 0
  std::uint32_t line =
      0;  ///< Source line of the kernel's own code (the call, for inlined helpers); 0 unknown
  std::uint32_t places =
      0;  ///< Of inlined code: its places in Listing::inlined, from 1 on; 0 where it was not inlined
  Guard guard;
  std::string opcode;                  ///< "LDS"
  std::vector<std::string> modifiers;  ///< "E", "128"
  std::vector<Operand> operands;
  std::string text;  ///< As printed, without address and semicolon
  [[nodiscard]] bool has(std::string_view modifier) const;
};

struct Label {
  std::string name;
  std::uint32_t instruction = 0;  ///< May be one past the last
};

/// What the assembler gave a kernel.
struct Resources {
  std::uint32_t registers = 0;  ///< A thread
  std::uint32_t stack_bytes =
      0;  ///< A thread, in local memory: arrays indexed at run time, and spilled registers
  /// How many bytes of a thread the instructions store and load that spill a register or fetch it back: as
  /// they stand in the code, however often they run.
  std::uint32_t spill_store_bytes = 0, spill_load_bytes = 0;
  std::uint32_t shared_bytes = 0;  ///< A block: its static arrays
  friend bool operator==(const Resources&, const Resources&) = default;
};

struct Function {
  std::string name;  ///< Mangled
  std::vector<Instruction> instructions;
  std::vector<Label> labels;           ///< In order
  std::optional<Resources> resources;  ///< Where the listing says; nvdisasm and cuobjdump do not
};

/// Bytes of constant bank 2, which each function has its own of.
struct Literals {
  std::string function;
  std::uint32_t offset = 0;
  std::vector<std::uint8_t> bytes;
};

struct Listing {
  std::string architecture;  ///< "sm_90"; empty if it does not say
  std::vector<std::string> files;
  std::vector<std::vector<Place>>
      inlined;  ///< Where inlined code stands, then the calls that it was inlined at, from the innermost out
  std::vector<Function> functions;
  std::vector<Literals> literals;
  std::map<std::uint32_t, std::string>
      symbols;  ///< By offset in constant bank 4: the variable whose address is there
  std::map<std::uint32_t, std::string>
      variables;  ///< By offset in constant bank 3: the variable that begins there
  [[nodiscard]] const Function* find(std::string_view mangled_name) const;
};

/// Reads what `nvdisasm -c`, with `-g` or without, or `cuobjdump -sass` printed. Opcodes are not checked
/// here. An error names the line; a listing that ends within a function is one.
[[nodiscard]] Result<Listing> parse_listing(std::string_view text, const std::string& name);

/// Whether its address may be of any state space.
[[nodiscard]] bool has_generic_address(const Instruction& instruction);
/// How many bytes a lane moves: 1 to 16, by an instruction's modifiers.
[[nodiscard]] std::uint8_t access_bytes(const Instruction& instruction);
/// How many matrices LDSM and STSM move: 1, 2 or 4.
[[nodiscard]] std::uint8_t matrices_of(const Instruction& instruction);
/// How many registers a lane's part of the result of HMMA, IMMA, DMMA, BMMA, QMMA or of a
/// product of warpgroups takes.
[[nodiscard]] std::uint32_t result_registers(const Instruction& instruction);

}  // namespace warplens::sass
