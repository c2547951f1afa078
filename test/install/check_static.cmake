# Builds static libraries without files, filters and GPUs, installs them, and builds programs against them. Each finds what its
# libraries link, and asks for no more. What it needs is defined by CMakeLists.txt beside it.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/support.cmake)

# A project in `folder` with these lines, configured against the package.
function(configure folder)
  list(JOIN ARGN "\n" lines)
  file(WRITE ${folder}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(static LANGUAGES CXX)\n${lines}\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${folder} -B ${folder}/build -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${WORK}/prefix
      -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
    RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  set(status ${status} PARENT_SCOPE)
  set(output "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
unset(ENV{DESTDIR})
# What is tested is how the libraries are put together: objects of this build are taken where it has them. The others are not
# optimized, and for the oldest processors alone.
set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${PYTHON};${CMAKE_CURRENT_LIST_DIR}/reuse_object.py;${BUILD}")
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER} -D WHORL_GROUPS=${GROUPS}
    -D CMAKE_BUILD_TYPE=Debug "-D CMAKE_CXX_FLAGS_DEBUG=-O0 -DHWY_COMPILE_ONLY_STATIC"
    -D BUILD_SHARED_LIBS=OFF -D WHORL_BUILD_IO=OFF -D WHORL_BUILD_FILTERS=OFF -D WHORL_WITH_CUDA=OFF
    -D CMAKE_INSTALL_LIBDIR=lib)
run(${CMAKE_COMMAND} --build ${WORK}/build)
unset(ENV{CMAKE_CXX_COMPILER_LAUNCHER})
run(${CMAKE_COMMAND} --install ${WORK}/build --prefix ${WORK}/prefix)

configure(${WORK}/nufft "find_package(whorl REQUIRED COMPONENTS whorl)" "add_executable(consumer ${CONSUMER}/main.cpp)"
  "target_link_libraries(consumer PRIVATE whorl::whorl)")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${output}")
endif()
run(${CMAKE_COMMAND} --build ${WORK}/nufft/build)
run(${WORK}/nufft/build/consumer)
expect("${output}" "^whorl ${VERSION}: relative error [0-9]")
run(ldd ${WORK}/nufft/build/consumer)
if(output MATCHES "libwhorl")
  message(FATAL_ERROR "the program is linked with a shared whorl:\n${output}")
endif()

# Core alone asks for none of the libraries of the reconstruction.
configure(${WORK}/core "find_package(whorl REQUIRED COMPONENTS core)" "if(TARGET Qhull::qhull_r OR TARGET PkgConfig::HWY)"
  "message(FATAL_ERROR \"core asked for more\")" "endif()")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${output}")
endif()

# What was not built is not found.
configure(${WORK}/io "find_package(whorl REQUIRED COMPONENTS io)")
if(status EQUAL 0)
  message(FATAL_ERROR "a library that was not built was found:\n${output}")
endif()
expect("${output}" "io")

set(LIBDIR lib)
check_pkg_config(${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})
