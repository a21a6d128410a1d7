// Numbers of host code together with how they were computed, so that a grid can be given as `(n+255)/256` and
// not only as 4096.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::host {

class Formula;
using FormulaPtr = std::shared_ptr<const Formula>;

/// An immutable expression tree. Each declaration or input of the program is one node: two formulas that use
/// the same variable share its node.
class Formula {
 public:
  enum class Kind : std::uint8_t {
    integer,
    real,
    operation,  ///< Of integers: + - * / % << >> & | ^; real division is "real/"
    unknown,    ///< Only running the program tells, such as what a file holds
    random,     ///< Of the C or C++ library's generators: below `limit`, or a real number below 1
    index,      ///< Of a loop that is not run to its end
  };
  Kind kind = Kind::integer;
  std::string text;  ///< The operator; of what is unknown, what the source says
  std::vector<FormulaPtr> operands;
  std::optional<std::int64_t> integer;  ///< The value, where it is known and whole
  std::optional<double> real;           ///< The value, where it is known
  std::int64_t limit =
      0;  ///< Of random integers, 0: real ones; of an index, which counts from 0: 0: not known

  std::uint32_t size = 1;    ///< Nodes of the tree; past kMaxSize only the value is kept
  bool has_index = false;    ///< It has a node of Kind::index
  bool is_doubtful = false;  ///< A function that is not known may have changed it

  static constexpr std::uint32_t kMaxSize = 64;
  [[nodiscard]] bool is_known() const { return real.has_value(); }
};

[[nodiscard]] FormulaPtr formula_of(std::int64_t value);
[[nodiscard]] FormulaPtr formula_of_real(double value);
[[nodiscard]] FormulaPtr unknown_formula(std::string text);
[[nodiscard]] FormulaPtr random_formula(std::int64_t limit);
[[nodiscard]] FormulaPtr index_formula(std::int64_t limit = 0);
/// The same, but perhaps changed by then.
[[nodiscard]] FormulaPtr doubtful_formula(const FormulaPtr& value);
/// Whether the formula is doubtful for another reason than nodes that have a name.
[[nodiscard]] bool is_doubtful(const FormulaPtr& formula, const std::map<const Formula*, std::string>& names);
/// A node of its own with the value of another: a variable that is set to it.
[[nodiscard]] FormulaPtr named_formula(const FormulaPtr& value);

/// `left OP right` as C++ computes it on 64-bit integers or doubles; comparisons and logic give known values
/// alone. Unknown where it overflows or divides by zero.
[[nodiscard]] FormulaPtr applied(std::string_view operation, const FormulaPtr& left, const FormulaPtr& right);
/// Converts as a cast to float or double does.
[[nodiscard]] FormulaPtr as_real(const FormulaPtr& value);
/// Cut off to an integer, as a cast does.
[[nodiscard]] FormulaPtr truncated(const FormulaPtr& value);
/// Rounded up; of `real/` the integer operation "ceil".
[[nodiscard]] FormulaPtr rounded_up(const FormulaPtr& value);
/// A count of elements of that many bytes each, without remainder.
[[nodiscard]] FormulaPtr divided(const FormulaPtr& bytes, std::int64_t each);

/// Whether an index takes each value from 0 to `count` - 1 once while those of loops in it do.
[[nodiscard]] bool covers(const FormulaPtr& index, std::int64_t count);

/// The formula where a loop's index has that value.
[[nodiscard]] FormulaPtr at_index(const FormulaPtr& formula, std::int64_t value);

/// The formula in the names of some of its nodes, as launches are written: numbers, + - * / % << >> & | ^,
/// parentheses, min(a,b), max(a,b), ceil(a,b). What has none of the names is written as its value. nullopt:
/// its value is not known, or it is not whole.
[[nodiscard]] std::optional<std::string> text_of(const FormulaPtr& formula,
                                                 const std::map<const Formula*, std::string>& names = {});

}  // namespace warplens::host
