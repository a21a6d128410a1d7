# cmake -DNVCC=... -DSOURCE=dir/name.cu -DPTX=out.ptx [-DSHIPPED=name.ptx] -P compile_ptx.cmake
#   Fails where it is not the shipped one, if that is named.
#   compute_75 is the oldest that nvcc 13.0 compiles for: the driver takes its PTX on every GPU since.
get_filename_component(name ${SOURCE} NAME)
get_filename_component(folder ${PTX} DIRECTORY)
file(MAKE_DIRECTORY ${folder})
execute_process(COMMAND ${NVCC} -O3 -lineinfo -arch=compute_75 -ptx ${SOURCE} -o ${PTX}.whole RESULT_VARIABLE status)
if(status)
  message(FATAL_ERROR "nvcc failed on ${SOURCE}")
endif()
# nvcc writes the source's absolute path into the line table; the PTX must be the same wherever it was made.
file(READ ${PTX}.whole text)
string(REGEX REPLACE "(\t\\.file\t[0-9]+ \")[^\"]*/(${name}\")" "\\1\\2" text "${text}")
file(WRITE ${PTX} "${text}")
file(REMOVE ${PTX}.whole)
if(SHIPPED)
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files --ignore-eol ${PTX} ${SHIPPED} RESULT_VARIABLE differ)
  if(differ)
    message(FATAL_ERROR "${SHIPPED} is not what nvcc makes of ${SOURCE}: run tools/update-ptx.sh")
  endif()
endif()
