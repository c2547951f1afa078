# What the tests of installed packages share.

# Runs a command, which must succeed; its output is left in `output`.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}: ${status}\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

function(expect text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "expected ${pattern}, got:\n${text}")
  endif()
endfunction()

# Builds and runs a program as pkg-config says.
function(check_pkg_config prefix)
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  run(pkg-config --cflags --libs whorl)
  separate_arguments(flags UNIX_COMMAND "${FLAGS} ${output}")
  run(${COMPILER} -std=c++20 ${CONSUMER}/main.cpp -o ${WORK}/by_pkg_config ${flags} -Wl,-rpath,${prefix}/${LIBDIR})
  run(${WORK}/by_pkg_config)
  expect("${output}" "^whorl ${VERSION}: relative error [0-9]")
endfunction()
