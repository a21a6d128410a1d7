# One core, for the instruction set that every browser has (cmake/replay_cores.cmake).
set(folder ${PROJECT_SOURCE_DIR}/kernels/replay/core)
set_source_files_properties(${folder}/core_v2.cpp PROPERTIES COMPILE_OPTIONS
  "-ffp-contract=off;-fno-math-errno;-fno-trapping-math;-Wno-psabi;-Wno-pass-failed")
foreach(part functions floats halves conversions)
  set_source_files_properties(${folder}/lane_${part}.cpp PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
endforeach()
foreach(left_out core_choice core_v3 core_v4)
  set_source_files_properties(${folder}/${left_out}.cpp PROPERTIES HEADER_FILE_ONLY ON)
endforeach()
