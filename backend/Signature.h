#pragma once

#include "backend/Executable.h"

#include <array>
#include <optional>
#include <string_view>

namespace tandem {

/// What a program takes from its caller and gives back: the names in
/// Program::inputs and Program::outputs, so that no run looks up a string.
enum class Port : uint8_t {
  Tokens,
  Positions,
  Sequences,
  BlockTables,
  Valid,
  Hidden,
  Logits,
};
inline constexpr size_t numPorts = 7;

/// "tokens", "block_tables", ...
std::string_view name(Port port);
/// Nothing for a name that no port has.
std::optional<Port> parsePort(std::string_view name);

/// What a port holds in a program of `executable`.
struct PortType {
  ElementType type = ElementType::I32;
  std::vector<int64_t> shape; // dynamicDim for the rows that it leaves open
};
PortType portType(Port port, const Program &program,
                  const Executable &executable);

/// Where each port's tensor lies in a run; ports that a program does not have
/// may be null.
using PortAddresses = std::array<void *, numPorts>;

/// The value behind `port` of a program, or null.
const Value *find(const Program &program, Port port);

} // namespace tandem
