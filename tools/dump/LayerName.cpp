#include "tools/dump/LayerName.h"

namespace tandem {

std::optional<LayerName> layerOf(llvm::StringRef origin) {
  size_t begin = origin.find('.');
  while (begin != llvm::StringRef::npos) {
    llvm::StringRef rest = origin.drop_front(begin + 1);
    llvm::StringRef component = rest.split('.').first;
    LayerName name = {origin.take_front(begin), 0, rest.split('.').second};
    if (!component.getAsInteger(10, name.index) && name.index >= 0)
      return name;
    begin = origin.find('.', begin + 1);
  }
  return std::nullopt;
}

} // namespace tandem
