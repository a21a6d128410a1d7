// The registry of kernels: what each is, how it is launched, and the reference it is checked against.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/dim3.h"
#include "kernels/base/result.h"
#include "kernels/base/tensor_map.h"
#include "kernels/recording/recording.h"

namespace warplens {

struct ParameterInfo {
  std::string name;   ///< "T"
  std::string label;  ///< "Tile T", in English: shown by tr()
  std::int64_t default_value = 0;
  std::vector<std::int64_t> values;  ///< The allowed ones, ascending
};

/// A size that the user chooses.
struct ExtentInfo {
  char name = 0;      ///< 'm', 'p' or 'n', as on the command line
  std::string label;  ///< "Rows of A and of C", in English: shown by tr()
  std::uint64_t default_value = 0;
  std::uint64_t max = std::numeric_limits<std::int32_t>::max();  ///< The kernels' ints end there
  friend bool operator==(const ExtentInfo&, const ExtentInfo&) = default;
};

/// The element types of a product: `operand` of A and B, `result` of C.
struct ValueType {
  const char* name = "";  ///< "f16", as on the command line
  ElementType operand = ElementType::f32, result = ElementType::f32;
  const char* cpp_name = "";  ///< C++ type of an element of A or B: "__half"
  bool on_tensor_cores = false;
};
[[nodiscard]] std::span<const ValueType> value_types();
/// Returns the value type of that name, which must be one of value_types().
[[nodiscard]] const ValueType& value_type_of(std::string_view name);

/// What a kernel is asked to do. For a product: C (m x n) = A (m x p) * B (p x n), row-major. Extents that
/// the kernel has not are 0.
struct Problem {
  std::uint64_t m = 0, p = 0, n = 0;
  std::vector<NamedValue> parameters;  ///< Every parameter of the kernel, in the descriptor's order
  std::string value_type = "f32";      ///< ValueType::name
  [[nodiscard]] std::int64_t parameter(std::string_view name) const;
  [[nodiscard]] std::uint64_t extent(char name) const { return name == 'm' ? m : name == 'p' ? p : n; }
};

/// A matrix as the launcher lays it out: `rows` x `columns` are the caller's, `padded_*` what is allocated,
/// zero-filled.
struct MatrixLayout {
  std::uint64_t rows = 0, columns = 0, padded_rows = 0, padded_columns = 0;
  [[nodiscard]] bool padded() const { return rows != padded_rows || columns != padded_columns; }
};

/// The part of C that one block computes: `rows` x `columns` elements, the blocks side by side in order of
/// blockIdx. By default blockIdx.x runs along the columns of C; `x_along_rows` says that it runs along the
/// rows. Where the grid is smaller than C, blocks go on, a grid further each time.
struct OutputTile {
  std::uint64_t rows = 1, columns = 1;
  bool x_along_rows = false;
  /// Not 0: blockIdx.x counts tiles, which lie in groups of so many rows of tiles, and in a group column by
  /// column, downwards.
  std::uint64_t group_rows = 0;
};

/// The box that a bulk copy moves of a matrix.
struct MatrixBox {
  std::uint32_t rows = 0, columns = 0;
  TensorSwizzle swizzle = TensorSwizzle::none;
};

/// One launch of a kernel on a problem.
struct LaunchPlan {
  std::string entry;  ///< Plain name in the PTX: "tiled<32>"
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  MatrixLayout a, b, c;            ///< Operands and result; b is empty where there is one operand
  bool b_lies_by_columns = false;  ///< Then `b` is the layout of B's transpose
  /// Matrices of which the kernel gets a tensor map in place of the address.
  std::optional<MatrixBox> a_box, b_box, c_box;
  OutputTile output;
  std::vector<SharedArray> shared_arrays;  ///< Dimensions of the arrays that the views draw; matched by name
  [[nodiscard]] std::uint64_t kernel_m() const { return c.padded_rows; }
  [[nodiscard]] std::uint64_t kernel_p() const { return a.padded_columns; }
  [[nodiscard]] std::uint64_t kernel_n() const { return c.padded_columns; }
};

/// m, p and n of a product, with the value of each if not chosen.
[[nodiscard]] std::vector<ExtentInfo> product_extents(std::uint64_t default_value = 256);

/// A plan with the layouts of A, B and C filled in: m, p and n rounded up to multiples of these.
[[nodiscard]] LaunchPlan padded_plan(const Problem& problem, std::uint64_t multiple_of_m,
                                     std::uint64_t multiple_of_p, std::uint64_t multiple_of_n);

enum class KernelGroup : std::uint8_t { ladder, demonstrator };
[[nodiscard]] const char* name_of(KernelGroup group);  ///< "The ladder"

/// The place where a recording of a kernel opens, so that one first sees what the kernel shows.
struct Opening {
  std::string line;        ///< A piece of the source line whose accesses are meant; empty: any
  bool min_lanes = false;  ///< In the last block, at the access with the fewest active lanes; else in one
                           ///< of the middle, at the costliest
};

/// How many elements all threads of a launch together load from global memory, as one counts it on paper from
/// the source. `m`, `p` and `n` are what the kernel gets, padding included.
struct LoadFormula {
  const char* loads = "";      ///< "2 m n p / T"
  const char* intensity = "";  ///< What the flops over these loads come to in values of the kernel's first
                               ///< type: "T / 4"; fringes of a matrix left out
  std::uint64_t (*count)(const Problem& problem,
                         const LaunchPlan& plan) = nullptr;  ///< nullptr: the kernel has no formula
};

struct Workload;

struct KernelDescriptor {
  int rank = 0;             ///< Its place in the ladder
  std::string id;           ///< "tiled"
  std::string source_file;  ///< "tiled.cu", under kernels/ladder
  std::string shows;        ///< One sentence: what it teaches. In English: shown by tr()
  KernelGroup group = KernelGroup::ladder;
  std::vector<ExtentInfo> extents = product_extents();
  std::vector<ParameterInfo> parameters;
  /// ValueType::name of those it accepts; the first is the default.
  std::vector<std::string> value_types{"f32"};
  LaunchPlan (*plan)(const Problem& problem) = nullptr;
  Workload (*workload)(const Problem& problem,
                       const LaunchPlan& plan) = nullptr;  ///< nullptr: a product's. See make_workload
  Workload (*partial_workload)(const Problem& problem, const LaunchPlan& plan) =
      nullptr;                       ///< nullptr: the same, with all its contents
  std::optional<FindingKind> fault;  ///< Wrong on purpose: what the replay must find
  Opening opening;
  LoadFormula global_loads;  ///< Of the ladder's kernels

