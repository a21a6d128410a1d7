# The C++ library from the sources in the ziglang wheel, with exceptions, files and threads: starting a thread fails, as there are none.
file(GLOB runtime_sources ${WARPLENS_ZIG_LIBRARY}/libcxx/src/*.cpp ${WARPLENS_ZIG_LIBRARY}/libcxx/src/filesystem/*.cpp
  ${WARPLENS_ZIG_LIBRARY}/libcxx/src/ryu/*.cpp ${WARPLENS_ZIG_LIBRARY}/libcxxabi/src/*.cpp)
list(FILTER runtime_sources EXCLUDE REGEX "/(strstream|cxa_noexception)\\.cpp$")
add_library(web_runtime STATIC ${runtime_sources} ${WARPLENS_ZIG_LIBRARY}/libunwind/src/Unwind-wasm.c ${CMAKE_CURRENT_LIST_DIR}/exception_tag.S)
set_target_properties(web_runtime PROPERTIES UNITY_BUILD OFF CXX_STANDARD 23)
target_compile_definitions(web_runtime PRIVATE _LIBCPP_BUILDING_LIBRARY LIBCXX_BUILDING_LIBCXXABI _LIBCXXABI_BUILDING_LIBRARY)
target_include_directories(web_runtime PRIVATE ${WARPLENS_ZIG_LIBRARY}/libcxx/src ${WARPLENS_ZIG_LIBRARY}/libcxx/libc
  ${WARPLENS_ZIG_LIBRARY}/libunwind/include ${WARPLENS_ZIG_LIBRARY}/libunwind/src)
target_compile_options(web_runtime PRIVATE -w $<$<COMPILE_LANGUAGE:C>:-fdeclspec -fwasm-exceptions>)
link_libraries(web_runtime)
