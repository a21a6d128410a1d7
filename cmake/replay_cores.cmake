# The interpreter's core is compiled once for each instruction set; the program chooses at run time
# (core_choice.cpp). All of them must compute the same bits: multiplications and additions are never contracted,
# and nothing is assumed about floating point but that nobody reads errno or the exception flags. How vectors are
# passed does not matter (-Wno-psabi): all that take or return some are inlined.
set(core_options -ffp-contract=off -fno-math-errno -fno-trapping-math -Wno-psabi)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  list(APPEND core_options -Wno-pass-failed)  # names the loops over lanes that are not vectorised
else()
  list(APPEND core_options -O3)
endif()
set(folder ${PROJECT_SOURCE_DIR}/kernels/replay/core)
foreach(level v2 v3 v4)
  set_source_files_properties(${folder}/core_${level}.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS "${core_options};-march=x86-64-${level}")
endforeach()
set_property(SOURCE ${folder}/core_v4.cpp APPEND PROPERTY COMPILE_OPTIONS -mprefer-vector-width=512)
foreach(part functions floats halves conversions)
  set_source_files_properties(${folder}/lane_${part}.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS -ffp-contract=off)
endforeach()

# Sanitizers find in one core what they find in all: only the one that every machine runs is compiled.
set(left_out ${folder}/only_core.cpp)
if(WARPLENS_SANITIZE)
  set(left_out ${folder}/core_choice.cpp ${folder}/core_v3.cpp ${folder}/core_v4.cpp)
endif()
set_source_files_properties(${left_out} PROPERTIES HEADER_FILE_ONLY ON)
