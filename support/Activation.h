#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tandem {

/// An elementwise nonlinearity.
///   GeluTanh  x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))
///   GeluErf   x/2 * (1 + erf(x / sqrt(2)))
///   Relu      max(x, 0)
///   Silu      x / (1 + exp(-x))
///   Tanh      tanh(x)
enum class Activation : uint8_t { GeluTanh, GeluErf, Relu, Silu, Tanh };

/// "gelu_tanh", "gelu_erf", "relu", "silu", "tanh": MLIR's spelling.
std::string_view name(Activation activation);

/// The activation of that name; absent where there is none.
std::optional<Activation> parseActivation(std::string_view name);

} // namespace tandem
