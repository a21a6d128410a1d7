set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

option(WARPLENS_TESTS "Build the tests" ON)
option(WARPLENS_BENCHMARKS "Build the benchmarks" ON)
option(WARPLENS_WINDOW "Build the window (needs OpenGL and X11 headers)" ON)
option(WARPLENS_FUZZ "Build the fuzz targets (clang only)" OFF)
option(WARPLENS_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
option(WARPLENS_LIST_ALL "List the machine code of every kernel anew, also where the shipped listings are of the same PTX" OFF)
option(WARPLENS_APART "Compile each source by itself and without precompiled headers, as clang-tidy reads them" OFF)
option(WARPLENS_WARNINGS_ARE_ERRORS "Stop at a warning (CI does)" OFF)

set(WARPLENS_TEST_OPTIONS "-Og" CACHE STRING "Compiler options of the tests themselves: what they test is optimised as it ships")
set(WARPLENS_LIGHT_TEST_OPTIONS "-O0" CACHE STRING "Compiler options of those tests that compute little themselves, and take longer to compile than to run")
set(WARPLENS_APP_OPTIONS "" CACHE STRING "Compiler options for the components of app/, kernels/compile and kernels/gpu, such as -O0: they take long to compile, and \
compute least")
set(WARPLENS_UNCHECKED "null,vptr,object-size,pointer-overflow,alignment" CACHE STRING "Undefined behaviour that WARPLENS_SANITIZE does not look for: a quarter of \
its build's time, for what the address sanitizer mostly finds too, and for alignment, where nothing makes pointers of bytes. Empty: it looks for all")
set(WARPLENS_HOT_OPTIONS "" CACHE STRING "Compiler options for the components that users wait for, such as -O2")
# All of g++'s -O3 takes a quarter longer to compile, and the benchmarks are as fast with its loops alone and without four passes of -O2. Functions begin where
# a line of the cache does: else a loop of five instructions takes a third longer whenever a change elsewhere moves it across a line's end. clang-tidy, which
# compiles apart, and clang do not know these options.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND WARPLENS_HOT_OPTIONS STREQUAL "-O2" AND NOT WARPLENS_APART)
  list(APPEND WARPLENS_HOT_OPTIONS -ftree-vectorize -fvect-cost-model=dynamic -fpeel-loops -fno-tree-vrp -fno-gcse -fno-tree-pre -fno-code-hoisting
    -falign-functions=64)
endif()

if(WARPLENS_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    add_compile_options("SHELL:-mllvm -asan-instrumentation-with-call-threshold=0")  # Calls of its checks, not their text: shorter, and no slower
  endif()
  if(WARPLENS_UNCHECKED)
    add_compile_options(-fno-sanitize=${WARPLENS_UNCHECKED})
  endif()
endif()

# g++ collects garbage each time its heap has doubled from a size that sources like ours pass at once. To begin later takes a tenth to a fifth less time, and at
# most 1.5 GB a compilation instead of 1.1 (g++ 12).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(--param=ggc-min-heapsize=700000)
endif()

# The one place for warnings; linked by every target of ours and by no other.
add_library(warplens_warnings INTERFACE)
target_compile_options(warplens_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers)
if(WARPLENS_WARNINGS_ARE_ERRORS)
  target_compile_options(warplens_warnings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # g++ 12 and 13 see overlaps in std::string's operator+ that are not there (GCC bug 105651), and uninitialised members in std::optional at -Og, with
  # sanitizers also in std::function.
  # Precompiled, the standard library's headers are no system headers to it any more, and what it takes for a read past the end of a moved std::string shows.
  target_compile_options(warplens_warnings INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-maybe-uninitialized)
endif()
