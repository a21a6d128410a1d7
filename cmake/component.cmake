# warplens_component(kernels/ptx DEPENDS kernels/base LINK zstd::zstd)
#   A static library of all .cpp files of the folder and its subfolders. Its headers are included as
#   "kernels/ptx/x.h" by itself and by those that name it in DEPENDS, through a folder of links in the build
#   tree: an include that DEPENDS does not allow does not compile.
#   x_web.cpp is what browsers have in place of x_native.cpp.
#   REGISTERS: nothing refers to its symbols, it only adds to a registry before main begins.
# warplens_uses(target kernels/ptx ...)
#   Links components to an executable; those that register are linked whole.
function(warplens_target_name path out)
  string(REPLACE "/" "_" name ${path})
  set(${out} ${name} PARENT_SCOPE)
endfunction()

function(warplens_component path)
  cmake_parse_arguments(ARG "REGISTERS" "" "DEPENDS;LINK" ${ARGN})
  warplens_target_name(${path} name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${path}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "${WARPLENS_OTHER_PLATFORM}")

  set(view ${PROJECT_BINARY_DIR}/include/${name})
  get_filename_component(parent ${path} DIRECTORY)
  file(MAKE_DIRECTORY ${view}/${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${path} ${view}/${path} SYMBOLIC)

  if(sources)
    add_library(${name} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(${name} PRIVATE warplens_warnings)
    target_precompile_headers(${name} REUSE_FROM warplens_precompiled)
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${name} ${scope} ${view})
  target_link_libraries(${name} ${scope} ${ARG_LINK})
  foreach(dependency IN LISTS ARG_DEPENDS)
    warplens_target_name(${dependency} dependency_name)
    target_link_libraries(${name} ${scope} ${dependency_name})
  endforeach()
  if(ARG_REGISTERS AND sources)
    set_target_properties(${name} PROPERTIES WARPLENS_REGISTERS ON)
  endif()
endfunction()

function(warplens_uses target)
  foreach(path IN LISTS ARGN)
    warplens_target_name(${path} name)
    target_link_libraries(${target} PRIVATE ${name})
    get_target_property(registers ${name} WARPLENS_REGISTERS)
    if(registers)
      target_link_options(${target} PRIVATE
        "SHELL:-Wl,--whole-archive $<TARGET_FILE:${name}> -Wl,--no-whole-archive")
      add_dependencies(${target} ${name})
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE warplens_warnings)
endfunction()
