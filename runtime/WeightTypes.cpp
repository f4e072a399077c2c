#include "runtime/WeightTypes.h"

namespace tandem {

std::map<ElementType, int64_t> weightBytes(const Executable &executable) {
  std::map<ElementType, int64_t> bytes;
  for (const Constant &constant : executable.constants)
    bytes[constant.type] += constant.sizeInBytes();
  return bytes;
}

Precision precisionOf(const Executable &executable) {
  std::map<ElementType, int64_t> bytes = weightBytes(executable);
  Precision narrowest = Precision::F32;
  for (Precision precision : allPrecisions) // from wide to narrow
    if (bytes.contains(weightType(precision)))
      narrowest = precision;
  return narrowest;
}

} // namespace tandem
