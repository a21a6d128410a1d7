# The precompiled headers of all components and tests. One set for all: it holds the standard library's alone.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "")
add_library(warplens_precompiled OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled.cpp)
target_link_libraries(warplens_precompiled PRIVATE warplens_warnings warplens::fmt)
target_precompile_headers(warplens_precompiled PRIVATE <algorithm> <array> <charconv> <cmath> <cstdint>
  <functional> <map> <memory> <optional> <span> <string> <string_view> <utility> <vector> <fmt/format.h>)
