#include "tests/unit/certificate/WorkCount.h"

#include "tests/unit/text/AllocationCount.h"

#include <atomic>
#include <bits/hash_bytes.h>
#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>

namespace {

std::atomic<size_t> primitives = 0, reorders = 0, hashes = 0;

/// The function of that name that this binary's own stands before.
template <typename Function> Function libraryFunction(const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

} // namespace

dnnl_status_t dnnl_primitive_create(dnnl_primitive_t *primitive,
                                    const_dnnl_primitive_desc_t description) {
  static auto create = libraryFunction<decltype(&dnnl_primitive_create)>(
      "dnnl_primitive_create");
  ++primitives;
  return create(primitive, description);
}

dnnl_status_t dnnl_reorder_primitive_desc_create(
    dnnl_primitive_desc_t *description, const_dnnl_memory_desc_t from,
    dnnl_engine_t fromEngine, const_dnnl_memory_desc_t to,
    dnnl_engine_t toEngine, const_dnnl_primitive_attr_t attributes) {
  static auto create =
      libraryFunction<decltype(&dnnl_reorder_primitive_desc_create)>(
          "dnnl_reorder_primitive_desc_create");
  ++reorders;
  return create(description, from, fromEngine, to, toEngine, attributes);
}

size_t std::_Hash_bytes(const void *bytes, size_t count, size_t seed) {
  static auto hash =
      libraryFunction<decltype(&std::_Hash_bytes)>("_ZSt11_Hash_bytesPKvmm");
  ++hashes;
  return hash(bytes, count, seed);
}

namespace tandem::test {

WorkCount workSoFar() {
  return {numAllocations(), primitives, reorders, hashes};
}

} // namespace tandem::test
