#include "server/heap.hpp"

#include <malloc.h>

namespace zonecut::kubernetes {

void give_memory_back() {
#ifdef __GLIBC__
  (void)malloc_trim(0);
#endif
}

}  // namespace zonecut::kubernetes
