# The component app/version: the version, and the commit that is built, looked up at each build.
set(commit_folder ${PROJECT_BINARY_DIR}/commit)
add_custom_target(warplens_commit BYPRODUCTS ${commit_folder}/commit.h
  COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D HEADER=${commit_folder}/commit.h
    -P ${CMAKE_CURRENT_LIST_DIR}/write_commit.cmake VERBATIM)
warplens_component(app/version LINK warplens::fmt zstd::zstd)
add_dependencies(app_version warplens_commit)
target_include_directories(app_version PRIVATE ${commit_folder})
target_compile_definitions(app_version PRIVATE WARPLENS_VERSION="${PROJECT_VERSION}" WARPLENS_NVCC="${WARPLENS_NVCC}"
  WARPLENS_COMPILER="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" WARPLENS_BUILD_TYPE="${CMAKE_BUILD_TYPE}"
  WARPLENS_HAS_WINDOW=$<BOOL:${WARPLENS_WINDOW}>)
