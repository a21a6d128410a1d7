# cmake -DNVCC=... -DPTX=dir/name.ptx "-DARCHITECTURES=-gencode;..." -DFATBIN=name.fatbin.zst -P compile_machine_code.cmake
#   Writes the machine code that nvcc makes of the PTX, compressed.
#   -DKNOWN_PTX=... -DKNOWN_FATBIN=name.fatbin.zst: where the PTX is that, this is FATBIN.
get_filename_component(folder ${FATBIN} DIRECTORY)
file(MAKE_DIRECTORY ${folder})
if(DEFINED KNOWN_PTX)
  file(SHA256 ${PTX} made)
  file(SHA256 ${KNOWN_PTX} known)
  if(made STREQUAL known)
    file(COPY_FILE ${KNOWN_FATBIN} ${FATBIN})
    return()
  endif()
endif()
# nvcc writes the name that it is given into the fatbin, which must be the same wherever it was made.
get_filename_component(ptx_folder ${PTX} DIRECTORY)
get_filename_component(ptx_name ${PTX} NAME)
execute_process(COMMAND ${NVCC} -fatbin -O3 -lineinfo ${ARCHITECTURES} ${ptx_name} -o ${FATBIN}.whole WORKING_DIRECTORY ${ptx_folder} RESULT_VARIABLE status)
if(status)
  message(FATAL_ERROR "nvcc failed on ${PTX}")
endif()
file(REMOVE ${FATBIN})
file(ARCHIVE_CREATE OUTPUT ${FATBIN} PATHS ${FATBIN}.whole FORMAT raw COMPRESSION Zstd COMPRESSION_LEVEL 9)
file(REMOVE ${FATBIN}.whole)
