#include "backend/lowering/Target.h"

#include "backend/kernels/Scratch.h"

using namespace tandem;

TargetInfo tandem::hostTarget(int numThreads) {
  TargetInfo target;
  target.numThreads = numThreads;
  target.scratchBytes = [numThreads](const ScratchQuery &query) -> int64_t {
    if (query.op == "linear")
      return linearTakesScratch(query.rows, query.isPacked)
                 ? numThreads * linearScratchBytesPerThread(
                                    query.rows, query.depth, query.weightType)
                 : 0;
    return numThreads * attentionScratchBytesPerThread(query.headSize);
  };
  return target;
}

std::vector<std::string> tandem::requiredInstructionSets() {
  return {"cx16",   "lahf_lm", "lm",     "pni",
          "popcnt", "sse4_1",  "sse4_2", "ssse3"};
}
