# zonecut_warnings: what the compiler must not say about our code. Errors, always.
add_library(zonecut_warnings INTERFACE)
target_compile_options(zonecut_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wcast-align -Wnull-dereference -Wimplicit-fallthrough -Werror)
