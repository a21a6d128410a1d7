# warplens_precompiled(target plain|app|hot|tests|light_tests)
#   Spares the target's sources to read the standard library's headers again, which takes most of what compiling a small file does. Each kind is compiled
#   with the options of its targets: g++ 12 takes headers that were optimised otherwise, and then breaks off. WARPLENS_APART turns it off, and shows what
#   a source forgot to include.
# warplens_options_of(kind out): the compiler options of a component's kind
set(standard_headers <algorithm> <array> <charconv> <cmath> <cstdint> <functional> <map> <memory> <optional> <span> <string> <string_view> <utility>
  <vector> <fmt/format.h>)

function(warplens_options_of kind out)
  set(options)
  if(kind STREQUAL hot)
    set(options ${WARPLENS_HOT_OPTIONS})
  elseif(kind STREQUAL app)
    set(options ${WARPLENS_APP_OPTIONS})
  endif()
  set(${out} ${options} PARENT_SCOPE)
endfunction()

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
    warplens_options_of(${kind} options)
    if(kind MATCHES "^(app|hot)$" AND "${options}" STREQUAL "")
      set(kind plain)
    endif()
    target_precompile_headers(${target} REUSE_FROM warplens_precompiled_${kind})
  endif()
endfunction()

set(test_kinds tests light_tests)
set(test_options WARPLENS_TEST_OPTIONS WARPLENS_LIGHT_TEST_OPTIONS)
if(NOT WARPLENS_APART)
  warplens_precompiled_headers(plain)
  foreach(kind IN ITEMS app hot)
    warplens_precompiled_headers(${kind})
    warplens_options_of(${kind} options)
    target_compile_options(warplens_precompiled_${kind} PRIVATE ${options})
  endforeach()
  if(WARPLENS_TESTS)
    foreach(kind options IN ZIP_LISTS test_kinds test_options)
      warplens_precompiled_headers(${kind} <gtest/gtest.h>)
      target_link_libraries(warplens_precompiled_${kind} PRIVATE GTest::gtest)
      set_target_properties(warplens_precompiled_${kind} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(warplens_precompiled_${kind} PRIVATE ${${options}} -fPIE)  # as executables are
    endforeach()
  endif()
endif()
