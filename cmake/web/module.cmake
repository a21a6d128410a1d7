# warplens.wasm, and the folder of static files around it: build/web/page.
add_executable(warplens_module ${PROJECT_SOURCE_DIR}/app/web_main.cpp)
warplens_uses(warplens_module app/web viz/views kernels/ladder)
target_link_options(warplens_module PRIVATE -mexec-model=reactor -Wl,--strip-all -Wl,-z,stack-size=8388608)
set(page ${PROJECT_BINARY_DIR}/page)
file(GLOB page_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/app/web/page/*)
foreach(font IN ITEMS Inter-Regular.ttf Inter-SemiBold.ttf JetBrainsMono-Regular.ttf NotoSansSC-Regular.otf OFL.txt)
  list(APPEND page_files ${PROJECT_SOURCE_DIR}/assets/fonts/${font})
endforeach()
set_target_properties(warplens_module PROPERTIES OUTPUT_NAME warplens SUFFIX .wasm RUNTIME_OUTPUT_DIRECTORY ${page})
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/page.stamp COMMAND ${CMAKE_COMMAND} -E copy ${page_files} ${page}
  COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/page.stamp DEPENDS ${page_files} COMMENT "Copying the page" VERBATIM)
add_custom_target(page ALL DEPENDS ${PROJECT_BINARY_DIR}/page.stamp warplens_module)
