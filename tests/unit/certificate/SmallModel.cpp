#include "tests/unit/certificate/SmallModel.h"

#include "frontend/RandomCheckpoint.h"
#include "tools/PrepareModel.h"

#include <random>

namespace tandem {

void SmallModel::SetUp() {
  TemporaryFolderTest::SetUp();
  ModelConfig config;
  config.vocabSize = vocab;
  config.positions = positions;
  config.embed = 64;
  config.layers = 2;
  config.heads = 4;
  config.inner = 256;
  config.bosToken.reset();
  config.eosTokens = {};
  options.model = folder / "model";
  options.numThreads = 2;
  options.buckets = prefillRows;
  auto written = writeRandomCheckpoint(config, options.model, 1);
  ASSERT_TRUE(written) << written.error().message;
}

Model SmallModel::compile(int64_t numSequences, const ProgramUse &use) {
  options.batch = numSequences;
  auto model = prepareModel(options, use);
  EXPECT_TRUE(model) << model.error().message;
  return std::move(*model);
}

std::unique_ptr<Session> SmallModel::start(int64_t numSequences,
                                           const ProgramUse &use) {
  Model model = compile(numSequences, use);
  auto session = startSession(model, options, use);
  EXPECT_TRUE(session) << session.error().message;
  return std::move(*session);
}

std::vector<int32_t> SmallModel::tokens(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int32_t> ids(count);
  for (int32_t &id : ids)
    id = static_cast<int32_t>(random() % vocab);
  return ids;
}

} // namespace tandem
