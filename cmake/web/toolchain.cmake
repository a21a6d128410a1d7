# Compiles for browsers: WebAssembly with WASI's interface, by the clang of the ziglang wheel. The files of this folder stand for those of the same name in
# cmake/: externals, replay_cores.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(WARPLENS_WEB ON)
set(WARPLENS_EMBED_FORMAT _web)
set(WARPLENS_OTHER_PLATFORM "_native\\.cpp$")
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WARPLENS_ZIG)

file(GLOB ziglang ${CMAKE_CURRENT_LIST_DIR}/../../.venv/lib/python3*/site-packages/ziglang)
find_program(WARPLENS_ZIG zig PATHS ${ziglang} NO_DEFAULT_PATH)
if(NOT WARPLENS_ZIG)
  message(FATAL_ERROR "The compiler for browsers is not here: run tools/setup.sh web first")
endif()
get_filename_component(WARPLENS_ZIG_LIBRARY ${WARPLENS_ZIG} DIRECTORY)
string(APPEND WARPLENS_ZIG_LIBRARY /lib)

# What every browser has had since 2022.
set(web_features generic+bulk_memory+exception_handling+mutable_globals+nontrapping_fptoint+sign_ext)
set(web_target -target wasm32-wasi -mcpu=${web_features})
set(CMAKE_C_COMPILER ${WARPLENS_ZIG} cc ${web_target})
set(CMAKE_CXX_COMPILER ${WARPLENS_ZIG} c++ ${web_target})
set(CMAKE_ASM_COMPILER ${WARPLENS_ZIG} cc ${web_target})
foreach(language IN ITEMS C CXX ASM)
  set(CMAKE_${language}_ARCHIVE_CREATE "${WARPLENS_ZIG} ar qc <TARGET> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_APPEND "${WARPLENS_ZIG} ar q <TARGET> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_FINISH "${WARPLENS_ZIG} ranlib <TARGET>")
endforeach()
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# The wheel's own C++ library has neither exceptions nor files there; runtime.cmake builds it with both, and with threads that cannot be started.
set(web_library)
foreach(setting IN ITEMS ABI_VERSION=1 ABI_NAMESPACE=__1 HAS_THREADS=1 HAS_THREAD_API_PTHREAD=1 HAS_THREAD_API_EXTERNAL=0 HAS_THREAD_API_WIN32=0
    HAS_MONOTONIC_CLOCK=1 HAS_TERMINAL=0 HAS_MUSL_LIBC=0 HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0 HAS_FILESYSTEM=1 HAS_RANDOM_DEVICE=1 HAS_LOCALIZATION=1
    HAS_UNICODE=1 HAS_WIDE_CHARACTERS=1 HAS_TIME_ZONE_DATABASE=0 PSTL_BACKEND_SERIAL=1 HARDENING_MODE_DEFAULT=2 ASSERTION_SEMANTIC_DEFAULT=2
    DISABLE_VISIBILITY_ANNOTATIONS=1)
  string(APPEND web_library " -D_LIBCPP_${setting}")
endforeach()
set(CMAKE_C_FLAGS_INIT "-fno-sanitize=undefined -fno-stack-protector")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT} -fwasm-exceptions -nostdinc++ -I${WARPLENS_ZIG_LIBRARY}/libcxx/include \
-I${WARPLENS_ZIG_LIBRARY}/libcxxabi/include${web_library} -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_GETPID")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-nostdlib++ -lwasi-emulated-signal -lwasi-emulated-getpid")
