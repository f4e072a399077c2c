#include "support/Activation.h"

namespace tandem {

std::string_view name(Activation activation) {
  switch (activation) {
  case Activation::GeluTanh:
    return "gelu_tanh";
  case Activation::GeluErf:
    return "gelu_erf";
  case Activation::Relu:
    return "relu";
  case Activation::Silu:
    return "silu";
  case Activation::Tanh:
    return "tanh";
  }
  return "unknown";
}

std::optional<Activation> parseActivation(std::string_view text) {
  for (Activation activation :
       {Activation::GeluTanh, Activation::GeluErf, Activation::Relu,
        Activation::Silu, Activation::Tanh})
    if (name(activation) == text)
      return activation;
  return std::nullopt;
}

} // namespace tandem
