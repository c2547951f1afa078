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

# whorl_precompile(TARGET): the headers that nearly every file reads (cmake/precompiled.hpp) are read once, which saves a
# second for each file. Not so where a launcher (ccache) keeps what was compiled: it would find less again. Files include
# what they use all the same; builds with ccache and the preset tidy show it.
function(whorl_precompile target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/cmake/precompiled.hpp>")
  endif()
endfunction()
