#include "RandomWeights.h"

#include <random>

using namespace mlir;
using namespace tandem;

/// Seeded with the FNV-1a hash of `name`, which is the same everywhere.
static std::mt19937_64 generatorFor(StringRef name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char byte : name)
    hash = (hash ^ byte) * 0x100000001b3;
  return std::mt19937_64(hash);
}

Array tandem::randomArray(StringRef name, ArrayRef<int64_t> shape) {
  std::mt19937_64 generator = generatorFor(name);
  Array array = Array::zeros(shape);
  for (double &element : array.elements)
    element = static_cast<double>(generator() >> 11) * 0x1p-52 - 1;
  return array;
}

std::vector<double> tandem::randomIds(StringRef name, int64_t count,
                                      int64_t limit) {
  std::mt19937_64 generator = generatorFor(name);
  std::vector<double> ids(count);
  for (double &id : ids)
    id = static_cast<double>(generator() % limit);
  return ids;
}

RandomWeights::RandomWeights(ModuleOp module) {
  for (auto parameter : module.getOps<ParameterOp>()) {
    auto shape = cast<ShapedType>(parameter.getType()).getShape();
    arrays[parameter.getSymName().str()] =
        randomArray(parameter.getSymName(), shape);
  }
}

FailureOr<Array> RandomWeights::find(StringRef name) const {
  auto found = arrays.find(name.str());
  if (found == arrays.end())
    return failure();
  return found->second;
}
