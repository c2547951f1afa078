# The files for pkg-config, one for each library: whorl, whorl-core, whorl-filter, whorl-io. Where whorl is static they name
# what it links, as whorlConfig.cmake does by WhorlLibraries.cmake.
set(folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH WHORL_PREFIX_FROM_PC ${CMAKE_INSTALL_PREFIX}/${folder} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" WHORL_PREFIX_FROM_PC "${WHORL_PREFIX_FROM_PC}")

# whorl_pkg_config(NAME DESCRIPTION TARGET [WHORL NAMES...] [STATIC_REQUIRES NAMES...] [STATIC_LIBS FLAGS...])
function(whorl_pkg_config name description target)
  cmake_parse_arguments(arg "" "" "WHORL;STATIC_REQUIRES;STATIC_LIBS" ${ARGN})
  set(WHORL_PC_NAME ${name})
  set(WHORL_PC_DESCRIPTION ${description})
  set(WHORL_PC_LIBRARY ${target})
  set(requires "")
  foreach(other IN LISTS arg_WHORL)
    list(APPEND requires "${other} = ${PROJECT_VERSION}")
  endforeach()
  set(WHORL_PC_LIBS "")
  if(NOT BUILD_SHARED_LIBS)
    list(APPEND requires ${arg_STATIC_REQUIRES})
    set(libs ${arg_STATIC_LIBS})
    if(TARGET ${target}_cuda)
      # Each calls the other.
      list(PREPEND libs -l${target}_cuda -l${target})
      list(APPEND libs -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lcufft -lrt)
    endif()
    list(JOIN libs " " libs)
    set(WHORL_PC_LIBS " ${libs}")
  endif()
  list(JOIN requires ", " WHORL_PC_REQUIRES)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/whorl.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${folder})
endfunction()

set(openmp ${OpenMP_CXX_FLAGS})
whorl_pkg_config(whorl-core "whorl: arrays, devices and transforms on a grid" whorl_core
  STATIC_REQUIRES fftw3 fftw3f fmt STATIC_LIBS ${openmp} -pthread -ldl)
whorl_pkg_config(whorl "${PROJECT_DESCRIPTION}" whorl
  WHORL whorl-core STATIC_REQUIRES libhwy qhull_r STATIC_LIBS ${openmp})
if(WHORL_BUILD_FILTERS)
  whorl_pkg_config(whorl-filter "whorl: filters for images" whorl_filter
    WHORL whorl-core STATIC_REQUIRES libhwy STATIC_LIBS ${openmp})
endif()
if(WHORL_BUILD_IO)
  set(packages libpng zlib libzip libisal pugixml)
  foreach(optional MATIO=matio JPEG=libjpeg TIFF=libtiff-4 GIF=libgif)
    string(REGEX MATCH "^(.*)=(.*)$" match ${optional})
    if(WHORL_WITH_${CMAKE_MATCH_1})
      list(APPEND packages ${CMAKE_MATCH_2})
    endif()
  endforeach()
  # Debian names the files of its HDF5 after their kind; they are in a folder of their own.
  whorl_pkg_config(whorl-io "whorl: files and pictures" whorl_io
    WHORL whorl STATIC_REQUIRES ${packages} STATIC_LIBS -lniftiio -lismrmrd ${HDF5_C_LIBRARIES} ${openmp})
endif()
