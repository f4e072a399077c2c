#include "tools/RandomTokens.h"

#include <random>

namespace tandem {

std::vector<int32_t> randomTokens(int64_t count, int64_t vocabSize) {
  std::mt19937 random(7);
  std::vector<int32_t> ids(count);
  for (int32_t &id : ids)
    id = random() % vocabSize;
  return ids;
}

} // namespace tandem
