# The lists of kernels: the functions that fill the slots of a library (src/kernels/registry.hpp).

# whorl_kernels(TARGET BACKEND [FOLDER NAME] [BUT REGEX]): the sources of a folder as whorl_sources finds them. Kernel sources
# end with a function backend::BACKEND::register_NAME().
function(whorl_kernels target backend)
  whorl_sources(${target} ${ARGN})
  foreach(source IN LISTS WHORL_FOUND)
    file(STRINGS ${source} found REGEX "^void register_[a-z0-9_]+\\(\\) ")
    foreach(line IN LISTS found)
      string(REGEX MATCH "register_[a-z0-9_]+" name "${line}")
      set_property(TARGET ${target} APPEND PROPERTY WHORL_KERNELS ${backend}::${name})
    endforeach()
  endforeach()
endfunction()

# The variables WHORL_DECLARATIONS and WHORL_CALLS of the functions BACKEND::NAME of namespace backend, in this order.
function(whorl_calls)
  set(declarations "")
  set(calls "")
  foreach(function IN LISTS ARGN)
    string(REGEX MATCH "^(.*)::(.*)$" match ${function})
    string(APPEND declarations "namespace backend::${CMAKE_MATCH_1} { void ${CMAKE_MATCH_2}(); }\n")
    string(APPEND calls "    backend::${function}();\n")
  endforeach()
  set(WHORL_DECLARATIONS "${declarations}" PARENT_SCOPE)
  set(WHORL_CALLS "${calls}" PARENT_SCOPE)
endfunction()

# whorl_registry(TARGET HOUSE [CUDA CUDA_TARGET] FUNCTIONS...): the source with kernels::register_HOUSE(), which calls these
# functions for a CPU. For a GPU it calls those of the kernels of CUDA_TARGET: directly where that is a static library,
# otherwise it loads it. What loads it looks first whether the program has been linked with its entry, as the tests are
# (whorl_static_copies in WhorlTargets.cmake).
function(whorl_registry target house)
  cmake_parse_arguments(arg "" "CUDA" "" ${ARGN})
  set(WHORL_HOUSE ${house})
  set(entry whorl_register_${house}_cuda)
  set(WHORL_CUDA_ENTRY "")
  set(WHORL_CUDA "    return \"this build of whorl runs on the CPU alone\";")
  if(arg_CUDA)
    get_target_property(type ${arg_CUDA} TYPE)
    get_target_property(kernels ${arg_CUDA} WHORL_KERNELS)
    set_target_properties(${arg_CUDA} PROPERTIES WHORL_ENTRY ${entry})
    whorl_calls(${kernels})
    configure_file(${PROJECT_SOURCE_DIR}/src/kernels/module.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/register_${house}_cuda.cpp @ONLY)
    target_sources(${arg_CUDA} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/register_${house}_cuda.cpp)
    if(type STREQUAL STATIC_LIBRARY)
      set(WHORL_CUDA_ENTRY "extern \"C\" void ${entry}();\n")
      set(file "")
    else()
      set(WHORL_CUDA_ENTRY "extern \"C\" [[gnu::weak]] void ${entry}();\n")
      string(REPLACE "-" "_" name ${arg_CUDA})
      set(file lib${name}.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    endif()
    string(CONCAT WHORL_CUDA
      "    static const char here = 0;\n"
      "    static const std::string missing = fill_from({\"${file}\", \"${entry}\", ${entry}, &here});\n"
      "    return missing;")
  endif()
  whorl_calls(${arg_UNPARSED_ARGUMENTS})
  set(file ${CMAKE_CURRENT_BINARY_DIR}/register_${house}.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/src/kernels/registry.cpp.in ${file} @ONLY)
  target_sources(${target} PRIVATE ${file})
endfunction()
