#pragma once

#include "support/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// The only door to oneDNN: its exceptions and its types stay in OneDnn.cpp. It
/// is kept to the instructions of cpuLevel().
namespace tandem {

/// Tells oneDNN to use the calling thread only. Every thread that runs kernels
/// calls it once, before its first kernel; creating a primitive does so too.
void prepareOneDnnThread();

/// Of the library that is linked, as "3.2.0".
std::string oneDnnVersion();

/// An f32 matrix, or a batch of equal ones. Strides are in elements.
struct OneDnnMatrix {
  int64_t batch = 1, rows = 0, columns = 0;
  int64_t batchStride = 0, rowStride = 0, columnStride = 1;
};

/// A primitive with the memory objects and the stream of one caller: one thread
/// at a time may run it. Running changes only the addresses that it holds.
class OneDnnProduct {
public:
  /// out = a b. Fails where oneDNN has nothing but its reference
  /// implementation, which is a thousand times too slow.
  static Result<OneDnnProduct>
  matmul(const OneDnnMatrix &a, const OneDnnMatrix &b, const OneDnnMatrix &out);

  /// out [rows, columns] = a [rows, depth] w, with w in whole panels of 64
  /// columns: [columns / 64][depth][64]. Fails where oneDNN has no fast
  /// implementation for that layout (no AVX-512, or depth not a multiple of
  /// 16).
  static Result<OneDnnProduct> panels(const OneDnnMatrix &a, int64_t columns);

  /// `scratch` has scratchBytes() bytes, aligned to 64.
  void run(const float *a, const float *b, float *out,
           std::byte *scratch) const;

  int64_t scratchBytes() const;
  std::string_view implementation() const;

private:
  struct State;
  struct Destroy {
    void operator()(State *state) const;
  };
  explicit OneDnnProduct(std::unique_ptr<State, Destroy> state);
  template <typename Description>
  static Result<OneDnnProduct> create(std::string_view what,
                                      const Description &describe);

  std::unique_ptr<State, Destroy> state;
};

} // namespace tandem
