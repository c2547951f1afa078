# What the library links. This build reads it, and so does the installed whorlConfig.cmake of a static library, whose
# users link the same: find_dependency fails as find_package(whorl) was asked to.
find_dependency(OpenMP COMPONENTS CXX)
find_dependency(fmt)
find_dependency(ISMRMRD)
find_dependency(HDF5 COMPONENTS C)
find_dependency(PNG)
find_dependency(ZLIB)
find_dependency(OpenSSL COMPONENTS Crypto)
find_dependency(Qhull CONFIG COMPONENTS qhull_r)
find_dependency(PkgConfig)
if(WHORL_CUDA)
  find_dependency(CUDAToolkit)
endif()

# The targets PkgConfig::PREFIX.
set(WHORL_PACKAGES FFTW=fftw3 FFTWF=fftw3f HWY=libhwy LIBZIP=libzip CAIRO=cairo)
if(WHORL_WITH_MATIO)
  list(APPEND WHORL_PACKAGES MATIO=matio)
endif()
foreach(WHORL_PACKAGE IN LISTS WHORL_PACKAGES)
  string(REGEX MATCH "^(.*)=(.*)$" WHORL_MATCH ${WHORL_PACKAGE})
  pkg_check_modules(${CMAKE_MATCH_1} QUIET IMPORTED_TARGET ${CMAKE_MATCH_2})
  if(NOT TARGET PkgConfig::${CMAKE_MATCH_1})
    list(APPEND WHORL_MISSING ${CMAKE_MATCH_2})
  endif()
endforeach()

# Debian's NIFTIConfig.cmake fails unless the programs of another package (nifti-bin) are installed too; whorl needs none.
find_library(NIFTI_LIBRARY niftiio)
mark_as_advanced(NIFTI_LIBRARY)
if(NOT NIFTI_LIBRARY)
  list(APPEND WHORL_MISSING niftiio)
endif()

# Found as files: targets, so that the package names no path of the machine that built it. Headers are the build's.
foreach(WHORL_TARGET hdf5 niftiio)
  if(NOT TARGET whorl::${WHORL_TARGET})
    add_library(whorl::${WHORL_TARGET} INTERFACE IMPORTED)
  endif()
endforeach()
set_target_properties(whorl::hdf5 PROPERTIES INTERFACE_LINK_LIBRARIES "${HDF5_C_LIBRARIES}")
set_target_properties(whorl::niftiio PROPERTIES INTERFACE_LINK_LIBRARIES "${NIFTI_LIBRARY}")

if(WHORL_MISSING)
  set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
  list(JOIN WHORL_MISSING ", " ${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE)
  string(PREPEND ${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE "libraries not found: ")
endif()
