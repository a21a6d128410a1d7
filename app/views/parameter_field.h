// A field for a parameter of a kernel.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/catalog/catalog.h"

namespace warplens::app {

/// Draws a field of the next item's width: a slider where every value of a range will do, else a menu.
/// `before`, "T = ", stands before the value.
void parameter_field(const char* id, const ParameterInfo& info, std::int64_t& value,
                     const std::string& before = {});

}  // namespace warplens::app
