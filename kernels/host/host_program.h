// Which kernels a program launches, and with what, found out by interpreting its host code. Nothing of it
// runs: what only running it would tell, such as what a file holds, is unknown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/host/formula.h"
#include "kernels/host/tokens.h"

namespace warplens::host {

/// What memory holds when a kernel is launched.
struct Contents {
  enum class Kind : std::uint8_t {
    uninitialized,  ///< Allocated, and not written by the host
    zero,
    value,      ///< Each element is `value`
    iota,       ///< 0, 1, 2, ..
    listed,     ///< `values`
    bytes,      ///< `values` are the bytes of structures
    addresses,  ///< Each element points into one of `allocations`, by `offsets` bytes
    uniform,    ///< Random real numbers
    below,      ///< Random integers from 0 to `limit` - 1
    unknown,    ///< Only running the program tells
  };
  Kind kind = Kind::uninitialized;
  double value = 0;
  std::int64_t limit = 0;
  std::vector<double> values;
  std::vector<std::size_t> allocations;
  std::vector<FormulaPtr> offsets;
};

/// Memory that the program allocates, or a __device__ or __constant__ variable.
struct Allocation {
  std::string name;    ///< The variable that its address was first stored in: "d_in"
  FormulaPtr bytes;    ///< Null: not known
  FormulaPtr pitch;    ///< Of cudaMallocPitch: bytes from row to row; null of other memory
  std::string symbol;  ///< Of a variable of the device: its name
  std::string type;    ///< Of an element, as the pointer's declaration has it: "float"
};

struct ArgumentField;
struct Argument {
  enum class Kind : std::uint8_t {
    unknown,
    number,   ///< `number`
    address,  ///< Of `number` bytes into the allocation of that index
    null,
    structure,  ///< `fields`, of `type`
  };
  Kind kind = Kind::unknown;
  FormulaPtr number;
  std::size_t allocation = 0;
  std::vector<ArgumentField> fields;
  std::string type;
};
struct ArgumentField {
  std::string name;
  Argument value;
};

/// Argument::type of a tensor map, or of a pointer to one. The fields are the arguments of
/// cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col, named as in the CUDA Driver API. The fields of an array
/// are "0", "1", ..
inline constexpr const char* kTensorMapType = "CUtensorMap";

struct Launch {
  std::string kernel;                              ///< "tile", without namespaces
  std::string template_arguments;                  ///< "16,float"; empty: none are written
  std::array<FormulaPtr, 3> grid, block, cluster;  ///< `cluster`: null if the launch gives none
  FormulaPtr shared_bytes;
  std::vector<Argument> arguments;
  std::map<std::size_t, Contents> contents;  ///< Of the allocations that can be reached, at that moment
  std::uint32_t line = 0;                    ///< Of the launch in the source; 0: it is in a header
  std::uint32_t count = 1;                   ///< Further launches that are the same are only counted
  bool is_conditional = false;               ///< It depends on what only running the program tells
};

struct HostProgram {
  std::vector<Allocation> allocations;
  std::vector<Launch> launches;  ///< In the order of the program, at most kMaxLaunches
  bool has_main = false;  ///< Without one, functions that nothing calls are interpreted, one after another
};
inline constexpr std::size_t kMaxLaunches = 64;

/// Interprets `main`, as it runs without arguments. Where that launches nothing, as it runs with any. Takes
/// some milliseconds: the first iterations of a loop are executed one by one, the remaining ones at once.
/// `prelude`: lines that stand before the source, such as the macros of a build.
[[nodiscard]] HostProgram interpret(std::string_view source, const HeaderReader& read_header = {},
                                    std::string_view prelude = {});

}  // namespace warplens::host
