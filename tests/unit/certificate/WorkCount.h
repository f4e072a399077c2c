#pragma once

#include <cstddef>

namespace tandem::test {

/// What a decode step must not do, as counted where the work is asked for: this
/// binary puts functions of its own before those of oneDNN and the C++ library,
/// so that nothing in the product has to admit anything.
struct WorkCount {
  size_t allocations = 0; // of the heap; `new` alone under a sanitizer
  size_t primitives = 0;  // that oneDNN was asked to create
  size_t reorders = 0;    // that oneDNN was asked to describe
  size_t hashes = 0; // of strings: names, and what kernels are looked up by

  bool operator==(const WorkCount &) const = default;
};

/// Of all threads, since the binary began.
WorkCount workSoFar();

} // namespace tandem::test
