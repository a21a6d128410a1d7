# Lessons that ship, and the kernels that they bring along, as CUDA C++ and as PTX, for machines without a compiler.
warplens_embed_folder(assets_lessons NAMESPACE warplens::lessons HEADER assets/lessons.h FOLDER assets/lessons)
warplens_embed_folder(assets_handout NAMESPACE warplens::handout HEADER assets/handout.h FOLDER assets/handout)
if(WARPLENS_NVCC AND WARPLENS_TESTS)
  file(GLOB lesson_kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/assets/lessons/*.cu)
  foreach(source IN LISTS lesson_kernels)
    get_filename_component(name ${source} NAME_WE)
    add_test(NAME shipped_ptx.lesson.${name} COMMAND ${CMAKE_COMMAND} -DNVCC=${WARPLENS_NVCC} -DSOURCE=${source}
      -DPTX=${PROJECT_BINARY_DIR}/lessons/${name}.ptx -DSHIPPED=${PROJECT_SOURCE_DIR}/assets/lessons/${name}.ptx
      -P ${PROJECT_SOURCE_DIR}/cmake/compile_ptx.cmake)
  endforeach()
endif()
