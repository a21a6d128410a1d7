// The structures that a CUDA source declares, as far as one can read them without a compiler: arguments give
// them field by field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::compile {

struct SourceField {
  std::string type;    ///< As written, spaces made one, a pointer's stars at its end: "const float*"
  std::string name;    ///< "x"
  std::string extent;  ///< "3", of an array; empty: it is none
  friend bool operator==(const SourceField&, const SourceField&) = default;
};

/// `struct Step { float dt; int bounces; };`, or by `typedef struct { .. } Step;`.
struct SourceStruct {
  std::string name;
  std::vector<SourceField> fields;  ///< In order; empty where it has what is no plain field: bases,
                                    ///< references, bit fields, virtual functions
  friend bool operator==(const SourceStruct&, const SourceStruct&) = default;
};
/// Returns the structures in the order of the source. Functions among the members are passed over.
[[nodiscard]] std::vector<SourceStruct> structs_in(std::string_view source);

}  // namespace warplens::compile
