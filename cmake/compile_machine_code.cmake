# cmake -DNVCC=... -DPTX=dir/name.ptx "-DARCHITECTURES=-gencode;..." -DFATBIN=name.fatbin.zst -P compile_machine_code.cmake
#   Writes the machine code that nvcc makes of the PTX, compressed.
#   -DKNOWN_PTX=... -DKNOWN=name.fatbin.zst: where the PTX is that, this is FATBIN.
get_filename_component(folder ${FATBIN} DIRECTORY)
file(MAKE_DIRECTORY ${folder})
include(${CMAKE_CURRENT_LIST_DIR}/known_of_ptx.cmake)
warplens_take_known(${FATBIN})
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
