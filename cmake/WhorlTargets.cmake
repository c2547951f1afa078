# Compiler settings that all of whorl's targets share.
add_library(whorl_options INTERFACE)
target_compile_options(whorl_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor;-Wold-style-cast>)
# GCC 12 takes the space that a short string has in itself for the place of a long one, wherever it inlines enough (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(whorl_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread>)
endif()
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

# A build for the machine that it is made on leaves out what another processor would choose; a third of these kernels' time.
option(WHORL_VECTORS_HERE "Vector kernels for this machine's processor and for the oldest ones, no others" OFF)
if(WHORL_VECTORS_HERE)
  set(left_out HWY_AVX3)
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo avx512 REGEX "^flags.* avx512dq .* avx512bw .* avx512vl " LIMIT_COUNT 1)
    if(avx512)
      set(left_out HWY_AVX2)
    endif()
  endif()
  target_compile_definitions(whorl_options INTERFACE HWY_BROKEN_TARGETS=${left_out})
endif()

# whorl_umbrella(TARGET NAME INCLUDE FOLDERS...): the header whorl/NAME.hpp of the installed package, with all headers of these folders
# of INCLUDE/whorl. This build's own sources include what they use, and do not see it.
function(whorl_umbrella target name include)
  set(text "// All headers of whorl::${name}. Programs that include only what they use compile faster.\n#pragma once\n\n")
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE headers RELATIVE ${include} CONFIGURE_DEPENDS ${include}/whorl/${folder}/*.hpp)
    foreach(header IN LISTS headers)
      string(APPEND text "#include \"${header}\"\n")
    endforeach()
  endforeach()
  set(file ${PROJECT_BINARY_DIR}/include/whorl/${name}.hpp)
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/whorl COMPONENT libwhorl-dev)
  if(NOT PROJECT_IS_TOP_LEVEL)
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
  endif()
endfunction()

# whorl_sources(TARGET [FOLDER NAME] [BUT REGEX]): the sources below this folder, or the one of that name in it, but those whose path
# from here matches. A new file is found by itself. WHORL_FOUND has their paths.
function(whorl_sources target)
  cmake_parse_arguments(arg "" "FOLDER;BUT" "" ${ARGN})
  set(top ${CMAKE_CURRENT_SOURCE_DIR})
  if(arg_FOLDER)
    string(APPEND top /${arg_FOLDER})
  endif()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${top}/*.cpp ${top}/*.cu)
  if(arg_BUT)
    string(REPLACE "." "\\." here ${CMAKE_CURRENT_SOURCE_DIR})
    list(FILTER files EXCLUDE REGEX "^${here}/(${arg_BUT})")
  endif()
  target_sources(${target} PRIVATE ${files})
  set(WHORL_FOUND "${files}" PARENT_SCOPE)
endfunction()

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
  target_compile_options(whorl_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow>"
                         "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>")
endif()

# Groups read the headers that most sources include once for each library, and once for all tests. A source that is compiled alone
# includes them itself. Not with a launcher, which would have to compare them; clang would want a copy for each program. Without
# optimization GCC 12 takes intrinsics of the processor for functions after a precompiled header.
set(WHORL_PRECOMPILED "")
if(WHORL_GROUPS AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  set(WHORL_PRECOMPILED <algorithm> <array> <cmath> <complex> <filesystem> <functional> <map> <memory> <numbers> <numeric> <optional> <span>
      <string> <utility> <vector> <fmt/format.h> <fmt/ranges.h> <whorl/core/array.hpp> <whorl/core/context.hpp> <whorl/core/error.hpp>)
endif()

# whorl_group_of(GROUP FILE SOURCE ENDING [ALONE]): the group of a source, which is named for its folder, and its whole path; no
# group for one of another ending, or whose path from here matches ALONE.
function(whorl_group_of group file source ending)
  cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE whole)
  set(path ${whole})
  cmake_path(RELATIVE_PATH path)
  set(name "")
  if(path MATCHES "\\.${ending}$" AND NOT (ARGN AND path MATCHES "${ARGN}"))
    cmake_path(GET path PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "in_${folder}" name)
  endif()
  set(${group} "${name}" PARENT_SCOPE)
  set(${file} "${whole}" PARENT_SCOPE)
endfunction()

# whorl_groups(TARGET [ALONE REGEX] [APART REGEX] [HEADERS_OF OTHER]): compiles the C++ sources that the target has so far in groups, apart
# from those whose path from here matches ALONE: Highway's kernels, which take long themselves. Names local to a file must differ within a
# folder, but for files that match APART, each a group of its own. Precompiled headers are those of OTHER, if it is named.
function(whorl_groups target)
  cmake_parse_arguments(arg "" "ALONE;APART;HEADERS_OF" "" ${ARGN})
  if(NOT WHORL_GROUPS)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  set(most 12)
  foreach(source IN LISTS sources)
    whorl_group_of(group file "${source}" cpp ${arg_ALONE})
    if(NOT group)
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
      continue()
    endif()
    cmake_path(RELATIVE_PATH file OUTPUT_VARIABLE path)
    if(arg_APART AND path MATCHES "${arg_APART}")
      string(MAKE_C_IDENTIFIER "${path}" group)
    endif()
    if(NOT DEFINED ${group})
      set(${group} 0)
    endif()
    math(EXPR number "${${group}} / ${most}")
    math(EXPR ${group} "${${group}} + 1")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "${group}_${number}")
  endforeach()
  if(WHORL_PRECOMPILED AND arg_HEADERS_OF)
    target_precompile_headers(${target} REUSE_FROM ${arg_HEADERS_OF})
  elseif(WHORL_PRECOMPILED)
    list(TRANSFORM WHORL_PRECOMPILED REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>" OUTPUT_VARIABLE headers)
    target_precompile_headers(${target} PRIVATE ${headers})
  endif()
endfunction()

# whorl_cuda_groups(TARGET [ALONE REGEX]): the same for its sources in CUDA, for which CMake has no groups. nvcc takes 3 to 4 s for
# a source, all but a tenth of them for the headers, which it parses three times. Alone are those whose local names are also in another
# of the folder.
function(whorl_cuda_groups target)
  cmake_parse_arguments(arg "" "ALONE" "" ${ARGN})
  if(NOT WHORL_GROUPS)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(folders "")
  foreach(source IN LISTS sources)
    whorl_group_of(group file "${source}" cu ${arg_ALONE})
    if(NOT group)
      continue()
    endif()
    list(APPEND folders ${group})
    string(APPEND ${group} "#include \"${file}\"\n")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES HEADER_FILE_ONLY ON)
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(group IN LISTS folders)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_groups/${group}.cu)
    file(CONFIGURE OUTPUT ${file} CONTENT "${${group}}" @ONLY)
    target_sources(${target} PRIVATE ${file})
  endforeach()
endfunction()

# whorl_optimize(TARGET KERNELS REGEX): in a Release build, the C++ sources whose path from here matches are compiled with -O3.
# The others call them and are compiled with -O2: -O3 takes a fifth longer and makes nothing faster. That holds for the loops of
# gridding too, which are unrolled by hand. Groups (whorl_groups) of kernels are written here, since sources with options of their own
# are in none of CMake's.
function(whorl_optimize target)
  cmake_parse_arguments(arg "" "KERNELS" "" ${ARGN})
  target_compile_options(${target} PRIVATE "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O2>")
  if(CMAKE_BUILD_TYPE AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(kernels "")
  set(groups "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE whole)
    set(path ${whole})
    cmake_path(RELATIVE_PATH path)
    if(NOT path MATCHES "\\.cpp$" OR NOT path MATCHES "${arg_KERNELS}" OR path MATCHES "gridding_loops_.*_hwy")
      continue()
    endif()
    get_source_file_property(group ${source} TARGET_DIRECTORY ${target} UNITY_GROUP)
    if(group)
      list(APPEND groups ${group})
      string(APPEND ${group} "#include \"${whole}\"\n")
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES HEADER_FILE_ONLY ON)
    else()
      list(APPEND kernels ${source})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels/${group}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${${group}}" @ONLY)
    target_sources(${target} PRIVATE ${file})
    list(APPEND kernels ${file})
  endforeach()
  set_property(SOURCE ${kernels} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
  set_property(SOURCE ${kernels} TARGET_DIRECTORY ${target} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# whorl_hide_symbols(TARGET): a shared library exports what is marked (include/whorl/core/export.hpp), and names the
# libraries that it calls, not all that it is linked with.
function(whorl_hide_symbols target)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL SHARED_LIBRARY OR type STREQUAL MODULE_LIBRARY)
    set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
    target_link_options(${target} PRIVATE LINKER:--version-script=${exports} LINKER:--as-needed)
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${exports})
    if(NOT WHORL_SANITIZE)
      target_link_options(${target} PRIVATE LINKER:-z,defs)  # what it calls of another library is exported there
    endif()
  endif()
endfunction()

# whorl_static_copies(TARGETS...): for each, TARGET-static, of the same objects and linked with the same, or with the copies
# of these targets. Programs that call functions which a shared library hides are linked with them: the tests. A library
# with an entry for kernels of a GPU (TARGET_cuda) is linked with it, and so does not load it.
function(whorl_static_copies)
  foreach(target IN LISTS ARGN)
    add_library(${target}-static STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${target}>)
    set_target_properties(${target}-static PROPERTIES LINKER_LANGUAGE CXX)
    target_include_directories(${target}-static INTERFACE $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_features(${target}-static INTERFACE cxx_std_20)
    foreach(scope PRIVATE INTERFACE)
      if(scope STREQUAL PRIVATE)
        get_target_property(libraries ${target} LINK_LIBRARIES)
      else()
        get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
      endif()
      # CMake's notes of folders; and what a static library's users link, which is among its LINK_LIBRARIES.
      list(FILTER libraries EXCLUDE REGEX "^::@|^[$]<LINK_ONLY:|NOTFOUND$")
      list(TRANSFORM libraries REPLACE "^whorl::(core|io|filter)$" "whorl_\\1")
      list(TRANSFORM libraries REPLACE "^whorl::whorl$" "whorl")
      foreach(copied IN LISTS ARGN)
        list(TRANSFORM libraries REPLACE "^${copied}$" "${copied}-static")
        if("${copied}_cuda" IN_LIST ARGN)
          list(FILTER libraries EXCLUDE REGEX "^${copied}-no-gpu$")
        endif()
      endforeach()
      target_link_libraries(${target}-static ${scope} ${libraries})
    endforeach()
    if("${target}_cuda" IN_LIST ARGN)
      get_target_property(entry ${target}_cuda WHORL_ENTRY)
      target_link_libraries(${target}-static PRIVATE ${target}_cuda-static)
      target_link_options(${target}-static INTERFACE LINKER:--undefined=${entry})
    endif()
  endforeach()
endfunction()

# whorl_settings(TARGET): what all libraries have in common. Installed, they find each other beside themselves.
function(whorl_settings target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} INSTALL_RPATH "$ORIGIN")
  whorl_hide_symbols(${target})
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:whorl_options> OpenMP::OpenMP_CXX fmt::fmt)
endfunction()

# whorl_library(TARGET NAME): a library of the package, whorl::NAME there and here.
function(whorl_library target name)
  add_library(${target})
  add_library(whorl::${name} ALIAS ${target})
  whorl_settings(${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT whorlTargets LIBRARY NAMELINK_COMPONENT libwhorl-dev ARCHIVE COMPONENT libwhorl-dev)
endfunction()

# whorl_cuda_library(LIBRARY): LIBRARY_cuda, its code for NVIDIA GPUs. It is a module that the library loads when a GPU is
# asked for (src/kernels/modules.hpp); of a static library it is a part.
function(whorl_cuda_library library)
  set(target ${library}_cuda)
  add_library(${target})
  whorl_settings(${target})
  whorl_cuda_code(${target})
  target_link_libraries(${target} PRIVATE ${library})
  if(BUILD_SHARED_LIBS)
    # Beside whorl's own libraries, the toolkit's are looked for where they were found by the build.
    set_target_properties(${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS ${target} LIBRARY NAMELINK_SKIP)
  else()
    target_link_libraries(${library} PRIVATE ${target})
    install(TARGETS ${target} EXPORT whorlTargets ARCHIVE COMPONENT libwhorl-dev)
  endif()
endfunction()
