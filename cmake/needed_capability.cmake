# warplens_needed_capability(needed source): the compute capability that a kernel is compiled for, "80" where a line of its source begins with `// Needs compute
# capability 8.0`, "90a" where it says 9.0a, which runs on that one only. Else 75, the oldest that nvcc 13.0 compiles for: the driver takes its PTX on every GPU since.
function(warplens_needed_capability needed source)
  set(${needed} 75 PARENT_SCOPE)
  file(STRINGS ${source} lines REGEX "^// Needs compute capability [0-9]+\\.[0-9]a?")
  if(lines MATCHES "capability ([0-9]+)\\.([0-9]a?)")
    set(${needed} ${CMAKE_MATCH_1}${CMAKE_MATCH_2} PARENT_SCOPE)
  endif()
endfunction()
