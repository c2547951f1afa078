# What is installed beside the library and the program: the package that find_package(whorl) finds, and for people
# completion, manual pages, the documents and the shipped scan.
include(CMakePackageConfigHelpers)
set(WHORL_PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/whorl)
set(WHORL_SHARED FALSE)
if(BUILD_SHARED_LIBS)
  set(WHORL_SHARED TRUE)
endif()

install(EXPORT whorlTargets NAMESPACE whorl:: DESTINATION ${WHORL_PACKAGE_FOLDER} COMPONENT libwhorl-dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/whorlConfig.cmake.in ${PROJECT_BINARY_DIR}/whorlConfig.cmake
  INSTALL_DESTINATION ${WHORL_PACKAGE_FOLDER})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/whorlConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/whorlConfig.cmake ${PROJECT_BINARY_DIR}/whorlConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/WhorlLibraries.cmake
        DESTINATION ${WHORL_PACKAGE_FOLDER} COMPONENT libwhorl-dev)
include(WhorlPkgConfig)

# The program writes its own completion scripts and manual pages. A build for another machine can not run it.
if(TARGET whorl-cli AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
  set(share ${PROJECT_BINARY_DIR}/share)
  set(bash_script ${share}/bash-completion/completions/whorl)
  set(zsh_script ${share}/zsh/site-functions/_whorl)
  set(fish_script ${share}/fish/vendor_completions.d/whorl.fish)
  set(manual ${share}/man/man1)
  add_custom_command(
    OUTPUT ${bash_script} ${zsh_script} ${fish_script} ${manual}/whorl.1
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${share}/bash-completion/completions ${share}/zsh/site-functions
            ${share}/fish/vendor_completions.d ${manual}
    COMMAND whorl-cli completion bash > ${bash_script}
    COMMAND whorl-cli completion zsh > ${zsh_script}
    COMMAND whorl-cli completion fish > ${fish_script}
    COMMAND whorl-cli man ${manual}
    DEPENDS whorl-cli
    COMMENT "Completion scripts and manual pages"
    VERBATIM)
  add_custom_target(whorl-manual ALL DEPENDS ${bash_script} ${zsh_script} ${fish_script} ${manual}/whorl.1)
  install(FILES ${bash_script} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${zsh_script} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${fish_script} DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(DIRECTORY ${manual}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

# As in the repository, so that the links between them lead somewhere.
install(FILES README.md CHANGELOG.md CONTRIBUTING.md ARCHITECTURE.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs data DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES packaging/whorl.service DESTINATION ${CMAKE_INSTALL_DOCDIR}/packaging)
