# The interpreter's core is compiled once for each instruction set; the program chooses at run time
# (kernels/replay/core/core_choice.cpp). All of them must compute the same bits: multiplications and additions are never contracted, and
# nothing is assumed about floating point but that nobody reads errno or the exception flags.
set(core_options -ffp-contract=off -fno-math-errno -fno-trapping-math -foptimize-sibling-calls)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  list(APPEND core_options -Wno-pass-failed)  # says which loops over lanes it does not vectorise: none without optimisation, and it need not
endif()
set(folder ${PROJECT_SOURCE_DIR}/kernels/replay/core)
foreach(level v2 v3 v4)
  set_source_files_properties(${folder}/core_${level}.cpp PROPERTIES COMPILE_OPTIONS "${core_options};-march=x86-64-${level}" SKIP_PRECOMPILE_HEADERS ON)
endforeach()
set_source_files_properties(${folder}/core_v4.cpp PROPERTIES COMPILE_OPTIONS "${core_options};-march=x86-64-v4;-mprefer-vector-width=512")
# Only processors from before 2013 run that one: optimised in full it would take longest of the three to compile.
if(CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo)
  set_source_files_properties(${folder}/core_v2.cpp PROPERTIES COMPILE_OPTIONS "${core_options};-march=x86-64-v2;-Og")
endif()
foreach(part functions floats halves conversions)
  set_source_files_properties(${folder}/lane_${part}.cpp PROPERTIES COMPILE_OPTIONS "-ffp-contract=off" SKIP_PRECOMPILE_HEADERS ON)
endforeach()

# Sanitizers find in one core what they find in all: the one that every machine runs.
set(left_out ${folder}/only_core.cpp)
if(WARPLENS_SANITIZE)
  set(left_out ${folder}/core_choice.cpp ${folder}/core_v3.cpp ${folder}/core_v4.cpp)
endif()
set_source_files_properties(${left_out} PROPERTIES HEADER_FILE_ONLY ON)

# This component makes pointers of bytes, so that alignment is looked for also where WARPLENS_UNCHECKED leaves it out; but in the core, whose lanes' loads and stores
# then take twice the time to compile: the registers that it reads so, others read too.
if(WARPLENS_SANITIZE)
  target_compile_options(kernels_replay PRIVATE -fsanitize=alignment)
  if(WARPLENS_UNCHECKED)
    set_property(SOURCE ${folder}/core_v2.cpp APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=${WARPLENS_UNCHECKED})
  endif()
endif()
