#include "tests/unit/runtime/TinyModel.h"

#include <cmath>
#include <cstring>
#include <random>

namespace tandem::testing {

using namespace tiny;

static std::vector<float> randomFloats(int64_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> result(count);
  for (float &x : result)
    x = distribution(generator);
  return result;
}

static std::vector<float> table() { return randomFloats(vocab * embed, 1); }
static std::vector<float> places() {
  return randomFloats(positions * embed, 2);
}

std::vector<int32_t> randomTokens(int64_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<int32_t> tokens(count);
  for (int32_t &token : tokens)
    token = static_cast<int32_t>(generator() % vocab);
  return tokens;
}

/// x [tokens, embed]
static std::vector<float> embedded(const std::vector<int32_t> &tokens) {
  auto rows = table(), offsets = places();
  std::vector<float> x(tokens.size() * embed);
  for (size_t t = 0; t < tokens.size(); ++t)
    for (int64_t i = 0; i < embed; ++i)
      x[t * embed + i] = rows[tokens[t] * embed + i] + offsets[t * embed + i];
  return x;
}

/// Adds what row `row` attends to, one head.
static void attend(const std::vector<float> &x, size_t row, int64_t head,
                   std::vector<double> &hidden) {
  std::vector<double> weights(row + 1);
  double sum = 0;
  for (size_t key = 0; key <= row; ++key) {
    double score = 0;
    for (int64_t i = head * headSize; i < (head + 1) * headSize; ++i)
      score += double(x[row * embed + i]) * x[key * embed + i];
    sum += weights[key] = std::exp(score * scale);
  }
  for (size_t key = 0; key <= row; ++key)
    for (int64_t i = head * headSize; i < (head + 1) * headSize; ++i)
      hidden[i] += weights[key] / sum * x[key * embed + i];
}

std::vector<float> expectedLogits(const std::vector<int32_t> &tokens) {
  auto x = embedded(tokens), rows = table();
  std::vector<float> logits(tokens.size() * vocab);
  for (size_t t = 0; t < tokens.size(); ++t) {
    std::vector<double> hidden(&x[t * embed], &x[t * embed] + embed);
    for (int64_t head = 0; head < heads; ++head)
      attend(x, t, head, hidden);
    for (int64_t v = 0; v < vocab; ++v) {
      double sum = 0;
      for (int64_t i = 0; i < embed; ++i)
        sum += hidden[i] * rows[v * embed + i];
      logits[t * vocab + v] = static_cast<float>(sum);
    }
  }
  return logits;
}

static void pack(const Constant &constant, std::byte *out) {
  auto values = constant.name == "table" ? table() : places();
  auto *to = reinterpret_cast<float *>(out + constant.offset);
  int64_t rows = constant.shape[0], columns = constant.shape[1];
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      int64_t index = constant.layout == Layout::Plain
                          ? r * columns + c
                          : (r / panelColumns * columns + c) * panelColumns +
                                r % panelColumns;
      to[index] = values[r * columns + c];
    }
}

TinySession startTiny(const Executable &executable,
                      const SessionOptions &options) {
  TinySession tiny;
  tiny.memory = std::make_shared<MemoryTracker>();
  auto constants =
      Buffer::allocate(*tiny.memory, executable.constantBytes, "constants");
  EXPECT_TRUE(constants);
  for (const Constant &constant : executable.constants)
    pack(constant, constants->data());
  auto session = Session::create(std::make_shared<Executable>(executable),
                                 std::move(*constants), tiny.memory, options);
  if (session)
    tiny.session = std::move(*session);
  else
    tiny.error = session.error().message;
  return tiny;
}

void expectRows(std::span<const float> got, const std::vector<float> &expected,
                int64_t firstRow) {
  ASSERT_LE(firstRow * vocab + got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    float wanted = expected[firstRow * vocab + i];
    ASSERT_NEAR(got[i], wanted, 1e-5 * std::max(1.0f, std::abs(wanted)))
        << "row " << firstRow + i / vocab << ", token " << i % vocab;
  }
}

} // namespace tandem::testing
