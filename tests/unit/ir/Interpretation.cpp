#include "Interpretation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace tandem;

Interpretation::Interpretation(StringRef source)
    : context(MLIRContext::Threading::DISABLED) {
  context.loadDialect<TandemDialect, func::FuncDialect, memref::MemRefDialect,
                      arith::ArithDialect>();
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    text += diagnostic.str() + "\n";
    return success();
  });
  module = parseSourceString<ModuleOp>(source, &context);
}

FailureOr<std::vector<Array>> Interpretation::run(StringRef function,
                                                  ArrayRef<Array> inputs) {
  if (!module)
    return failure();
  return interpret(module->lookupSymbol<func::FuncOp>(function), inputs,
                   cache ? &*cache : nullptr,
                   [&](StringRef name) -> FailureOr<Array> {
                     auto found = weights.find(name.str());
                     if (found == weights.end())
                       return failure();
                     return found->second;
                   });
}

KvCacheState &Interpretation::makeCache(int64_t numBlocks) {
  for (auto function : module->getOps<func::FuncOp>())
    for (Type type : function.getArgumentTypes())
      if (auto cacheType = dyn_cast<KvCacheType>(type))
        cache.emplace(cacheType, numBlocks);
  return cache.value();
}

std::vector<Array> tandem::interpretText(StringRef text,
                                         ArrayRef<Array> inputs) {
  Interpretation interpretation(text);
  auto results = interpretation.run("f", inputs);
  EXPECT_TRUE(succeeded(results)) << interpretation.errors();
  return results.value_or(std::vector<Array>());
}

void tandem::expectArray(const Array &got, ArrayRef<int64_t> shape,
                         const std::vector<double> &elements) {
  EXPECT_EQ(ArrayRef(got.shape), shape);
  ASSERT_EQ(got.elements.size(), elements.size());
  for (auto [i, element] : llvm::enumerate(elements))
    EXPECT_TRUE((std::isnan(got.elements[i]) && std::isnan(element)) ||
                got.elements[i] == element ||
                std::abs(got.elements[i] - element) <= 1e-12)
        << "element " << i << ": got " << got.elements[i] << ", expected "
        << element;
}
