# zonecut_warnings: what the compiler must not say about our code. Errors where we develop; a user's
# build must not fail because another compiler says more.
add_library(zonecut_warnings INTERFACE)
target_compile_options(zonecut_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wcast-align -Wnull-dereference -Wimplicit-fallthrough)
if(ZONECUT_WARNINGS_AS_ERRORS)
  target_compile_options(zonecut_warnings INTERFACE -Werror)
endif()
# gcc 12 sees overlaps in std::string that are not there (gcc bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(zonecut_warnings INTERFACE -Wno-restrict)
endif()
# Under sanitizers gcc takes instrumented code for uses of uninitialised values, in <regex> for one, and
# of null pointers, in std::string: the latter are shown, and stop nothing.
if(ZONECUT_SANITIZE)
  target_compile_options(zonecut_warnings INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> -Wno-error=null-dereference)
endif()
