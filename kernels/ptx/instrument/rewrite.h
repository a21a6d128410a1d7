// Puts code into a function's text, and leaves the rest as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/ptx/module.h"
#include "kernels/ptx/statements.h"

namespace warplens::ptx {

class Rewrite {
 public:
  /// `place` is one of the functions of `text`; both outlive this.
  Rewrite(std::string_view text, const FunctionText& place) : text_(text), place_(place) {}

  // What goes in at one place stands in the order in which it was put in. Instructions by index: as many as
  // the function has, or one more, the `ret` that its text leaves out.
  void before(std::uint32_t instruction, std::string code) { insert(start_of(instruction), std::move(code)); }
  void after(std::uint32_t instruction, std::string code);
  /// Inserts code before the first instruction and its labels: executed once.
  void before_all(std::string code);
  void at_begin_of_body(std::string code) { insert(place_.body.begin, std::move(code)); }
  void at_end_of_body(std::string code) { insert(place_.body.end, std::move(code)); }
  /// Adds the size of the blocks where the function does not give it.
  void limit_threads(const Function& function, std::uint32_t threads_per_block);
  /// Renames `from` to `to` wherever it stands in the function's own code.
  void rename(std::string_view from, std::string_view to) { renamed_.emplace_back(from, to); }

  /// The module without its other entries. `declarations` stand before its first function.
  [[nodiscard]] std::string finish(std::string_view declarations);
  /// The same of several functions of one text, the first of which is the entry.
  [[nodiscard]] static std::string finish(std::string_view declarations, std::span<Rewrite* const> functions);

 private:
  struct Insertion {
    std::size_t at = 0;
    std::string code;
  };
  void insert(std::size_t at, std::string code) { insertions_.push_back({at, std::move(code)}); }
  [[nodiscard]] std::size_t start_of(std::uint32_t instruction) const;
  void append_function(std::string& out);
  void append_own(std::string& out, std::string_view code) const;

  std::string_view text_;
  const FunctionText& place_;
  std::vector<Insertion> insertions_;
  std::vector<std::pair<std::string, std::string>> renamed_;
};

}  // namespace warplens::ptx
