#pragma once

#include "Ledger.h"
#include "RandomWeights.h"

namespace tandem {

/// The sizes that every model under test has, and the programs made of it.
inline constexpr int64_t testPositions = 40; // more than a block of the cache
inline constexpr int64_t testVocabulary = 11;

/// Runs every function that the module has, in one fixed use of them all, and
/// enters hidden rows and logits in the ledger.
///
/// Four sequences. Without a cache each is run whole, or a part from its start.
/// With one, prompts are cut over prefill_16 and prefill_5, last chunks padded,
/// then decode_1 takes one sequence to its last position, and decode_4 takes
/// three others on, in another order than their block tables, over a block's
/// edge.
void converse(mlir::ModuleOp module, const RandomWeights &weights,
              Ledger &ledger);

} // namespace tandem
