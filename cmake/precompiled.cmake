# warplens_precompiled(target plain|app|hot|tests|light_tests)
#   Spares the target's sources to read the standard library's headers again, which takes most of what compiling a small file does. Each kind is compiled
#   with the options of its targets. WARPLENS_APART turns it off, and shows what a source forgot to include.
set(standard_headers <algorithm> <array> <charconv> <cmath> <cstdint> <functional> <map> <memory> <optional> <span> <string> <string_view> <utility>
  <vector> <fmt/format.h>)

function(warplens_precompiled_headers kind)
  set(source ${PROJECT_BINARY_DIR}/precompiled/${kind}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Headers alone\n")
  add_library(warplens_precompiled_${kind} OBJECT EXCLUDE_FROM_ALL ${source})
  target_precompile_headers(warplens_precompiled_${kind} PRIVATE ${standard_headers} ${ARGN})
  target_link_libraries(warplens_precompiled_${kind} PRIVATE warplens_warnings fmt::fmt)
endfunction()

# warplens_precompiled_with(target headers..): the same, with headers of the target's own
function(warplens_precompiled_with target)
  if(NOT WARPLENS_APART)
    list(TRANSFORM ARGN REPLACE "(.+)" "\"\\1\"")
    target_precompile_headers(${target} PRIVATE ${standard_headers} ${ARGN})
  endif()
endfunction()

function(warplens_precompiled target kind)
  if(NOT WARPLENS_APART)
    if(kind STREQUAL app AND WARPLENS_APP_OPTIONS STREQUAL "")
      set(kind plain)
    endif()
    target_precompile_headers(${target} REUSE_FROM warplens_precompiled_${kind})
  endif()
endfunction()

set(test_kinds tests light_tests)
set(test_options WARPLENS_TEST_OPTIONS WARPLENS_LIGHT_TEST_OPTIONS)
if(NOT WARPLENS_APART)
  warplens_precompiled_headers(plain)
  warplens_precompiled_headers(app)
  target_compile_options(warplens_precompiled_app PRIVATE ${WARPLENS_APP_OPTIONS})
  warplens_precompiled_headers(hot)
  target_compile_options(warplens_precompiled_hot PRIVATE ${WARPLENS_HOT_OPTIONS})
  if(WARPLENS_TESTS)
    foreach(kind options IN ZIP_LISTS test_kinds test_options)
      warplens_precompiled_headers(${kind} <gtest/gtest.h>)
      target_link_libraries(warplens_precompiled_${kind} PRIVATE GTest::gtest)
      set_target_properties(warplens_precompiled_${kind} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(warplens_precompiled_${kind} PRIVATE ${${options}} -fPIE)  # as executables are
    endforeach()
  endif()
endif()
