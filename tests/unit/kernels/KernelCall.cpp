#include "tests/unit/kernels/KernelCall.h"

#include "backend/kernels/OneDnn.h"

#include <cmath>
#include <cstring>
#include <random>
#include <thread>

namespace tandem::testing {

Floats randomFloats(int64_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  Floats result(count);
  for (float &x : result)
    x = distribution(generator);
  return result;
}

Value floats(std::vector<int64_t> shape) {
  int64_t last = shape.back();
  return {.shape = std::move(shape), .rowStride = last};
}

Value ints(std::vector<int64_t> shape) {
  Value value = floats(std::move(shape));
  value.type = ElementType::I32;
  return value;
}

Value strided(std::vector<int64_t> shape, int64_t rowStride) {
  Value value = floats(std::move(shape));
  value.rowStride = rowStride;
  return value;
}

Value panels(std::vector<int64_t> shape, Layout layout) {
  Value value = floats(std::move(shape));
  value.layout = layout;
  return value;
}

Floats toPanels(const Floats &weight, int64_t depth, int64_t columns,
                Layout layout) {
  int64_t numPanels = (columns + panelColumns - 1) / panelColumns;
  Floats result(numPanels * depth * panelColumns);
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t k = 0; k < depth; ++k)
      result[(c / panelColumns * depth + k) * panelColumns + c % panelColumns] =
          layout == Layout::RowPanels ? weight[c * depth + k]
                                      : weight[k * columns + c];
  return result;
}

static KernelSpec specOf(const KernelCall &call, int numThreads) {
  return {call.inputs, call.outputs, call.attributes,
          call.scratchBytesPerThread * numThreads, numThreads};
}

void KernelCall::run(const std::vector<void *> &inputAddresses,
                     const std::vector<void *> &outputAddresses,
                     int numThreads) const {
  auto created = createKernel(kernel, specOf(*this, numThreads));
  ASSERT_TRUE(created) << created.error().message;
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> scratch(scratchBytesPerThread * numThreads / 64 + 1);
  std::memset(scratch.data(), 0xff, scratch.size() * sizeof(Line));
  KernelOperands operands{inputAddresses, outputAddresses,
                          scratch.front().bytes};
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < numThreads; ++thread)
    threads.emplace_back([&, thread] {
      prepareOneDnnThread();
      (*created)->run(operands, thread, numThreads);
    });
}

std::string KernelCall::creationError() const {
  auto created = createKernel(kernel, specOf(*this, 1));
  return created ? "" : created.error().message;
}

void expectClose(const Floats &got, const std::vector<double> &expected,
                 const std::vector<double> &tolerance,
                 const std::string &what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  size_t worst = 0;
  double worstExcess = -INFINITY;
  for (size_t i = 0; i < got.size(); ++i) {
    double excess = got[i] == expected[i]
                        ? -INFINITY
                        : std::abs(got[i] - expected[i]) - tolerance[i];
    if (std::isnan(got[i]) != std::isnan(expected[i]))
      excess = INFINITY;
    if (excess > worstExcess) {
      worstExcess = excess;
      worst = i;
    }
  }
  EXPECT_LE(worstExcess, 0)
      << what << ": element " << worst << " of " << got.size() << ": got "
      << got[worst] << ", expected " << expected[worst] << " within "
      << tolerance[worst];
}

void expectClose(const Floats &got, const std::vector<double> &expected,
                 double tolerance, const std::string &what) {
  expectClose(got, expected, std::vector<double>(expected.size(), tolerance),
              what);
}

double productTolerance(int64_t count, double magnitude) {
  return epsilon * (4 + std::sqrt(static_cast<double>(count))) * magnitude;
}

} // namespace tandem::testing
