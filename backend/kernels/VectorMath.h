#pragma once

#include "backend/kernels/Vectors.h"

/// Transcendental functions on sixteen floats. Polynomials are Chebyshev fits
/// made for this file on the intervals named beside them.
namespace tandem::vectors {

/// 2^n for n in [-126, 127].
[[gnu::always_inline]] inline Floats16 powerOfTwo(Ints16 n) {
  return reinterpret_cast<Floats16>((n + 127) << 23);
}

/// x = n ln 2 + r with |r| <= ln 2 / 2; e^x is 2^n times `power` = e^r.
struct ReducedExp {
  Ints16 n;
  Floats16 power;
};

[[gnu::always_inline]] inline ReducedExp reduceExp(Floats16 x) {
  // Adding 1.5 * 2^23 rounds to the nearest integer.
  Floats16 rounder = broadcast(12582912.0f);
  Floats16 shifted = x * 1.44269504f + rounder;
  Floats16 turns = shifted - rounder;
  // ln 2 in two parts, the first exact in products with small integers.
  Floats16 r = x - turns * 0.693359375f;
  r = r + turns * 2.12194440055e-4f;
  // e^r, error 2e-9.
  Floats16 p = broadcast(1.394110843e-3f);
  p = p * r + 8.375126398e-3f;
  p = p * r + 4.16663529e-2f;
  p = p * r + 0.1666641551f;
  p = p * r + 0.5000000047f;
  p = p * r + 1.000000038f;
  p = p * r + 1.0f;
  return {reinterpret_cast<Ints16>(shifted) - reinterpret_cast<Ints16>(rounder),
          p};
}

/// Within 2e-7 relative for normal results, denormals included (within half
/// their unit more); exactly 0 and infinity beyond; NaN stays NaN.
[[gnu::always_inline]] inline Floats16 exp(Floats16 x) {
  x = x < -104.0f ? broadcast(-104.0f) : x;
  x = x > 89.0f ? broadcast(89.0f) : x;
  auto [n, power] = reduceExp(x);
  // Two factors, since 2^n alone may leave the range of normal floats.
  Ints16 half = n >> 1;
  return power * powerOfTwo(half) * powerOfTwo(n - half);
}

/// exp(x) for x <= 0 as a softmax wants it: 0 where the result would be
/// denormal; NaN stays NaN.
[[gnu::always_inline]] inline Floats16 expOfNegative(Floats16 x) {
  auto [n, power] = reduceExp(x);
  return x < -87.0f ? Floats16{} : power * powerOfTwo(n);
}

/// Within 4e-7 relative.
[[gnu::always_inline]] inline Floats16 tanh(Floats16 x) {
  Floats16 magnitude = x < 0.0f ? -x : x;
  Floats16 large = 1.0f - 2.0f / (exp(2.0f * magnitude) + 1.0f);
  large = x < 0.0f ? -large : large;
  // (tanh(x) / x - 1) / x^2 in x^2, for |x| <= 0.625, error 5e-8.
  Floats16 square = x * x;
  Floats16 p = broadcast(-6.096714166e-3f);
  p = p * square + 2.0997179e-2f;
  p = p * square + -5.385090958e-2f;
  p = p * square + 0.1333276974f;
  p = p * square + -0.3333332894f;
  Floats16 small = x + x * square * p;
  return magnitude > 0.625f ? large : small;
}

/// x / (1 + e^-x), within 4e-7 relative; -0 towards minus infinity.
[[gnu::always_inline]] inline Floats16 silu(Floats16 x) {
  x = x < -110.0f ? broadcast(-110.0f) : x;
  return x / (1.0f + exp(-x));
}

/// x (1 + tanh(u)) / 2 with u = sqrt(2/pi) (x + 0.044715 x^3), written as
/// x / (1 + e^-2u), which cancels nowhere.
[[gnu::always_inline]] inline Floats16 geluTanh(Floats16 x) {
  x = x < -30.0f ? broadcast(-30.0f) : x;
  Floats16 u = x * (0.7978845608f + 0.0356774081f * (x * x));
  return x / (1.0f + exp(-2.0f * u));
}

/// x erfc(-x / sqrt(2)) / 2, within 1e-6 * max(1, |x|).
[[gnu::always_inline]] inline Floats16 geluErf(Floats16 x) {
  x = x < -30.0f ? broadcast(-30.0f) : x;
  Floats16 a = (x < 0.0f ? -x : x) * 0.7071067812f;
  Floats16 t = 1.0f / (1.0f + 0.4f * a);
  // erfc(a) e^(a^2) / t in t on [0.2, 1], error 4e-8.
  Floats16 p = broadcast(3.8508509e-2f);
  p = p * t + -0.1274464349f;
  p = p * t + 5.845088799e-2f;
  p = p * t + 0.1158586134f;
  p = p * t + 6.146568687e-2f;
  p = p * t + 0.2007425484f;
  p = p * t + 0.200125255f;
  p = p * t + 0.2266732652f;
  p = p * t + 0.2256217069f;
  Floats16 halfTail = 0.5f * p * t * expOfNegative(-a * a);
  return x * (x < 0.0f ? halfTail : 1.0f - halfTail);
}

[[gnu::always_inline]] inline Floats16 relu(Floats16 x) {
  return x < 0.0f ? Floats16{} : x;
}

} // namespace tandem::vectors
