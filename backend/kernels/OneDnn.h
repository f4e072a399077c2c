#pragma once

#include "support/Result.h"
#include "support/TensorView.h"

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

/// A matrix, or a batch of equal ones. Strides are in elements, which are f32,
/// bf16, or those of qint8.
struct OneDnnMatrix {
  int64_t batch = 1, rows = 0, columns = 0;
  int64_t batchStride = 0, rowStride = 0, columnStride = 1;
  ElementType type = ElementType::F32;
};

/// A primitive with the memory objects and the stream of one caller: one thread
/// at a time may run it. Running changes only the addresses that it holds.
class OneDnnProduct {
public:
  /// out = a b, all f32. Fails where oneDNN has nothing but its reference
  /// implementation, which is a thousand times too slow.
  static Result<OneDnnProduct>
  matmul(const OneDnnMatrix &a, const OneDnnMatrix &b, const OneDnnMatrix &out);

  /// out [rows, columns] = a [rows, depth] w, with w in whole panels of the
  /// same type and depth as a (support/Layout.h); out is f32, of qint8 int32
  /// sums without scales. Fails where oneDNN has no fast implementation for
  /// that layout: f32 needs AVX-512 and a depth that is a multiple of 16, bf16
  /// AVX512_BF16, qint8 AMX and a depth that is padded.
  static Result<OneDnnProduct> panels(const OneDnnMatrix &a, int64_t columns);

  /// `scratch` has scratchBytes() bytes, aligned to 64.
  void run(const void *a, const void *b, void *out, std::byte *scratch) const;

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