  [[nodiscard]] bool has_extent(char name) const;
};

class Catalog {
 public:
  void add(KernelDescriptor descriptor);  ///< A duplicate id aborts with a message
  /// Returns the kernels in the ladder's order.
  [[nodiscard]] const std::vector<KernelDescriptor>& kernels() const { return kernels_; }
  [[nodiscard]] const KernelDescriptor* find(std::string_view id) const;

 private:
  std::vector<KernelDescriptor> kernels_;
};

/// The one catalogue, complete before main begins.
[[nodiscard]] const Catalog& catalog();

/// Registration in one line beside the definition: `const RegisterKernel kTiled{{.rank = 30, .id = "tiled",
/// ...}};`
struct RegisterKernel {
  explicit RegisterKernel(KernelDescriptor descriptor);
};

/// The ladder's kernel that a recording is of. Null if it is of a user's, whatever its name, or of one that
/// this catalogue has not.
[[nodiscard]] const KernelDescriptor* ladder_kernel_of(const Recording& recording);

/// The largest p: integer_matrix keeps sums of so many products exact in f32.
inline constexpr std::uint64_t kMaxInnerExtent = std::uint64_t{1} << 20;

/// Checks sizes, parameters and value type (empty: the kernel's default); fills in defaults. The error says
/// which values are allowed. What passes can be planned and launched: the padded matrices can be indexed by
/// the kernels' 32-bit ints, and the launch keeps CUDA's limits. A size that the kernel has not must not be
/// given.
[[nodiscard]] Result<Problem> make_problem(const KernelDescriptor& kernel, std::optional<std::uint64_t> m,
                                           std::optional<std::uint64_t> p, std::optional<std::uint64_t> n,
                                           const std::vector<NamedValue>& parameters,
                                           const std::string& value_type);
/// The same with sizes and parameters in one list, by their names: m, p, n, T, ..
[[nodiscard]] Result<Problem> make_problem(const KernelDescriptor& kernel,
                                           const std::vector<NamedValue>& values,
                                           const std::string& value_type);

/// PTX and CUDA source of a ladder kernel, embedded in the binary (made by nvcc at build time where it is
/// there, else the shipped text under assets/).
[[nodiscard]] std::string_view ladder_ptx(std::string_view source_file);
[[nodiscard]] std::string_view ladder_source(std::string_view source_file);

/// The compute capability that a ladder kernel needs, which its PTX is for: 80 for 8.0. The replay needs
/// none.
[[nodiscard]] int ladder_capability(std::string_view source_file);

/// Machine code of a ladder kernel's PTX as a fatbin, for the architectures of cmake/ladder.cmake and with
/// the PTX for what is newer. Embedded; empty if it is damaged.
[[nodiscard]] std::string ladder_fatbin(std::string_view source_file);
/// The machine code that stands for a family of compute capabilities: "sm_75" for 7.x, "sm_86" for 8.x,
/// "sm_90" for 9.0 and later. Empty before 7.0: nvcc 13.0 makes none.
[[nodiscard]] std::string ladder_architecture(int cc_major);
/// What nvdisasm lists of a ladder kernel's machine code for such an architecture. It is made of the same
/// PTX.
[[nodiscard]] Result<std::string> ladder_listing(std::string_view source_file, std::string_view architecture);

/// Row-major matrices of small integers (|value| <= 3), so that products are exact in f32 for p up to
/// kMaxInnerExtent. The same seed gives the same matrix everywhere.
[[nodiscard]] std::vector<float> integer_matrix(std::uint64_t rows, std::uint64_t columns,
                                                std::uint64_t seed);
/// Rows [row, row + rows) and columns [column, column + columns) of the integer_matrix that has
/// `all_columns`, without making the rest of it.
[[nodiscard]] std::vector<float> integer_matrix_part(std::uint64_t row, std::uint64_t rows,
                                                     std::uint64_t column, std::uint64_t columns,
                                                     std::uint64_t all_columns, std::uint64_t seed);
/// The reference product, all cores; exact for integer-valued inputs.
[[nodiscard]] std::vector<float> reference_product(const std::vector<float>& a, const std::vector<float>& b,
                                                   std::uint64_t m, std::uint64_t p, std::uint64_t n);

}  // namespace warplens
