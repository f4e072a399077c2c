#pragma once

#include "ir/Interpreter.h"

#include <map>
#include <string>

namespace tandem {

/// A number in [-1, 1) for each element, the same for equal names.
Array randomArray(llvm::StringRef name, llvm::ArrayRef<int64_t> shape);

/// `count` whole numbers in [0, limit), the same for equal names.
std::vector<double> randomIds(llvm::StringRef name, int64_t count,
                              int64_t limit);

/// A value for every parameter of a module, by its name alone.
class RandomWeights {
public:
  explicit RandomWeights(mlir::ModuleOp module);

  mlir::FailureOr<Array> find(llvm::StringRef name) const;

private:
  std::map<std::string, Array> arrays;
};

} // namespace tandem
