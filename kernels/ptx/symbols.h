// Names and what they stand for, scope by scope.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warplens::ptx {

struct Symbol {
  enum class Kind : std::uint8_t {
    reg,             ///< `index`: into Function::registers
    vector,          ///< `.v4 %v`: `elements` registers from `index` on
    register_range,  ///< `%r<12>`, by what stands before the number: `index` into the parser's list of ranges
    variable,        ///< `index`: into Function::variables
    module_variable,  ///< `index`: into Module::variables
    function,
    branch_targets,  ///< `index`: into the parser's list of tables
    opaque,          ///< Declared, but what uses it is unsupported: textures, call prototypes
  };
  Kind kind;
  std::uint32_t index = 0;
  std::uint32_t elements = 1;
  std::size_t depth = 0;  ///< Of the scope that declares it; the table says so
};

/// Suffixes of the components of a vector register.
inline constexpr std::string_view kComponents[] = {".x", ".y", ".z", ".w"};

/// One table for all open scopes, with a log of what to restore when a scope closes: look-ups cost the same
/// at any depth.
class SymbolTable {
 public:
  [[nodiscard]] const Symbol* find(std::string_view name) const {
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? nullptr : &found->second;
  }

  void declare(std::string_view name, Symbol symbol) {
    symbol.depth = depth();
    const auto [entry, is_new] = symbols_.try_emplace(name, symbol);
    hidden_.emplace_back(name, is_new ? std::nullopt : std::optional(entry->second));
    entry->second = symbol;
  }

  [[nodiscard]] std::size_t depth() const { return scopes_.size(); }
  void open_scope() { scopes_.push_back(hidden_.size()); }

  void close_scope() {
    for (; hidden_.size() > scopes_.back(); hidden_.pop_back()) {
      const auto& [name, before] = hidden_.back();
      if (before) {
        symbols_.insert_or_assign(name, *before);
      } else {
        symbols_.erase(name);
      }
    }
    scopes_.pop_back();
  }

 private:
  std::unordered_map<std::string_view, Symbol> symbols_;
  std::vector<std::pair<std::string_view, std::optional<Symbol>>> hidden_;
  std::vector<std::size_t> scopes_;
};

}  // namespace warplens::ptx
