#include "runtime/Session.h"

#include <algorithm>
#include <numeric>

namespace tandem {

Result<std::span<const float>>
Session::prefill(int64_t sequence, std::span<const int32_t> tokens) {
  if (auto checked = checkPrefill(sequence, tokens); !checked)
    return std::unexpected(checked.error());
  int64_t before = cache.length(sequence);
  Result<std::span<const float>> logits;
  while (!tokens.empty()) {
    auto taken = prefillSome(sequence, tokens);
    if (taken && *taken == static_cast<int64_t>(tokens.size()))
      logits = headSome(*taken - 1, 1);
    if (!taken || !logits) {
      cache.setLength(sequence, before);
      return std::unexpected(taken ? logits.error() : taken.error());
    }
    tokens = tokens.subspan(*taken);
  }
  return logits;
}

Result<void> Session::prefillAllLogits(int64_t sequence,
                                       std::span<const int32_t> tokens,
                                       const LogitsSink &sink) {
  if (auto checked = checkPrefill(sequence, tokens); !checked)
    return checked;
  int64_t before = cache.length(sequence);
  auto numTokens = static_cast<int64_t>(tokens.size());
  for (int64_t done = 0; done < numTokens;) {
    auto taken = prefillSome(sequence, tokens.subspan(done));
    Result<void> headed;
    if (taken)
      headed = headAll(0, *taken, done, sink);
    if (!taken || !headed) {
      cache.setLength(sequence, before);
      return std::unexpected(taken ? headed.error() : taken.error());
    }
    done += *taken;
  }
  return {};
}

Result<int64_t> Session::prefillSome(int64_t sequence,
                                     std::span<const int32_t> tokens) {
  const Bucket &bucket =
      nextBucket(programs[ProgramKind::Prefill], tokens.size());
  tokens = tokens.first(std::min<size_t>(tokens.size(), bucket.rows()));
  auto numTokens = static_cast<int64_t>(tokens.size());
  int64_t length = cache.length(sequence);
  writeRows(tokens, length, bucket.rows());
  std::fill_n(externals.ints(Port::Sequences).begin(), bucket.rows(), 0);
  cache.writeTable(sequence, externals.ints(Port::BlockTables).data());
  externals.ints(Port::Valid)[0] = static_cast<int32_t>(numTokens);
  if (auto ran =
          bucket.runnable->run(externals.addresses(), length + numTokens);
      !ran)
    return std::unexpected(ran.error());
  cache.setLength(sequence, length + numTokens);
  return numTokens;
}

void Session::writeRows(std::span<const int32_t> tokens, int64_t firstPosition,
                        int64_t numRows) {
  auto ids = externals.ints(Port::Tokens).first(numRows);
  auto positions = externals.ints(Port::Positions).first(numRows);
  auto numTokens = static_cast<int64_t>(tokens.size());
  std::ranges::copy(tokens, ids.begin());
  std::ranges::fill(ids.subspan(numTokens), 0);
  std::iota(positions.begin(), positions.begin() + numTokens,
            static_cast<int32_t>(firstPosition));
  std::ranges::fill(positions.subspan(numTokens), 0);
}

Result<std::span<const float>> Session::headSome(int64_t row, int64_t numRows) {
  const Bucket &bucket = nextBucket(programs[ProgramKind::Head], numRows);
  numRows = std::min(numRows, bucket.rows());
  int64_t embed = executable->model.embed;
  auto hidden = externals.floats(Port::Hidden);
  // A bucket that would reach past the last hidden row begins earlier.
  int64_t lastBegin =
      static_cast<int64_t>(hidden.size()) / embed - bucket.rows();
  int64_t begin = std::min(row, lastBegin);
  PortAddresses ports = externals.addresses();
  ports[static_cast<size_t>(Port::Hidden)] = hidden.data() + begin * embed;
  if (auto ran = bucket.runnable->run(ports, dynamicDim); !ran)
    return std::unexpected(ran.error());
  return externals.floats(Port::Logits)
      .subspan((row - begin) * vocabSize(), numRows * vocabSize());
}

Result<void> Session::headAll(int64_t row, int64_t numRows, int64_t firstRow,
                              const LogitsSink &sink) {
  for (int64_t end = row + numRows; row < end;) {
    auto logits = headSome(row, end - row);
    if (!logits)
      return std::unexpected(logits.error());
    sink(firstRow, *logits);
    auto taken = static_cast<int64_t>(logits->size()) / vocabSize();
    row += taken;
    firstRow += taken;
  }
  return {};
}

Result<std::span<const float>>
Session::decode(std::span<const DecodeRow> rows) {
  if (auto checked = checkDecode(rows); !checked)
    return std::unexpected(checked.error());
  auto numRows = static_cast<int64_t>(rows.size());
  for (int64_t done = 0; done < numRows;) {
    auto taken = decodeSome(rows.subspan(done), done);
    if (!taken) {
      for (const DecodeRow &row : rows.first(done))
        cache.setLength(row.sequence, cache.length(row.sequence) - 1);
      return std::unexpected(taken.error());
    }
    done += *taken;
  }
  return externals.floats(Port::Logits).first(numRows * vocabSize());
}

Result<int64_t> Session::decodeSome(std::span<const DecodeRow> rows,
                                    int64_t firstRow) {
  const Bucket &bucket = nextBucket(programs[ProgramKind::Decode], rows.size());
  rows = rows.first(std::min<size_t>(rows.size(), bucket.rows()));
  auto numRows = static_cast<int64_t>(rows.size());
  writeRows({}, 0, bucket.rows());
  auto sequences = externals.ints(Port::Sequences).first(bucket.rows());
  std::ranges::fill(sequences, 0);
  auto tables = externals.ints(Port::BlockTables);
  int64_t blocks = executable->kvCache.blocksPerSequence(), longest = 0;
  for (int64_t i = 0; i < numRows; ++i) {
    int64_t sequence = rows[i].sequence, length = cache.length(sequence);
    externals.ints(Port::Tokens)[i] = rows[i].token;
    externals.ints(Port::Positions)[i] = static_cast<int32_t>(length);
    sequences[i] = static_cast<int32_t>(i);
    cache.writeTable(sequence, tables.data() + i * blocks);
    cache.setLength(sequence, length + 1);
    longest = std::max(longest, length + 1);
  }
  externals.ints(Port::Valid)[0] = static_cast<int32_t>(numRows);
  PortAddresses ports = externals.addresses();
  ports[static_cast<size_t>(Port::Logits)] =
      externals.floats(Port::Logits).data() + firstRow * vocabSize();
  if (auto ran = bucket.runnable->run(ports, longest); !ran) {
    for (const DecodeRow &row : rows)
      cache.setLength(row.sequence, cache.length(row.sequence) - 1);
    return std::unexpected(ran.error());
  }
  return numRows;
}

Result<void> Session::forward(std::span<const int32_t> tokens, bool everyRow,
                              const LogitsSink &sink) {
  if (auto checked = checkForward(tokens); !checked)
    return checked;
  auto numTokens = static_cast<int64_t>(tokens.size());
  const Bucket &bucket =
      *bucketHolding(programs[ProgramKind::Forward], numTokens);
  if (bucket.rows() == dynamicDim)
    if (auto reserved =
            externals.reserve(*memory, portSizes(*bucket.program, numTokens));
        !reserved)
      return reserved;
  writeRows(tokens, 0, bucket.rowsFor(numTokens));
  if (auto ran = bucket.runnable->run(externals.addresses(), numTokens); !ran)
    return ran;
  int64_t first = everyRow ? 0 : numTokens - 1;
  if (!find(*bucket.program, Port::Logits))
    return headAll(first, numTokens - first, first, sink);
  sink(first,
       externals.floats(Port::Logits)
           .subspan(first * vocabSize(), (numTokens - first) * vocabSize()));
  return {};
}

} // namespace tandem
