// Where the fields of a structure lie that a kernel takes by value.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/launch_form/launch_form.h"
#include "kernels/compile/structs.h"

namespace warplens::app {

/// What arguments call a type of CUDA C++: "i32" of "const int", "f32x4" of "float4"; empty: nothing.
[[nodiscard]] std::string argument_type(const std::string& written);

/// A type without the pointers to it: "const float" and 2 of "const float* const*".
struct PointedAt {
  std::string type;
  int depth = 0;  ///< 0: it is no pointer
};
[[nodiscard]] PointedAt pointed_at(const std::string& written);

/// The scalars and pointers of a structure in order, those of structures within it and the elements of arrays
/// among them ("position.x", "weights[2]"), each aligned as its type is. Empty where it holds what is none,
/// or comes out at other than `bytes`.
[[nodiscard]] std::vector<ParameterField> fields_of_struct(const std::string& name,
                                                           std::span<const compile::SourceStruct> structs,
                                                           std::uint64_t bytes);

}  // namespace warplens::app
