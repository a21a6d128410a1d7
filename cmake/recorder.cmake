# The recorder that instrumented kernels call on the GPU: PTX made by nvcc 13.0 where it is there, else what is shipped under assets/ptx. Embedded.
set(recorder_source ${PROJECT_SOURCE_DIR}/kernels/gpu/recorder/recorder.cu)
file(GLOB recorder_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/gpu/recorder/*.h ${PROJECT_SOURCE_DIR}/kernels/gpu/recorder/*.cuh)
list(APPEND recorder_headers ${PROJECT_SOURCE_DIR}/kernels/ptx/instrument/record_frame.h ${PROJECT_SOURCE_DIR}/kernels/replay/texels.h
  ${PROJECT_SOURCE_DIR}/kernels/base/texture.h)
set(recorder_shipped ${PROJECT_SOURCE_DIR}/assets/ptx/recorder.ptx)
if(WARPLENS_NVCC)
  set(recorder_ptx ${PROJECT_BINARY_DIR}/ptx/recorder.ptx)
  set(script ${PROJECT_SOURCE_DIR}/cmake/compile_ptx.cmake)
  warplens_known_ptx(known ${recorder_shipped})
  add_custom_command(OUTPUT ${recorder_ptx}
    COMMAND ${CMAKE_COMMAND} -DNVCC=${WARPLENS_NVCC} -DSOURCE=${recorder_source} "-DHEADERS=${recorder_headers}" -DPTX=${recorder_ptx} ${known}
      "-DOPTIONS=-std=c++20;--expt-relaxed-constexpr;-rdc=true;-I${PROJECT_SOURCE_DIR}" -P ${script}
    DEPENDS ${recorder_source} ${recorder_headers} ${script} ${ladder_known_sources} COMMENT "Compiling recorder.cu to PTX" VERBATIM)
  if(WARPLENS_TESTS)
    add_test(NAME shipped_ptx.recorder COMMAND ${CMAKE_COMMAND} -E compare_files --ignore-eol ${recorder_ptx} ${recorder_shipped})
  endif()
else()
  set(recorder_ptx ${recorder_shipped})
endif()
add_custom_target(recorder_ptx_file DEPENDS ${recorder_ptx})
add_dependencies(ladder_ptx recorder_ptx_file)
warplens_embed(kernels_gpu_recorder_text NAMESPACE warplens::recorder_text HEADER kernels/gpu/recorder_text.h FILES ${recorder_ptx})
