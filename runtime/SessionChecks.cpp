#include "runtime/Session.h"

#include <algorithm>

namespace tandem {

static std::string_view prefixOf(ProgramKind kind) {
  switch (kind) {
  case ProgramKind::Forward:
    return "forward";
  case ProgramKind::Prefill:
    return "prefill";
  case ProgramKind::Decode:
    return "decode";
  case ProgramKind::Head:
    return "head";
  }
  return "";
}

Result<void>
Session::checkPrograms(std::string_view what,
                       std::initializer_list<ProgramKind> kinds) const {
  for (ProgramKind kind : kinds) {
    if (!programs[kind].empty())
      continue;
    std::string names;
    for (const Buckets &buckets : programs.kinds)
      for (const Bucket &bucket : buckets)
        names += (names.empty() ? "" : ", ") + bucket.program->name;
    return failure("{}: got no program '{}_*' among {}, expected one", what,
                   prefixOf(kind), names.empty() ? "none" : names);
  }
  return {};
}

Result<void> Session::checkToken(int64_t row, int32_t token) const {
  int64_t vocabSize = executable->model.vocabSize;
  if (token < 0 || token >= vocabSize)
    return failure("token {}: got id {}, expected 0 to {}", row, token,
                   vocabSize - 1);
  return {};
}

Result<void> Session::checkTokens(std::span<const int32_t> tokens) const {
  if (tokens.empty())
    return failure("tokens: got none, expected at least 1");
  for (size_t i = 0; i < tokens.size(); ++i)
    if (auto checked = checkToken(i, tokens[i]); !checked)
      return checked;
  return {};
}

Result<void> Session::checkPrefill(int64_t sequence,
                                   std::span<const int32_t> tokens) const {
  if (auto checked =
          checkPrograms("prefill", {ProgramKind::Prefill, ProgramKind::Head});
      !checked)
    return checked;
  if (auto checked = cache.checkSequence(sequence); !checked)
    return checked;
  if (auto checked = checkTokens(tokens); !checked)
    return checked;
  return cache.checkLength(sequence, cache.length(sequence) + tokens.size());
}

Result<void> Session::checkForward(std::span<const int32_t> tokens) const {
  if (auto checked = checkPrograms("forward", {ProgramKind::Forward}); !checked)
    return checked;
  const Buckets &forward = programs[ProgramKind::Forward];
  bool needsHead = std::ranges::any_of(forward, [](const Bucket &bucket) {
    return !find(*bucket.program, Port::Logits);
  });
  if (needsHead)
    if (auto checked = checkPrograms("forward", {ProgramKind::Head}); !checked)
      return checked;
  if (auto checked = checkTokens(tokens); !checked)
    return checked;
  auto numTokens = static_cast<int64_t>(tokens.size());
  int64_t most = executable->model.positions;
  if (!bucketHolding(forward, most))
    most = forward.back().rows();
  if (numTokens > most)
    return failure("forward: got {} tokens, expected at most {}", numTokens,
                   most);
  return {};
}

Result<void> Session::checkDecode(std::span<const DecodeRow> rows) const {
  if (auto checked = checkPrograms("decode", {ProgramKind::Decode}); !checked)
    return checked;
  auto numRows = static_cast<int64_t>(rows.size());
  if (numRows < 1 || numRows > maxDecodeRows())
    return failure("decode: got {} rows, expected 1 to {}", numRows,
                   maxDecodeRows());
  for (int64_t i = 0; i < numRows; ++i) {
    int64_t sequence = rows[i].sequence;
    if (auto checked = cache.checkSequence(sequence); !checked)
      return checked;
    if (auto checked = checkToken(i, rows[i].token); !checked)
      return checked;
    int64_t added =
        std::ranges::count(rows.first(i + 1), sequence, &DecodeRow::sequence);
    if (auto checked =
            cache.checkLength(sequence, cache.length(sequence) + added);
        !checked)
      return checked;
  }
  return {};
}

} // namespace tandem
