// Once a compiled session is there, decoding allocates, creates, reorders and
// hashes nothing: all of that was done before the first token.

#include "runtime/GenerateEach.h"
#include "tests/unit/certificate/SmallModel.h"
#include "tests/unit/certificate/WorkCount.h"

namespace tandem {

namespace test {

std::ostream &operator<<(std::ostream &stream, const WorkCount &count) {
  return stream << fmt::format(
             "{} allocations, {} primitives, {} reorders, {} hashes",
             count.allocations, count.primitives, count.reorders, count.hashes);
}

} // namespace test

namespace {

class DecodeWork : public SmallModel {};

} // namespace

TEST_F(DecodeWork, IsSeenWhereThereIsSome) {
  auto before = test::workSoFar();
  start(1, everyUse);
  auto after = test::workSoFar();
  EXPECT_GT(after.allocations, before.allocations);
  EXPECT_GT(after.primitives, before.primitives);
  EXPECT_GT(after.hashes, before.hashes);
}

TEST_F(DecodeWork, IsNoneForAnyNumberOfSequences) {
  for (int64_t numSequences = 1; numSequences <= 8; ++numSequences) {
    auto session = start(numSequences, everyUse);
    std::vector<Session::DecodeRow> rows;
    for (int64_t s = 0; s < numSequences; ++s) {
      ASSERT_TRUE(session->prefill(s, tokens(3 * s + 1, s)));
      rows.push_back({s, static_cast<int32_t>(s)});
    }
    auto before = test::workSoFar();
    bool ok = true;
    for (int step = 0; step < 4; ++step)
      for (int64_t count = 1; count <= numSequences; ++count)
        ok = ok && session->decode(std::span(rows).first(count));
    auto after = test::workSoFar();
    EXPECT_TRUE(ok);
    EXPECT_EQ(after, before) << numSequences << " sequences";
  }
}

// Here oneDNN multiplies, and allocates what it calls its execution context.
TEST_F(DecodeWork, IsThatOfOneDnnForPromptsAndWholeTexts) {
  auto session = start(1, everyUse);
  auto text = tokens(positions, 1);
  auto before = test::workSoFar();
  bool ok = true;
  for (int64_t length : {1, 8, 20, 48, 64}) {
    session->reset(0);
    ok = ok && session->prefill(0, std::span(text).first(length));
    ok = ok && session->forward(std::span(text).first(length), false,
                                [](int64_t, std::span<const float>) {});
  }
  auto after = test::workSoFar();
  EXPECT_TRUE(ok);
  before.allocations = after.allocations;
  EXPECT_EQ(after, before);
}

// More tokens of the same prompts: the same work, since no step has any.
TEST_F(DecodeWork, IsNoneInGeneration) {
  auto session = start(3, everyUse);
  std::vector<std::vector<int32_t>> prompts = {tokens(5, 1), tokens(9, 2),
                                               tokens(2, 3)};
  auto work = [&](int64_t numTokens) {
    auto before = test::workSoFar();
    auto ran =
        generateEach(*session, prompts,
                     {.numTokens = numTokens,
                      .sampling = {.greedy = false, .topK = 40, .topP = 0.9}},
                     [](size_t, const Generation &) { return Result<void>(); });
    auto after = test::workSoFar();
    EXPECT_TRUE(ran) << ran.error().message;
    return test::WorkCount{after.allocations - before.allocations,
                           after.primitives - before.primitives,
                           after.reorders - before.reorders,
                           after.hashes - before.hashes};
  };
  work(5); // what only the first use of something takes
  EXPECT_EQ(work(30), work(5));
}

} // namespace tandem
