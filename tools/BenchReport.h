#pragma once

#include "runtime/MachineLimits.h"
#include "tools/Command.h"

namespace tandem {

struct BenchOptions {
  ModelOptions model;
  std::vector<std::string> modes,          // none: all that the model has
      kvCache = {"off", "on"}, precisions; // none: f32, or the model's
  std::vector<int64_t> promptLengths = {32};
  int64_t numTokens = 16, repeat = 5;
};

/// What was measured again and again.
struct Spread {
  std::vector<double> values;

  double median() const; // these are 0 where there are no values
  double least() const;
  double most() const;
};

/// A way of running the model on a prompt, and what it took.
struct BenchCell {
  std::string mode, precision;
  bool kvCache = true;
  int64_t promptLength = 0;
  Spread prefillMs, decodeTokensPerS;
  int64_t peakBytes = 0; // of its own runs
  double compileMs = 0;
  std::vector<int32_t> ids;                     // the new tokens
  std::shared_ptr<const Executable> executable; // what ran
  Session *session = nullptr;                   // not owned
};

/// Prints the cells beside what the machine can do at most.
Result<int> printReport(const BenchOptions &options,
                        const std::vector<BenchCell> &cells,
                        const MachineLimits &machine);

} // namespace tandem
