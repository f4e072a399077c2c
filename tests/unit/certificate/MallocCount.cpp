// Every allocation of the heap, by whomever: `operator new` ends here, too.

#include "tests/unit/text/AllocationCount.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace {

std::atomic<size_t> count = 0;

} // namespace

// glibc's own, under the names that stay when `malloc` is somebody else's.
extern "C" {
void *__libc_malloc(size_t sizeInBytes);
void *__libc_calloc(size_t number, size_t sizeInBytes);
void *__libc_realloc(void *memory, size_t sizeInBytes);
void *__libc_memalign(size_t alignment, size_t sizeInBytes);

void *malloc(size_t sizeInBytes) {
  ++count;
  return __libc_malloc(sizeInBytes);
}
void *calloc(size_t number, size_t sizeInBytes) {
  ++count;
  return __libc_calloc(number, sizeInBytes);
}
void *realloc(void *memory, size_t sizeInBytes) {
  ++count;
  return __libc_realloc(memory, sizeInBytes);
}
void *memalign(size_t alignment, size_t sizeInBytes) {
  ++count;
  return __libc_memalign(alignment, sizeInBytes);
}
void *aligned_alloc(size_t alignment, size_t sizeInBytes) {
  return memalign(alignment, sizeInBytes);
}
int posix_memalign(void **memory, size_t alignment, size_t sizeInBytes) {
  void *address = memalign(alignment, sizeInBytes);
  if (!address)
    return ENOMEM;
  *memory = address;
  return 0;
}
}

namespace tandem::test {

size_t numAllocations() { return count; }

} // namespace tandem::test
