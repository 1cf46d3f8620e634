# The formats of files stand nowhere else: an installed program without them explains no job file. The
# folders keep their places beside each other, so that links between the pages lead somewhere.
install(FILES README.md CHANGELOG.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs examples DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  USE_SOURCE_PERMISSIONS PATTERN man EXCLUDE)

# What makes an installed zonecut usable with find_package(zonecut): cmake/consumer shows how.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/zonecut")
install(EXPORT zonecutTargets NAMESPACE zonecut:: DESTINATION "${package_dir}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/zonecutConfig.cmake.in" "${PROJECT_BINARY_DIR}/zonecutConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/zonecutConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/zonecutConfig.cmake" "${PROJECT_BINARY_DIR}/zonecutConfigVersion.cmake"
  DESTINATION "${package_dir}")
