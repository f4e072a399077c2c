#pragma once

#include "support/Precision.h"

#include <cstdint>

namespace tandem {

/// Half of the distance from 1 to the next number.
inline constexpr double f32Roundoff = 0x1p-24, f64Roundoff = 0x1p-53;

/// What exp, tanh or erf counts for: they are within 4 units in the last place,
/// and independent errors add up as squares.
inline constexpr double functionRoundings = 16;

/// How far two ways of computing a value may be apart: how it is derived stands
/// in docs/decisions/0007-error-budgets.md. `roundings` lie behind each element
/// one after another, `magnitude` is the value's largest element, and one of
/// `numElements` is the worst.
double errorBudget(double roundings, double magnitude, int64_t numElements,
                   double unitRoundoff);

/// What two ways of computing a value are made of: all operations round to
/// `unitRoundoff`, and the factors of products with weights to `precision`.
struct Arithmetic {
  double unitRoundoff = f32Roundoff;
  Precision precision = Precision::F32;
};

/// The same for a value that also has `narrowings` behind it: factors of
/// products with weights, each rounded to the precision.
double errorBudget(double roundings, double narrowings, double magnitude,
                   int64_t numElements, const Arithmetic &arithmetic);

} // namespace tandem
