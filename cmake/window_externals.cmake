# What the window is made of, compiled from external/ and .venv/, where tools/setup.sh puts it.
#
# Components link warplens::imgui, which is the headers alone. The executable says which Dear ImGui it is compiled against: the product links
# warplens::imgui_library, the GUI tests warplens::imgui_testable, the same sources with the hooks of the test engine and the engine itself. So the engine,
# whose licence is its own, is never in the product.
set(external ${PROJECT_SOURCE_DIR}/external)
if(NOT EXISTS ${external}/sources.stamp OR NOT EXISTS ${PROJECT_SOURCE_DIR}/.venv/glad.stamp)
  message(FATAL_ERROR "The sources of Dear ImGui or the generator of the OpenGL loader are not here: run tools/setup.sh first, or build without the window "
    "(-DWARPLENS_WINDOW=OFF)")
endif()

# OpenGL 3.3 core, without extensions: #include <glad/gl.h>
set(glad ${PROJECT_BINARY_DIR}/glad)
set(glad_python ${PROJECT_SOURCE_DIR}/.venv/bin/python)
add_custom_command(OUTPUT ${glad}/src/gl.c ${glad}/include/glad/gl.h
  COMMAND ${glad_python} -m glad --quiet --reproducible --api gl:core=3.3 --extensions= --out-path ${glad} c
  DEPENDS ${PROJECT_SOURCE_DIR}/.venv/glad.stamp COMMENT "Generating the OpenGL loader" VERBATIM)
add_library(warplens_glad STATIC ${glad}/src/gl.c ${glad}/include/glad/gl.h)
target_include_directories(warplens_glad SYSTEM PUBLIC ${glad}/include)
add_library(warplens::glad ALIAS warplens_glad)

set(GLFW_BUILD_WAYLAND OFF CACHE BOOL "" FORCE)  # X11 alone, which every Wayland desktop runs too, spares its headers and scanner
set(GLFW_BUILD_DOCS OFF CACHE BOOL "" FORCE)
set(GLFW_BUILD_EXAMPLES OFF CACHE BOOL "" FORCE)
set(GLFW_BUILD_TESTS OFF CACHE BOOL "" FORCE)
set(GLFW_INSTALL OFF CACHE BOOL "" FORCE)
add_subdirectory(${external}/glfw ${PROJECT_BINARY_DIR}/glfw EXCLUDE_FROM_ALL)
set_target_properties(glfw PROPERTIES UNITY_BUILD OFF)
add_library(warplens_glfw INTERFACE)
target_include_directories(warplens_glfw SYSTEM INTERFACE ${external}/glfw/include)
target_compile_definitions(warplens_glfw INTERFACE GLFW_INCLUDE_NONE)
target_link_libraries(warplens_glfw INTERFACE glfw)
add_library(warplens::glfw ALIAS warplens_glfw)

add_library(warplens_imgui INTERFACE)
target_include_directories(warplens_imgui SYSTEM INTERFACE ${external}/imgui ${external}/imgui/backends ${external}/imgui/misc/cpp)
add_library(warplens::imgui ALIAS warplens_imgui)

add_library(warplens_implot INTERFACE)
target_include_directories(warplens_implot SYSTEM INTERFACE ${external}/implot)
target_link_libraries(warplens_implot INTERFACE warplens_imgui)
add_library(warplens::implot ALIAS warplens_implot)

add_library(warplens_text_editor INTERFACE)
target_include_directories(warplens_text_editor SYSTEM INTERFACE ${external}/text_editor)
target_link_libraries(warplens_text_editor INTERFACE warplens_imgui)
add_library(warplens::text_editor ALIAS warplens_text_editor)

# Objects and not an archive, so that they serve components that come before and after them on the linker's command line.
function(warplens_imgui_objects target)
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${ARGN})
  target_compile_options(${target} PRIVATE -w $<$<BOOL:${WARPLENS_SANITIZE}>:-fno-sanitize=undefined>)
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  # Plots of numbers, of none of ten types: the views give points by functions, and those plots take minutes to compile.
  target_compile_definitions(${target} PRIVATE IMPLOT_CUSTOM_NUMERIC_TYPES=)
  target_link_libraries(${target} PUBLIC warplens_imgui warplens_implot warplens_text_editor warplens_glfw ${CMAKE_DL_LIBS} Threads::Threads)
endfunction()

# The hooks of the test engine are in Dear ImGui itself; what is built upon it is the same with them and without.
file(GLOB imgui_sources ${external}/imgui/imgui*.cpp)
file(GLOB upon_imgui ${external}/implot/implot*.cpp)
list(FILTER imgui_sources EXCLUDE REGEX "_demo\\.cpp$")
list(FILTER upon_imgui EXCLUDE REGEX "_demo\\.cpp$")
list(APPEND upon_imgui ${external}/imgui/backends/imgui_impl_glfw.cpp ${external}/imgui/backends/imgui_impl_opengl3.cpp
  ${external}/imgui/misc/cpp/imgui_stdlib.cpp ${external}/text_editor/TextEditor.cpp)
warplens_imgui_objects(warplens_upon_imgui ${upon_imgui})
warplens_imgui_objects(warplens_imgui_library ${imgui_sources})
target_sources(warplens_imgui_library INTERFACE $<TARGET_OBJECTS:warplens_upon_imgui>)
add_library(warplens::imgui_library ALIAS warplens_imgui_library)

if(WARPLENS_TESTS)
  set(test_engine ${external}/test_engine/imgui_test_engine)
  file(GLOB test_engine_sources ${test_engine}/*.cpp)
  warplens_imgui_objects(warplens_imgui_testable ${imgui_sources} ${test_engine_sources})
  target_sources(warplens_imgui_testable INTERFACE $<TARGET_OBJECTS:warplens_upon_imgui>)
  target_include_directories(warplens_imgui_testable SYSTEM PUBLIC ${external}/test_engine)
  target_include_directories(warplens_imgui_testable PRIVATE ${test_engine})
  target_compile_definitions(warplens_imgui_testable PUBLIC IMGUI_ENABLE_TEST_ENGINE IMGUI_TEST_ENGINE_ENABLE_COROUTINE_STDTHREAD_IMPL=1
    IMGUI_TEST_ENGINE_ENABLE_STD_FUNCTION=1)
  add_library(warplens::imgui_testable ALIAS warplens_imgui_testable)
endif()
