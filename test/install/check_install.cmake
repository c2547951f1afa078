# The test of the installed package; what it needs is defined by CMakeLists.txt beside it.
cmake_minimum_required(VERSION 3.25)

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

# Builds and runs the consumer against the package in `prefix`, and runs the installed program.
function(check prefix)
  file(REMOVE_RECURSE ${WORK}/consumer)
  run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/consumer -G ${GENERATOR}
      -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=${BUILD_TYPE}
      -D CMAKE_CXX_FLAGS=${FLAGS} -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
  file(STRINGS ${WORK}/consumer/CMakeCache.txt found REGEX "^whorl_DIR:")
  if(NOT found MATCHES "=${prefix}/")
    message(FATAL_ERROR "the consumer found another whorl: ${found}")
  endif()
  run(${CMAKE_COMMAND} --build ${WORK}/consumer)
  run(${WORK}/consumer/consumer)
  message(STATUS "${prefix}: ${output}")
  expect("${output}" "^whorl ${VERSION}: relative error [0-9]")
  run(${WORK}/consumer/blur)
  expect("${output}" "^sum ")

  run(${prefix}/${BINDIR}/whorl --version)
  expect("${output}" "^whorl ${VERSION}\n")
  run(${prefix}/${BINDIR}/whorl recon --help)
  expect("${output}" "--iterations")
endfunction()

set(prefix ${WORK}/prefix)
set(moved ${WORK}/elsewhere/moved)
file(REMOVE_RECURSE ${WORK})
unset(ENV{DESTDIR})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

foreach(file
    ${DATADIR}/bash-completion/completions/whorl ${DATADIR}/zsh/site-functions/_whorl
    ${MANDIR}/man1/whorl.1 ${MANDIR}/man1/whorl-recon.1)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()

# Nothing that is read again may name a folder of this build.
file(GLOB_RECURSE files ${prefix}/*.cmake ${prefix}/*.hpp ${prefix}/${MANDIR}/* ${prefix}/*completions/whorl
  ${prefix}/*_whorl)
foreach(file IN LISTS files)
  file(READ ${file} text)
  foreach(folder ${BUILD} ${SOURCE} ${prefix})
    string(FIND "${text}" "${folder}/" place)
    if(NOT place EQUAL -1)
      message(FATAL_ERROR "${file} names ${folder}")
    endif()
  endforeach()
endforeach()

check(${prefix})
file(MAKE_DIRECTORY ${WORK}/elsewhere)
file(RENAME ${prefix} ${moved})
check(${moved})

# A version that may have another interface is refused.
file(WRITE ${WORK}/other/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(other LANGUAGES C CXX)\n"
  "find_package(whorl 0.0 QUIET)\nif(whorl_FOUND)\n  message(FATAL_ERROR \"0.0 was taken\")\nendif()\n")
run(${CMAKE_COMMAND} -S ${WORK}/other -B ${WORK}/other/build -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${moved}
    -D CMAKE_CXX_COMPILER=${COMPILER})
file(REMOVE_RECURSE ${WORK})
