# zonecut_module(NAME SOURCES … HEADERS … [USES …] [PRIVATE …])
#
# One layer of the house: a library zonecut_NAME (alias zonecut::NAME) whose public headers lie in include/ and must each
# compile alone. USES are our own lower layers; PRIVATE are third parties, which never show in a public header.
function(zonecut_module NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;USES;PRIVATE" ${ARGN})
  add_library(zonecut_${NAME} STATIC ${ARG_SOURCES})
  add_library(zonecut::${NAME} ALIAS zonecut_${NAME})
  list(TRANSFORM ARG_HEADERS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/include/")
  target_sources(zonecut_${NAME} PUBLIC FILE_SET HEADERS BASE_DIRS "${CMAKE_CURRENT_SOURCE_DIR}/include" FILES ${ARG_HEADERS})
  target_include_directories(zonecut_${NAME} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src")
  set_target_properties(zonecut_${NAME} PROPERTIES
    EXPORT_NAME ${NAME} POSITION_INDEPENDENT_CODE ON VERIFY_INTERFACE_HEADER_SETS ON)
  target_compile_features(zonecut_${NAME} PUBLIC cxx_std_20)
  target_link_libraries(zonecut_${NAME} PUBLIC ${ARG_USES} PRIVATE $<BUILD_INTERFACE:zonecut_warnings> ${ARG_PRIVATE})
  if(ZONECUT_AUDITS)
    target_compile_definitions(zonecut_${NAME} PUBLIC ZONECUT_AUDITS)
  endif()
  install(TARGETS zonecut_${NAME} EXPORT zonecutTargets FILE_SET HEADERS)
endfunction()
