#include "kernels/sass/listing.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/sass/operands.h"

namespace warplens::sass {
namespace {

/// Takes a word off the front: up to the first of `ends`.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::string_view word = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(word.size());
  return word;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  Result<Listing> parse(const std::string& name) {
    while (!rest_.empty()) {
      const std::string_view line = trimmed(rest_.substr(0, rest_.find('\n')));
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size() - 1) + 1);
      ++number_;
      if (const char* const wrong = parse_line(line)) return error(name, wrong);
    }
    if (const char* const wrong = finish_function()) return error(name, wrong);
    for (Function& function : listing_.functions) {
      if (const auto known = resources_.find(function.name); known != resources_.end())
        function.resources = known->second;
    }
    return std::move(listing_);
  }

 private:
  Error error(const std::string& name, const char* what) const {
    return {tr(what), fmt::format("{}:{}", name, number_),
            tr("Make the listing again, with nvdisasm -c -g or cuobjdump -sass.")};
  }

  /// What is wrong with the line, or nullptr.
  const char* parse_line(std::string_view line) {
    if (line.starts_with("//## File ")) return parse_place(line);
    if (line.starts_with("/*")) return parse_instruction(line);
    if (line.starts_with(".target")) {
      listing_.architecture = trimmed(line.substr(7));
    } else if (line.starts_with("code for ")) {
      listing_.architecture = trimmed(line.substr(9));
    } else if (line.starts_with(".resources ")) {
      return parse_resources(line.substr(11));
    } else if (line.starts_with(".constant ")) {
      return parse_literals(line.substr(10));
    } else if (line.starts_with(".symbol ")) {
      return parse_symbol(line.substr(8), listing_.symbols);
    } else if (line.starts_with(".variable ")) {
      return parse_symbol(line.substr(10), listing_.variables);
    } else if (line.starts_with("Function : ")) {
      return begin_function(trimmed(line.substr(11)));
    } else if (line.starts_with(".section") || line.starts_with("//-----")) {
      return finish_function();
    } else if (line.ends_with(':') && line.find_first_of(" \t\"") == std::string_view::npos) {
      return parse_label(line.substr(0, line.size() - 1));
    }
    return nullptr;
  }

  /// `NAME, 32 registers, 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads, 8192 bytes smem`
  const char* parse_resources(std::string_view line) {
    constexpr const char* kWrong = marked("resources that are not understood");
    const std::string_view name = take_until(line, ",");
    Resources resources;
    const std::pair<std::uint32_t*, std::string_view> parts[] = {
        {&resources.registers, " registers"},
        {&resources.stack_bytes, " bytes stack frame"},
        {&resources.spill_store_bytes, " bytes spill stores"},
        {&resources.spill_load_bytes, " bytes spill loads"},
        {&resources.shared_bytes, " bytes smem"}};
    for (const auto& [number, unit] : parts) {
      if (!line.starts_with(", ")) return kWrong;
      line.remove_prefix(2);
      const auto [stop, failed] = std::from_chars(line.data(), line.data() + line.size(), *number);
      if (failed != std::errc()) return kWrong;
      line.remove_prefix(static_cast<std::size_t>(stop - line.data()));
      if (!line.starts_with(unit)) return kWrong;
      line.remove_prefix(unit.size());
    }
    if (name.empty() || !line.empty()) return kWrong;
    resources_.emplace(name, resources);
    return nullptr;
  }

  static bool take_hexadecimal(std::string_view& line, std::uint32_t& number) {
    std::string_view digits = take_until(line, " ");
    line = trimmed(line);
    if (digits.starts_with("0x")) digits.remove_prefix(2);
    const auto [stop, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    return failed == std::errc() && stop == digits.data() + digits.size();
  }

  /// `NAME 0010 0x00 0x08`
  const char* parse_literals(std::string_view line) {
    constexpr const char* kWrong = marked("constants that are not understood");
    Literals literals{.function = std::string(take_until(line, " ")), .offset = 0, .bytes = {}};
    line = trimmed(line);
    if (!take_hexadecimal(line, literals.offset)) return kWrong;
    while (!line.empty()) {
      std::uint32_t byte = 0;
      if (!take_hexadecimal(line, byte) || byte > 0xff) return kWrong;
      literals.bytes.push_back(static_cast<std::uint8_t>(byte));
    }
    listing_.literals.push_back(std::move(literals));
    return nullptr;
  }

  /// `0008 NAME`
  const char* parse_symbol(std::string_view line, std::map<std::uint32_t, std::string>& by_offset) {
    std::uint32_t offset = 0;
    if (!take_hexadecimal(line, offset) || line.empty()) return marked("constants that are not understood");
    by_offset[offset] = line;
    return nullptr;
  }

  /// `//## File "a.cu", line 5 inlined at "b.cu", line 9`, which a line for the caller follows: the last
  /// before an instruction is the kernel's own.
  const char* parse_place(std::string_view line) {
    const std::size_t begin = line.find('"'), end = line.find('"', begin + 1);
    constexpr std::string_view kLine = ", line ";
    if (end == std::string_view::npos || !line.substr(end + 1).starts_with(kLine))
      return marked("a source line that is not understood");
    const std::string_view path = line.substr(begin + 1, end - begin - 1),
                           digits = line.substr(end + 1 + kLine.size());
    if (std::from_chars(digits.data(), digits.data() + digits.size(), line_).ec != std::errc())
      return marked("a source line without a number");
    const std::string file(path.substr(path.find_last_of('/') + 1));
    const auto known = std::ranges::find(listing_.files, file);
    file_ = static_cast<std::uint32_t>(known - listing_.files.begin());
    if (known == listing_.files.end()) listing_.files.push_back(file);
    const bool is_callers = line_goes_on(line) && places_go_on_;
    places_go_on_ = true;
    if (!is_callers) places_.clear();
    if (places_.size() < kMaxPlaces) places_.push_back({file_, line_});
    number_of_places_ = 0;
    return nullptr;
  }
  /// Whether the line continues the one before: the caller's line follows `.. inlined at ..`. Lines that do
  /// not belong together may follow each other, too.
  bool line_goes_on(std::string_view line) {
    const bool follows = caller_follows_;
    caller_follows_ = line.find(" inlined at ") != std::string_view::npos;
    return follows;
  }
  /// The number of the places at hand in Listing::inlined; each chain is kept once.
  std::uint32_t number_of_places() {
    if (places_.size() < 2) return 0;
    if (number_of_places_ != 0) return number_of_places_;
    std::string key;
    for (const Place& place : places_)
      key += std::to_string(place.file) + ":" + std::to_string(place.line) + ",";
    const auto [known, is_new] =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(listing_.inlined.size() + 1));
    if (is_new) listing_.inlined.push_back(places_);
    return number_of_places_ = known->second;
  }

  const char* parse_label(std::string_view label) {
    if (label.starts_with(".text.")) return nullptr;
    if (!label.starts_with('.') && !label.starts_with('$')) {
      if (const char* const wrong = begin_function(label)) return wrong;
    } else if (inside_) {
      function().labels.push_back(
          {std::string(label), static_cast<std::uint32_t>(function().instructions.size())});
    }
    return nullptr;
  }

  const char* begin_function(std::string_view name) {
    if (const char* const wrong = finish_function()) return wrong;
    listing_.functions.push_back(
        {.name = std::string(name), .instructions = {}, .labels = {}, .resources = {}});
    inside_ = true;
    line_ = 0;
    places_.clear();
    number_of_places_ = 0;
    places_go_on_ = caller_follows_ = false;
    return nullptr;
  }

  const char* parse_instruction(std::string_view line) {
    line.remove_prefix(2);
    places_go_on_ = false;
    const std::size_t close = line.find("*/");
    if (close == std::string_view::npos) return marked("a comment that does not end");
    const std::string_view address = line.substr(0, close);
    line = trimmed(line.substr(close + 2));
    if (const std::size_t encoding = line.find("/*"); encoding != std::string_view::npos)
      line = trimmed(line.substr(0, encoding));
    if (line.empty()) return nullptr;  // the second half of an encoding, on a line of its own
    if (!inside_) return marked("an instruction outside a function");
    if (!line.ends_with(';')) return marked("an instruction without its end");
    line = trimmed(line.substr(0, line.size() - 1));
    Instruction instruction{.address = 0,
                            .file = file_,
                            .line = line_,
                            .places = line_ == 0 ? 0 : number_of_places(),
                            .guard = {},
                            .opcode = {},
                            .modifiers = {},
                            .operands = {},
                            .text = std::string(line)};
    const auto [stop, failed] =
        std::from_chars(address.data(), address.data() + address.size(), instruction.address, 16);
    if (failed != std::errc() || stop != address.data() + address.size())
      return marked("an address is not a hexadecimal number");
    const auto& before = function().instructions;
    if (!before.empty() && before.back().address >= instruction.address)
      return marked("addresses that do not ascend");
    if (!parse_guard(line, instruction.guard)) return marked("a guard that is not understood");
    std::string_view name = take_until(line, " \t`");
    instruction.opcode = take_until(name, ".");
    if (instruction.opcode.empty()) return marked("an instruction without an opcode");
    while (!name.empty()) {
      name.remove_prefix(1);
      instruction.modifiers.emplace_back(take_until(name, "."));
    }
    auto operands = parse_operands(line);
    if (!operands) return marked("operands that are not understood");
    instruction.operands = std::move(*operands);
    function().instructions.push_back(std::move(instruction));
    return nullptr;
  }

  static bool parse_guard(std::string_view& line, Guard& guard) {
    if (!line.starts_with('@')) return true;
    line.remove_prefix(1);
    const auto operands = parse_operands(take_until(line, " \t"));
    line = trimmed(line);
    if (!operands || operands->size() != 1) return false;
    const Operand& predicate = operands->front();
    guard = {.predicate = predicate.index,
             .uniform = predicate.kind == Operand::Kind::uniform_predicate,
             .negated = predicate.inverted};
    return guard.uniform || predicate.kind == Operand::Kind::predicate;
  }

  /// Binds the branches of the function that ends here. A branch to an address (cuobjdump) becomes one to a
  /// label.
  const char* finish_function() {
    if (!inside_) return nullptr;
    inside_ = false;
    const auto& instructions = function().instructions;
    if (instructions.empty()) return marked("a function without instructions");
    const auto last = std::find_if(instructions.rbegin(), instructions.rend(),
                                   [](const Instruction& i) { return i.opcode != "NOP"; });
    const bool ends = last != instructions.rend() && last->guard.always() &&
                      (last->opcode == "BRA" || last->opcode == "EXIT" || last->opcode == "RET");
    if (!ends) return marked("the listing ends within a function");
    for (Instruction& instruction : function().instructions) {
      for (Operand& operand : instruction.operands) {
        if (operand.kind == Operand::Kind::label && !resolve(operand))
          return marked("a label that is not there");
        if (instruction.opcode == "BRA" && operand.kind == Operand::Kind::immediate &&
            !resolve_address(operand))
          return marked("a branch to no instruction");
      }
    }
    return nullptr;
  }

  bool resolve(Operand& operand) {
    const auto label = std::ranges::find(function().labels, operand.text, &Label::name);
    if (label == function().labels.end()) return operand.text == function().name;
    operand.index = label->instruction;
    operand.resolved = label->instruction < function().instructions.size();
    return operand.resolved;
  }

  bool resolve_address(Operand& operand) {
    const auto& instructions = function().instructions;
    const auto target = std::ranges::lower_bound(
        instructions, operand.value, {}, [](const Instruction& i) { return std::int64_t{i.address}; });
    if (target == instructions.end() || target->address != operand.value) return false;
    operand.kind = Operand::Kind::label;
    operand.index = static_cast<std::uint32_t>(target - instructions.begin());
    operand.resolved = true;
    return true;
  }

  Function& function() { return listing_.functions.back(); }

  std::string_view rest_;
  std::uint32_t number_ = 0, file_ = 0, line_ = 0;
  bool inside_ = false;
  static constexpr std::size_t kMaxPlaces = 64;
  std::vector<Place> places_;  ///< Of the instructions that follow, the innermost first
  std::uint32_t number_of_places_ = 0;
  bool places_go_on_ = false, caller_follows_ = false;
  std::unordered_map<std::string, std::uint32_t> numbers_;  ///< By a chain in words
  Listing listing_;
  std::map<std::string, Resources, std::less<>> resources_;  ///< By function
};

}  // namespace

