#include "runtime/Signature.h"

#include <algorithm>

namespace tandem {

static constexpr std::array<std::string_view, numPorts> names = {
    "tokens", "positions", "sequences", "block_tables",
    "valid",  "hidden",    "logits"};

std::string_view name(Port port) { return names[static_cast<size_t>(port)]; }

std::optional<Port> parsePort(std::string_view name) {
  auto found = std::ranges::find(names, name);
  if (found == names.end())
    return std::nullopt;
  return static_cast<Port>(found - names.begin());
}

const Value *find(const Program &program, Port port) {
  std::string key(name(port));
  for (const auto *values : {&program.inputs, &program.outputs})
    if (auto found = values->find(key); found != values->end())
      return &program.values[found->second];
  return nullptr;
}

} // namespace tandem
