// The kernels that a CUDA source declares, as far as one can read them without a compiler: for menus and for
// launching, which go by the names of parameters, and PTX has none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warplens::compile {

struct SourceParameter {
  std::string type;  ///< As written, spaces made one: "const float*"
  std::string name;  ///< Empty where it has none
  friend bool operator==(const SourceParameter&, const SourceParameter&) = default;
};

struct SourceKernel {
  std::string name;                ///< Without namespaces
  std::string template_arguments;  ///< "int T, bool B"; empty: it is no template
  std::vector<SourceParameter> parameters;
  std::uint32_t line = 0;  ///< Of its name, from 1
  std::string launch;  ///< What its `// warplens:` comment says: the last one before it, and the lines that
                       ///< go on with it; empty: it has none
  std::size_t launch_begin = 0, launch_end = 0;  ///< That comment's place in the source; without one, where
                                                 ///< it would go: the line that it begins on
};

/// A shared array as it is declared: `__shared__ float tile[T][T + 1];`.
struct SourceArray {
  std::string name;
  std::vector<std::string>
      extents;  ///< "T", "T + 1"; the first is empty in `extern __shared__ float tile[];`
  friend bool operator==(const SourceArray&, const SourceArray&) = default;
};
/// Returns the shared arrays in the order of the source.
[[nodiscard]] std::vector<SourceArray> shared_arrays_in(std::string_view source);

/// A whole number that the source names: `#define TILE 16`, `constexpr int kTile = 16;`.
struct SourceConstant {
  std::string name, value;
  friend bool operator==(const SourceConstant&, const SourceConstant&) = default;
};
/// Returns the constants in the order of the source. A definition that is neither a number nor an expression
/// of known constants is left out, as far as one can tell.
[[nodiscard]] std::vector<SourceConstant> constants_in(std::string_view source);

/// Returns the kernels in the order of the source. Text that is not C++ gives what can be made of it.
[[nodiscard]] std::vector<SourceKernel> kernels_in(std::string_view source);

/// The source with `launch` as the comment of the kernel of that name: in the place of the one it has, with
/// the lines that go on with that, else on a line of its own before it. Unchanged if there is no such kernel.
[[nodiscard]] std::string with_launch(std::string_view source, std::string_view kernel,
                                      std::string_view launch);

/// "tiled" of "lib::tiled<32>".
[[nodiscard]] std::string_view name_in_source(std::string_view plain_name);

/// The kernels of a source, which outlives it, to be found one by one.
class KernelsByName {
 public:
  explicit KernelsByName(const std::vector<SourceKernel>& kernels);
  /// Finds a kernel as find_kernel does.
  [[nodiscard]] const SourceKernel* find(std::string_view plain_name, std::size_t parameters) const;

 private:
  std::multimap<std::pair<std::string_view, std::size_t>, const SourceKernel*>
      kernels_;  ///< By name and number of parameters
};
/// The kernel that a function of PTX, by its plain name ("tiled<32>"), comes from; null: none, or more than
/// one that differ.
[[nodiscard]] const SourceKernel* find_kernel(const std::vector<SourceKernel>& kernels,
                                              std::string_view plain_name, std::size_t parameters);

}  // namespace warplens::compile
