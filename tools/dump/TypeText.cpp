#include "tools/dump/TypeText.h"
#include "ir/Tandem.h"

#include "llvm/Support/raw_ostream.h"

namespace tandem {

std::string typeText(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string shapeText(mlir::Type type) {
  if (mlir::isa<KvCacheType>(type))
    return "kv_cache";
  auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
  if (!shaped)
    return typeText(type);
  std::string text;
  for (int64_t dim : shaped.getShape())
    text +=
        (mlir::ShapedType::isDynamic(dim) ? "?" : std::to_string(dim)) + "x";
  return text + typeText(shaped.getElementType());
}

} // namespace tandem
