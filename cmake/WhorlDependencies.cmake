# Every library that whorl uses, found in one place.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

set(WHORL_COMPONENTS core whorl finufft)
if(WHORL_BUILD_FILTERS)
  list(APPEND WHORL_COMPONENTS filter)
endif()
if(WHORL_BUILD_IO)
  list(APPEND WHORL_COMPONENTS io)
  # Optional: what is missing is said in the summary, and by the command that needs it.
  pkg_check_modules(MATIO IMPORTED_TARGET matio)
  set(WHORL_WITH_MATIO ${MATIO_FOUND})
  find_package(JPEG QUIET)
  set(WHORL_WITH_JPEG ${JPEG_FOUND})
  find_package(TIFF 4.5 QUIET)
  set(WHORL_WITH_TIFF ${TIFF_FOUND})
  find_package(GIF 5 QUIET)
  set(WHORL_WITH_GIF ${GIF_FOUND})
endif()

# What the libraries link, as its users' find_package(whorl REQUIRED) finds it.
include(CMakeFindDependencyMacro)
set(CMAKE_FIND_PACKAGE_NAME whorl)
set(whorl_FIND_REQUIRED TRUE)
include(WhorlLibraries)
if(WHORL_MISSING)
  message(FATAL_ERROR "whorl: ${whorl_NOT_FOUND_MESSAGE}; scripts/install-dependencies --list names the packages")
endif()
unset(whorl_FIND_REQUIRED)
unset(CMAKE_FIND_PACKAGE_NAME)

# What only the build needs: headers alone (cairo is loaded when something is drawn), and the command line's.
find_package(Eigen3 REQUIRED NO_MODULE)
if(WHORL_BUILD_IO)
  find_path(NIFTI_INCLUDE_DIR nifti1_io.h PATH_SUFFIXES nifti REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
  pkg_check_modules(CAIRO REQUIRED cairo)
endif()

if(WHORL_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
