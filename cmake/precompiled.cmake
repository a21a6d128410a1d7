# warplens_precompiled(target plain|app|hot|tests)
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
    target_precompile_headers(${target} REUSE_FROM warplens_precompiled_${kind})
  endif()
endfunction()

if(NOT WARPLENS_APART)
  warplens_precompiled_headers(plain)
  warplens_precompiled_headers(app)
  target_compile_options(warplens_precompiled_app PRIVATE ${WARPLENS_APP_OPTIONS})
  warplens_precompiled_headers(hot)
  target_compile_options(warplens_precompiled_hot PRIVATE ${WARPLENS_HOT_OPTIONS})
  if(WARPLENS_TESTS)
    warplens_precompiled_headers(tests <gtest/gtest.h>)
    target_link_libraries(warplens_precompiled_tests PRIVATE GTest::gtest)
    set_target_properties(warplens_precompiled_tests PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(warplens_precompiled_tests PRIVATE ${WARPLENS_TEST_OPTIONS} -fPIE)  # as executables are
  endif()
endif()
