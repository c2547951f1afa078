# Packages of Debian, by `cpack -G DEB` (scripts/package deb): the program with its libraries, what programs are built with, and the
# module for several processes, which needs MPI. Installed is by component; what names none is of the program.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the whorl authors <maintainers@whorl.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL whorl libwhorl-dev)
if(WHORL_MPI)
  list(APPEND CPACK_COMPONENTS_ALL whorl-mpi)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(same_version "whorl (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

set(CPACK_COMPONENT_WHORL_DESCRIPTION "Images from radial, spiral and other scans: the program, its libraries, pages and a scan.")
set(CPACK_DEBIAN_WHORL_PACKAGE_NAME whorl)
# Loaded when a figure is drawn.
set(CPACK_DEBIAN_WHORL_PACKAGE_RECOMMENDS libcairo2)
set(CPACK_DEBIAN_WHORL_PACKAGE_SUGGESTS "libwhorl-dev, whorl-mpi")

set(CPACK_COMPONENT_LIBWHORL-DEV_DESCRIPTION "Headers, and files for CMake and pkg-config.")
set(CPACK_DEBIAN_LIBWHORL-DEV_PACKAGE_NAME libwhorl-dev)
set(CPACK_DEBIAN_LIBWHORL-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBWHORL-DEV_PACKAGE_DEPENDS "${same_version}")

set(CPACK_COMPONENT_WHORL-MPI_DESCRIPTION "The module with which several processes share a reconstruction (mpirun).")
set(CPACK_DEBIAN_WHORL-MPI_PACKAGE_NAME whorl-mpi)
set(CPACK_DEBIAN_WHORL-MPI_PACKAGE_DEPENDS "${same_version}, openmpi-bin")

# Where Debian looks for the license of a package.
if(CMAKE_INSTALL_PREFIX STREQUAL CPACK_PACKAGING_INSTALL_PREFIX)
  foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${component} RENAME copyright COMPONENT ${component})
  endforeach()
endif()
include(CPack)
