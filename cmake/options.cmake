set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(WARPLENS_TESTS "Build the tests" ON)
option(WARPLENS_BENCHMARKS "Build the benchmarks" ON)
option(WARPLENS_WINDOW "Build the window (needs OpenGL and X11 headers)" ON)
option(WARPLENS_PORTABLE "Link fmt and zstd in, as packages do" OFF)
option(WARPLENS_FUZZ "Build the fuzz targets (clang only)" OFF)
option(WARPLENS_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
option(WARPLENS_WARNINGS_ARE_ERRORS "Stop at a warning (CI does)" OFF)

if(NOT WARPLENS_WEB)
  set(WARPLENS_OTHER_PLATFORM "_web\\.cpp$")
endif()

# ccache accepts precompiled headers only with this sloppiness; with CCACHE_BASEDIR, clones share what they compiled.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()

if(WARPLENS_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(WARPLENS_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # coverage, which guides libFuzzer
endif()

# The one place for warnings; linked by every target of ours and by no other.
add_library(warplens_warnings INTERFACE)
target_compile_options(warplens_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wno-sign-conversion -Wno-missing-field-initializers)
if(WARPLENS_WARNINGS_ARE_ERRORS)
  target_compile_options(warplens_warnings INTERFACE -Werror)
endif()
if(WARPLENS_WEB)  # Sizes have 32 bits there: what does not fit in memory is refused before (check_memory)
  target_compile_options(warplens_warnings INTERFACE -Wno-shorten-64-to-32 -Wno-c++11-narrowing)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # False positives of g++ 12 and 13 in std::string, std::optional and std::function (GCC bug 105651); precompiled
  # headers are not system headers to it.
  target_compile_options(warplens_warnings INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
    -Wno-stringop-overread -Wno-maybe-uninitialized -Wno-free-nonheap-object)
endif()
