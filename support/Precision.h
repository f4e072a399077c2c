#pragma once

#include "support/TensorView.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// What a model's matrix products with weights are computed in. Everything
/// else, and the residual stream, is f32 in all of them.
///          weights   activations   sums
///   F32    f32       f32           f32
///   BF16   bf16      bf16          f32
///   Int8   qint8     qint8         whole
///   Int4   qint4     qint8         whole
enum class Precision : uint8_t { F32, BF16, Int8, Int4 };
inline constexpr std::array allPrecisions = {Precision::F32, Precision::BF16,
                                             Precision::Int8, Precision::Int4};

/// "f32", "bf16", "int8", "int4".
std::string_view name(Precision precision);

std::vector<std::string> precisionNames();

/// The precision of that name; absent where there is none.
std::optional<Precision> parsePrecision(std::string_view name);

ElementType weightType(Precision precision);
ElementType activationType(Precision precision);

} // namespace tandem
