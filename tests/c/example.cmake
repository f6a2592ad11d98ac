# Installs the library into the build folder, compiles the example against it, and runs it.

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed (${result}): ${ARGV}")
  endif()
endfunction()

set(prefix ${BUILD}/installed)
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run(${COMPILER} -std=c11 ${flags} -I${prefix}/include ${SOURCE} -L${prefix}/lib -lfencelock
  -o ${BUILD}/example)
run(${BUILD}/example)
