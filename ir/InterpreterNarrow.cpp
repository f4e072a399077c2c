// Numbers as narrow types hold them: each the real one that it stands for.

#include "ir/ElementTypes.h"
#include "ir/InterpreterOps.h"
#include "support/Quantization.h"

using namespace mlir;
using namespace tandem;

namespace {

/// Replaces the floats of one channel by what `type` makes of them.
void narrow(ElementType type, std::vector<float> &channel) {
  std::vector<int8_t> numbers(channel.size());
  std::vector<uint8_t> steps(roundUp(channel.size(), groupSize) / groupSize);
  switch (type) {
  case ElementType::BF16:
    for (float &value : channel)
      value = bfloat16ToFloat(floatToBfloat16(value));
    return;
  case ElementType::QInt8: {
    float scale = quantizeToInt8(channel, numbers.data());
    for (auto [value, number] : llvm::zip_equal(channel, numbers))
      value = scale * static_cast<float>(number);
    return;
  }
  case ElementType::QInt4: {
    float scale = quantizeToInt4(channel, numbers.data(), steps.data());
    for (auto [i, value] : llvm::enumerate(channel))
      value = scale * static_cast<float>(steps[i / groupSize] * numbers[i]);
    return;
  }
  case ElementType::F32:
  case ElementType::F16:
  case ElementType::I32:
    return;
  }
}

} // namespace

Array tandem::narrowed(Array matrix, Type to, int64_t channelDim) {
  std::optional<ElementType> type = elementTypeOf(to);
  if (!type || *type == ElementType::F32)
    return matrix;
  int64_t columns = matrix.dim(-1), size = matrix.dim(1 - channelDim);
  int64_t step = channelDim == 0 ? 1 : columns;
  std::vector<float> channel(size);
  for (int64_t c = 0; c < matrix.dim(channelDim); ++c) {
    double *first = &matrix.elements[channelDim == 0 ? c * columns : c];
    for (int64_t i = 0; i < size; ++i)
      channel[i] = static_cast<float>(first[i * step]);
    narrow(*type, channel);
    for (int64_t i = 0; i < size; ++i)
      first[i * step] = channel[i];
  }
  return matrix;
}

Evaluated tandem::evaluate(CastOp, Operands<CastOp> a) {
  return std::vector<Array>{narrowed(*a.getX(), a.getTo(), 0)};
}
