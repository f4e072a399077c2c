#include "tools/OutputFile.h"

#include "tools/ImportModel.h"
#include "tools/PrepareModel.h"

#include <algorithm>

namespace tandem {

namespace fs = std::filesystem;

/// Whether two names lead to one file, or would if it were there.
static bool isSame(const fs::path &one, const fs::path &other) {
  std::error_code error;
  if (fs::equivalent(one, other, error))
    return true;
  auto resolved = fs::weakly_canonical(fs::absolute(one), error);
  if (error)
    return false;
  auto otherResolved = fs::weakly_canonical(fs::absolute(other), error);
  return !error && resolved == otherResolved;
}

Result<void> checkOutput(const std::string &option, const fs::path &output,
                         const fs::path &model,
                         const std::vector<fs::path> &others) {
  std::vector<fs::path> inputs = others;
  if (isArtifact(model))
    inputs.push_back(model);
  else
    std::ranges::copy(filesOf(model), std::back_inserter(inputs));
  for (const fs::path &input : inputs)
    if (isSame(output, input))
      return failure("{}: got {}, which is {} and is read, expected another "
                     "file",
                     option, output.string(), input.string());
  return {};
}

} // namespace tandem
