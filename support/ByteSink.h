#pragma once

#include "support/Result.h"

#include <cstddef>
#include <functional>
#include <span>

namespace tandem {

/// Takes bytes, one piece after another; a piece is valid during the call.
using ByteSink = std::function<Result<void>(std::span<const std::byte>)>;

} // namespace tandem
