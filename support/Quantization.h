#pragma once

#include <cstdint>
#include <span>

/// What narrow numbers are made of floats by: one definition for weights and
/// activations, for kernels and for the reference interpreter.
namespace tandem {

/// The bfloat16 nearest to `value`, ties to even. A NaN stays one.
uint16_t floatToBfloat16(float value);
void floatsToBfloat16(std::span<const float> values, uint16_t *out);

/// A channel as qint8: returns the scale, max |x| / 127, and writes
/// q = x / scale, rounded to the nearest, ties to even. All are 0 where x is;
/// the scale is NaN where one of x is.
float quantizeToInt8(std::span<const float> channel, int8_t *out);

/// A channel as qint4: returns the scale, and writes an element each in -8 to 7
/// and a step in 0 to 15 for every 32 of them, the last group perhaps smaller.
/// The scale lets the group of the largest elements have step 15 and the
/// elements +-7; each other group gets whichever whole step near its own
/// largest / (7 scale) leaves the least squared error.
float quantizeToInt4(std::span<const float> channel, int8_t *out,
                     uint8_t *steps);

} // namespace tandem
