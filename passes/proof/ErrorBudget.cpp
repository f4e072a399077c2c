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

} // namespace tandem
