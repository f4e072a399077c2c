// Sequences that are decoded together have the logits, bit for bit, that each
// has alone: compiled, since no kernel lets rows influence one another; eager,
// since it decodes a row at a time.

#include "tests/unit/certificate/SmallModel.h"

#include <cstring>

namespace tandem {
namespace {

class SequencesTogether : public SmallModel,
                          public testing::WithParamInterface<Mode> {
protected:
  using Logits = std::vector<float>;

  static std::vector<int32_t> text(int64_t sequence) {
    return tokens(7 * sequence + 1 + numSteps, sequence);
  }

  /// Of every step of one sequence after its prompt.
  static std::vector<Logits> alone(Session &session, int64_t sequence) {
    std::vector<Logits> steps;
    auto ids = text(sequence);
    int64_t length = std::ssize(ids) - numSteps;
    session.reset(0);
    EXPECT_TRUE(session.prefill(0, std::span(ids).first(length)));
    for (int64_t step = 0; step < numSteps; ++step) {
      Session::DecodeRow row = {0, ids[length + step]};
      auto logits = session.decode({&row, 1});
      EXPECT_TRUE(logits);
      steps.emplace_back(logits->begin(), logits->end());
    }
    return steps;
  }

  static constexpr int64_t numSteps = 5;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Modes, SequencesTogether,
                         testing::Values(Mode::Eager, Mode::Compiled),
                         [](const auto &info) {
                           return info.param == Mode::Eager ? "Eager"
                                                            : "Compiled";
                         });

TEST_P(SequencesTogether, HaveTheBitsOfEachAlone) {
  options.mode = GetParam();
  auto single = start(1, {.cached = true});
  for (int64_t numSequences = 2; numSequences <= 8; ++numSequences) {
    auto session = start(numSequences, {.cached = true});
    std::vector<std::vector<Logits>> expected;
    for (int64_t s = 0; s < numSequences; ++s) {
      auto ids = text(s);
      ASSERT_TRUE(session->prefill(s, std::span(ids).first(7 * s + 1)));
      expected.push_back(alone(*single, s));
    }
    for (int64_t step = 0; step < numSteps; ++step) {
      std::vector<Session::DecodeRow> rows;
      for (int64_t s = 0; s < numSequences; ++s)
        rows.push_back({s, text(s)[7 * s + 1 + step]});
      auto logits = session->decode(rows);
      ASSERT_TRUE(logits) << logits.error().message;
      for (int64_t s = 0; s < numSequences; ++s)
        EXPECT_EQ(std::memcmp(logits->data() + s * vocab,
                              expected[s][step].data(), vocab * sizeof(float)),
                  0)
            << "sequence " << s << " of " << numSequences << ", step " << step;
    }
  }
}

} // namespace tandem