bool Instruction::has(std::string_view modifier) const {
  return std::ranges::find(modifiers, modifier) != modifiers.end();
}

const Function* Listing::find(std::string_view mangled_name) const {
  const auto found = std::ranges::find(functions, mangled_name, &Function::name);
  return found == functions.end() ? nullptr : &*found;
}

Result<Listing> parse_listing(std::string_view text, const std::string& name) {
  return Parser(text).parse(name);
}

bool has_generic_address(const Instruction& instruction) {
  return instruction.opcode == "LD" || instruction.opcode == "ST" || instruction.opcode == "ATOM";
}

std::uint8_t access_bytes(const Instruction& instruction) {
  if (instruction.has("128")) return 16;
  if (instruction.has("64") || instruction.has("F64") || instruction.has("S64") || instruction.has("U64"))
    return 8;
  if (instruction.has("U8") || instruction.has("S8")) return 1;
  if (instruction.has("U16") || instruction.has("S16")) return 2;
  return 4;
}

std::uint8_t matrices_of(const Instruction& instruction) {
  return instruction.has("4") ? 4 : instruction.has("2") ? 2 : 1;
}

/// "16816", "8816", "884", "8x8x4": 16 or 8 rows of 8 columns, over 32 lanes. "64x256x16": 64 rows over four
/// warps.
std::uint32_t result_registers(const Instruction& instruction) {
  const auto shape = std::ranges::find_if(instruction.modifiers, [](const std::string& modifier) {
    return !modifier.empty() && modifier.front() >= '0' && modifier.front() <= '9';
  });
  constexpr std::string_view kOfWarpgroup = "64x";
  const bool is_of_warpgroup = shape != instruction.modifiers.end() && shape->starts_with(kOfWarpgroup);
  const std::uint32_t columns =
      is_of_warpgroup ? static_cast<std::uint32_t>(std::atoi(shape->c_str() + kOfWarpgroup.size())) : 0;
  const bool is_tall = shape != instruction.modifiers.end() && shape->starts_with("16");
  const bool is_half = instruction.has("F16") && !instruction.has("F32");
  const std::uint32_t elements = is_of_warpgroup ? columns / 2
                                 : is_tall       ? 4
                                                 : 2,
                      bytes = instruction.opcode == "DMMA" ? 8
                              : is_half                    ? 2
                                                           : 4;
  return std::max(elements * bytes / 4, 1u);
}

}  // namespace warplens::sass
