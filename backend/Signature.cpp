#include "backend/Signature.h"

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

PortType portType(Port port, const Program &program,
                  const Executable &executable) {
  constexpr auto i32 = ElementType::I32, f32 = ElementType::F32;
  switch (port) {
  case Port::Tokens:
  case Port::Positions:
  case Port::Sequences:
    return {i32, {program.rows}};
  case Port::BlockTables: // a row a sequence
    return {i32,
            {program.kind == ProgramKind::Decode ? program.rows : 1,
             executable.kvCache.blocksPerSequence()}};
  case Port::Valid:
    return {i32, {1}};
  case Port::Hidden:
    return {f32, {program.rows, executable.model.embed}};
  case Port::Logits:
    return {f32, {program.rows, executable.model.vocabSize}};
  }
  return {};
}

const Value *find(const Program &program, Port port) {
  std::string key(name(port));
  for (const auto *values : {&program.inputs, &program.outputs})
    if (auto found = values->find(key); found != values->end())
      return &program.values[found->second];
  return nullptr;
}

} // namespace tandem
