#pragma once

#include <string>

namespace tandem {

/// The layers of a GPT-2 as somebody else would write them: other names,
/// queries, keys and values by weights and biases of their own, a ReLU, and
/// output projections without a bias. Two layers of 2 heads of 3.
std::string separateProjections();

/// Attention the other way round: heads made by transposing rows before they
/// are split, keys and values with their rows last, queries scaled before they
/// meet the keys, scores masked before they are scaled. What each branch adds
/// to the sum is scaled too. One layer of 2 heads of 2.
std::string columnsFirst();

} // namespace tandem
