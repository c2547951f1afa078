# The test of the installed package; what it needs is defined by CMakeLists.txt beside it.
cmake_minimum_required(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/support.cmake)

# The libraries of CUDA.
set(cuda "libcu(da|dart|fft|blas)|libnv")

# Fails where the program, or a library that it is linked with, needs a library whose name matches the pattern. Leaves the
# libraries in `libraries`.
function(expect_without program pattern)
  run(ldd ${program})
  string(REGEX MATCHALL "[^\n\t ]+ => /[^ ]+" found "${output}")
  list(TRANSFORM found REPLACE "^.* => " "")
  foreach(library IN LISTS found)
    cmake_path(GET library FILENAME name)
    if(name MATCHES "${pattern}")
      message(FATAL_ERROR "${program} needs ${name}:\n${output}")
    endif()
  endforeach()
  set(libraries ${found} PARENT_SCOPE)
endfunction()

# A program with a NUFFT is small: with whorl's libraries that it loads less than 12 MB, without what debuggers read, and at
# most 12 shared libraries, those of C, C++ and OpenMP included (not the loader and the kernel's page).
function(expect_small program)
  expect_without(${program} "hdf5|crypto|zip|png|cairo|${cuda}")
  list(LENGTH libraries count)
  set(total 0)
  foreach(file ${program} ${libraries})
    if(file STREQUAL "${program}" OR file MATCHES "/libwhorl")
      file(REAL_PATH ${file} file)
      file(COPY_FILE ${file} ${WORK}/stripped)
      run(strip ${WORK}/stripped)
      file(SIZE ${WORK}/stripped size)
      math(EXPR total "${total} + ${size}")
    endif()
  endforeach()
  message(STATUS "${program}: ${total} bytes with whorl's libraries, ${count} shared libraries")
  if(count GREATER 12 OR total GREATER_EQUAL 12000000)
    message(FATAL_ERROR "expected at most 12 shared libraries and less than 12 MB")
  endif()
endfunction()

# Asked for a GPU, the program loads the modules. Without them, or where they can not be loaded, it says so in a line.
function(check_modules prefix)
  set(whorl ${prefix}/${BINDIR}/whorl)
  expect_without(${whorl} "${cuda}")
  file(GLOB modules ${prefix}/${LIBDIR}/libwhorl*_cuda.so.*)
  if(modules STREQUAL "")
    message(FATAL_ERROR "no modules for GPUs are installed in ${prefix}/${LIBDIR}")
  endif()
  foreach(module IN LISTS modules)
    run(ldd ${module})
    if(output MATCHES "not found")
      message(FATAL_ERROR "${module}:\n${output}")
    endif()
  endforeach()
  # What the system says of a file that is no library.
  file(GLOB core ${prefix}/${LIBDIR}/libwhorl_core_cuda.so.[0-9].[0-9])
  cmake_path(GET core FILENAME name)
  file(WRITE ${WORK}/broken/${name} "not a library")
  set(ENV{WHORL_MODULE_PATH} ${WORK}/none:${WORK}/broken)
  execute_process(COMMAND ${whorl} check --device cuda RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  unset(ENV{WHORL_MODULE_PATH})
  if(status EQUAL 0)
    message(FATAL_ERROR "whorl check --device cuda took a broken module:\n${out}${err}")
  endif()
  expect("${err}" "device 'cuda:0': the code for NVIDIA GPUs can not be loaded: ${WORK}/broken/${name}: [^\n]*\n$")
  # Auto takes the CPU then.
  set(ENV{WHORL_MODULE_PATH} ${WORK}/broken)
  run(${whorl} check --only kernel/axpby)
  unset(ENV{WHORL_MODULE_PATH})
  expect("${output}" "(^|\n)cpu: [^\n]*\nno GPU: device 'cuda:0': the code for NVIDIA GPUs can not be loaded: ")
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
  run(${WORK}/consumer/headers ${WORK}/array.npy)
  expect("${output}" "^refused: ")
  check_pkg_config(${prefix})
  if(SHARED AND FLAGS STREQUAL "")
    expect_small(${WORK}/consumer/consumer)
  endif()
  if(SHARED AND CUDA)
    check_modules(${prefix})
  endif()

  run(${prefix}/${BINDIR}/whorl --version)
  expect("${output}" "^whorl ${VERSION}\n")
  run(${prefix}/${BINDIR}/whorl recon --help)
  expect("${output}" "--iterations")
endfunction()

set(prefix ${WORK}/prefix)
# Which files of a component may not be there, by the pattern of headers and their kin.
set(only_whorl INCLUDE)
set(only_whorl-mpi INCLUDE)
set(only_python INCLUDE)
set(only_libwhorl-dev EXCLUDE)
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

# The packages of Debian, one for each component, have every file once; headers, and what builds against them, are in libwhorl-dev alone.
file(GLOB_RECURSE installed RELATIVE ${prefix} ${prefix}/*)
set(packaged "")
foreach(component whorl libwhorl-dev whorl-mpi python)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/${component} --component ${component})
  file(GLOB_RECURSE files RELATIVE ${WORK}/${component} ${WORK}/${component}/*)
  list(APPEND packaged ${files})
  list(FILTER files ${only_${component}} REGEX "^include/|/(cmake/whorl|pkgconfig)/|/lib[a-z_]+\\.(so|a)$")
  list(FILTER files EXCLUDE REGEX "/whorl/libwhorl_program\\.so$|/copyright$")
  if(files)
    message(FATAL_ERROR "in the wrong package, ${component}: ${files}")
  endif()
  file(REMOVE_RECURSE ${WORK}/${component})
endforeach()
if(SHARED)  # libraries in the package of Python are others
  list(FILTER packaged EXCLUDE REGEX "^whorl/")
  list(FILTER installed EXCLUDE REGEX "^whorl/")
endif()
list(SORT packaged)
list(SORT installed)
if(NOT packaged STREQUAL installed)
  message(FATAL_ERROR "the packages have not what is installed: ${packaged}\nbut: ${installed}")
endif()

if(SHARED AND PYTHON)
  file(GLOB shared ${prefix}/${LIBDIR}/libwhorl*.so.[0-9].[0-9])
  run(${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/check_exports.py ${SOURCE} ${shared})
  message(STATUS "${output}")
endif()

# Nothing that is read again may name a folder of this build.
file(GLOB_RECURSE files ${prefix}/*.cmake ${prefix}/*.pc ${prefix}/*.hpp ${prefix}/${MANDIR}/* ${prefix}/*completions/whorl
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
