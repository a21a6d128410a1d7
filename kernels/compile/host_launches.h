// How host code launches kernels, as far as its text says it plainly: `<<<grid, block>>>`, dim3, cudaMalloc,
// and the constants that lead to them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::compile {

/// `tile<16><<<grid, dim3(16, 16), bytes>>>(a, n)`, in the source's own expressions.
struct HostLaunch {
  std::string kernel;                    ///< "tile<16>", without namespaces and spaces
  std::vector<std::string> grid, block;  ///< One to three expressions; empty: they cannot be told
  std::string shared;                    ///< Bytes of dynamic shared memory; empty: none
  std::vector<std::string> arguments;
  std::size_t at = 0;  ///< Where it stands
};

/// The host code of one source.
class HostCode {
 public:
  explicit HostCode(std::string_view source);

  [[nodiscard]] const std::vector<HostLaunch>& launches() const { return launches_; }

  /// An expression of the host's at a place, with variables replaced by what they were set to, sizeof by
  /// numbers, and without casts: of numbers, operators, min, max, ceil(a,b), and names. `names`: variables
  /// that stay, under other names. nullopt: something in it is not plain, such as a variable that is assigned
  /// more than once.
  [[nodiscard]] std::optional<std::string> plain(std::string_view expression, std::size_t at,
                                                 const std::map<std::string, std::string>& names,
                                                 int depth = 0) const;
  /// What the variable is set to where it is declared; nullopt: it is not declared before that place, or
  /// assigned again.
  [[nodiscard]] std::optional<std::string> initial(const std::string& variable, std::size_t at) const;
  /// How many bytes the last cudaMalloc before the place gives a pointer, as an expression.
  [[nodiscard]] std::optional<std::string> allocated_bytes(const std::string& pointer, std::size_t at) const;

 private:
  struct Setting {
    std::size_t at = 0;
    std::string value;
  };
  [[nodiscard]] std::optional<std::string> plain_word(std::string_view word, std::string_view expression,
                                                      std::size_t& end, std::size_t at,
                                                      const std::map<std::string, std::string>& names,
                                                      int depth) const;
  void find_declarations();
  void find_allocations();
  void find_launches();
  [[nodiscard]] std::vector<std::string> extent(std::string_view expression, std::size_t at) const;

  std::string code_;
  std::map<std::string, std::vector<Setting>> variables_;    ///< Declared with a value, or assigned
  std::map<std::string, std::vector<Setting>> allocations_;  ///< By pointer: bytes
  std::vector<HostLaunch> launches_;
};

}  // namespace warplens::compile
