#pragma once

#include "ir/Tandem.h"

#include <array>

namespace tandem {

/// Where a value's bytes lie, and for how long: the storage classes of memrefs,
/// and the cache's.
enum class Storage : uint8_t { Constant, Persistent, Transient, External };
inline constexpr std::array allStorages = {
    Storage::Constant, Storage::Persistent, Storage::Transient,
    Storage::External};

/// "constant", "persistent", "transient", "external".
llvm::StringRef name(Storage storage);

/// Of a memref what its type says. A tensor is constant if it is a weight,
/// external if it is the function's argument or result, else transient.
Storage storageOf(mlir::Value value);

/// Bytes of a tensor or memref, an open dimension at its bound (the positions
/// that the function's program has); absent where it has none.
std::optional<int64_t> sizeInBytes(mlir::Value value);

/// What ops move and compute (support/OpCost.h), by where the bytes lie.
struct Work {
  using Bytes = std::array<int64_t, allStorages.size()>;

  Bytes read{}, written{}; // indexed by Storage
  int64_t flop = 0;
  /// It depends on how long the sequence is, and is counted for the longest.
  bool isBound = false;

  int64_t readIn(Storage storage) const {
    return read[static_cast<size_t>(storage)];
  }
  int64_t writtenIn(Storage storage) const {
    return written[static_cast<size_t>(storage)];
  }
  Work &operator+=(const Work &other);
};

/// True for an op that something has to run: not for weights, views,
/// allocations and constants, which only say where operands lie.
bool doesWork(mlir::Operation *op);

/// What an op that does work moves and computes. Absent where an open dimension
/// has no bound.
std::optional<Work> workOf(mlir::Operation *op);

} // namespace tandem
