# The lists of kernels: what fills the slots of a house (src/kernels/registry.hpp).

# whorl_kernels(TARGET BACKEND SOURCES...): sources of the target, each of which ends with a function
# backend::BACKEND::register_NAME(), where NAME is the file's without its ending and without _hwy.
function(whorl_kernels target backend)
  target_sources(${target} PRIVATE ${ARGN})
  foreach(source IN LISTS ARGN)
    get_filename_component(name ${source} NAME_WE)
    string(REGEX REPLACE "_hwy$" "" name ${name})
    set_property(TARGET ${target} APPEND PROPERTY WHORL_KERNELS ${backend}::register_${name})
  endforeach()
endfunction()

# whorl_registry(TARGET HOUSE FUNCTIONS...): the source with kernels::register_HOUSE(), which calls the functions
# BACKEND::NAME of namespace backend, in this order.
function(whorl_registry target house)
  set(WHORL_HOUSE ${house})
  set(WHORL_DECLARATIONS "")
  set(WHORL_CALLS "")
  foreach(function IN LISTS ARGN)
    string(REGEX MATCH "^(.*)::(.*)$" match ${function})
    string(APPEND WHORL_DECLARATIONS "namespace backend::${CMAKE_MATCH_1} { void ${CMAKE_MATCH_2}(); }\n")
    string(APPEND WHORL_CALLS "    backend::${function}();\n")
  endforeach()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/register_${house}.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/src/kernels/registry.cpp.in ${file} @ONLY)
  target_sources(${target} PRIVATE ${file})
endfunction()
