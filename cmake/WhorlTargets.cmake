# Compiler settings that all of whorl's targets share.
add_library(whorl_options INTERFACE)
target_compile_options(whorl_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor;-Wold-style-cast>)
if(WHORL_WARNINGS_AS_ERRORS)
  target_compile_options(whorl_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror>
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings -Xcompiler=-Werror>")
endif()
if(WHORL_COVERAGE)
  target_compile_options(whorl_options INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(whorl_options INTERFACE --coverage)
endif()
if(WHORL_SANITIZE)
  target_compile_options(whorl_options INTERFACE -fsanitize=${WHORL_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(whorl_options INTERFACE -fsanitize=${WHORL_SANITIZE})
  # A finding ends the program, so that it fails a test. Alignment is not checked: the headers of ISMRMRD are packed
  # structures with inline functions that refer to their members, whatever whorl does.
  if(WHORL_SANITIZE MATCHES "undefined")
    target_compile_options(whorl_options INTERFACE -fno-sanitize-recover=undefined -fno-sanitize=alignment)
  endif()
endif()

# The sources of a folder are compiled in groups: most of their time goes into the headers, which a group reads once. With a
# launcher (ccache), which keeps what was compiled, each is compiled alone, as clang-tidy does: files include what they use.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(groups_default OFF)
else()
  set(groups_default ON)
endif()
option(WHORL_GROUPS "Compile the sources of a folder in groups: fast for the whole, slow for one changed file" ${groups_default})
if(WHORL_GROUPS)
  # A name of one file may hide that of another, and local types are seen as those of a header.
  target_compile_options(whorl_options INTERFACE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-shadow;-Wno-subobject-linkage>")
endif()

# whorl_groups(TARGET [ALONE REGEX]): compiles the C++ sources that the target has so far in groups, apart from those whose
# path from here matches: kernels, which take long themselves and have options of their own. Names local to a file must
# differ within a folder.
function(whorl_groups target)
  cmake_parse_arguments(arg "" "ALONE" "" ${ARGN})
  if(NOT WHORL_GROUPS)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  set(most 12)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path)
    if(NOT path MATCHES "\\.cpp$" OR (arg_ALONE AND path MATCHES "${arg_ALONE}"))
      continue()
    endif()
    cmake_path(GET path PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "in_${folder}" group)
    if(NOT DEFINED ${group})
      set(${group} 0)
    endif()
    math(EXPR number "${${group}} / ${most}")
    math(EXPR ${group} "${${group}} + 1")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "${group}_${number}")
  endforeach()
endfunction()
