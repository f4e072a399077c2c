#include "passes/proof/ErrorBudget.h"

#include <cmath>

namespace tandem {

double errorBudget(double roundings, double magnitude, int64_t numElements,
                   double unitRoundoff) {
  constexpr double chance = 1e-6; // that any element of a right value is over
  const double deviations =
      std::sqrt(2 * std::log(2 * static_cast<double>(numElements) / chance));
  // Both ways round, hence 2.
  return deviations * unitRoundoff * std::sqrt(2 * (roundings + 1)) * magnitude;
}

/// Half a quantum, as a part of the largest number that shares its scale; 0 for
/// f32, whose roundings are counted anyway.
static double narrowRoundoff(Precision precision) {
  switch (precision) {
  case Precision::F32:
    return 0;
  case Precision::BF16:
    return 0x1p-9;
  case Precision::Int8:
    return 0.5 / 127;
  case Precision::Int4:
    return 0.5 / 7;
  }
  return 0;
}

double errorBudget(double roundings, double narrowings, double magnitude,
                   int64_t numElements, const Arithmetic &arithmetic) {
  return errorBudget(roundings, magnitude, numElements,
                     arithmetic.unitRoundoff) +
         errorBudget(narrowings, magnitude, numElements,
                     narrowRoundoff(arithmetic.precision));
}

} // namespace tandem
