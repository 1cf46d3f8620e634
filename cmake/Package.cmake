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
