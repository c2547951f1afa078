# Several processes: MPI and NCCL. The library whorl loads them as modules, so that the same program runs without them.
set(WHORL_WITH_MPI AUTO CACHE STRING "Build for several processes by MPI: AUTO (where MPI is found), ON or OFF")
set_property(CACHE WHORL_WITH_MPI PROPERTY STRINGS AUTO ON OFF)

set(WHORL_MPI OFF)
if(NOT WHORL_WITH_MPI STREQUAL OFF)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS C CXX)
  if(MPI_CXX_FOUND)
    set(WHORL_MPI ON)
  elseif(WHORL_WITH_MPI STREQUAL ON)
    message(FATAL_ERROR "whorl: MPI not found (Debian: libopenmpi-dev openmpi-bin)")
  endif()
endif()

# NCCL's header is enough: its library is loaded when GPUs of several ranks work together.
set(WHORL_NCCL OFF)
if(WHORL_CUDA)
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  if(NCCL_INCLUDE_DIR)
    set(WHORL_NCCL ON)
  endif()
endif()

# whorl_ranks_module(NAME COMPONENT MACRO LOADER SOURCE): the module libNAME beside whorl's libraries, of the source. The macro names its
# file to the source of whorl that loads it.
function(whorl_ranks_module name component macro loader source)
  add_library(${name} SHARED ${source})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE whorl_options)
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH ON)
  whorl_hide_symbols(${name})
  install(TARGETS ${name} LIBRARY COMPONENT ${component} NAMELINK_SKIP)
  set_property(SOURCE ${loader} TARGET_DIRECTORY whorl APPEND PROPERTY COMPILE_DEFINITIONS
    "${macro}=\"lib${name}.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}\"")
endfunction()
