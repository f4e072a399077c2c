#pragma once

#include "support/Layout.h"
#include "support/TensorView.h"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace tandem {

/// The dimension that a value may leave open: a program has at most one, given
/// when it runs. Only eager programs have it (the tokens of @forward, the
/// cached length of `kv_read`).
inline constexpr int64_t dynamicDim = -1;

/// Where a value lives, and for how long.
enum class Segment : uint8_t {
  Constant,   // weights: laid out once, shared by all programs, never written
  Persistent, // the KV cache: shared by all programs
  Transient,  // activations and scratch: in the arena, planned per program
  External,   // inputs and outputs: the caller's memory, bound before a run
};

/// A dense tensor in a program. The last dimension is contiguous; rows of a
/// view may be further apart than they are long.
struct Value {
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  Segment segment = Segment::Transient;
  /// Bytes from the segment's start. Unused for External, and for Transient in
  /// eager programs.
  int64_t offset = 0;
  /// Elements from the start of one row of the last dimension to the next.
  int64_t rowStride = 0;
  Layout layout = Layout::Plain; // Plain but for constants
};

/// What steers a kernel, under the name that the op gives it.
using Attribute =
    std::variant<int64_t, double, std::string, std::vector<int64_t>>;
using Attributes = std::map<std::string, Attribute>;

/// One kernel call. Operands and results are indices into Program::values.
struct Step {
  std::string kernel; // a name in the kernel registry: the op's mnemonic
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  int32_t scratch = -1; // a transient value that counts bytes; -1: none
  Attributes attributes;
  std::string where; // the op's location, for messages and profiles
};

enum class ProgramKind : uint8_t {
  Forward, // a whole sequence, without a cache
  Prefill, // many rows of one sequence, appended to the cache
  Decode,  // a row of each of many sequences, appended to the cache
  Head,    // hidden rows to logits
};

/// A flat list of steps over rows, each row a token. The names of inputs and
/// outputs are the program's signature:
///   tokens        i32 [rows]
///   positions     i32 [rows]
///   sequences     i32 [rows]               a row of block_tables
///   block_tables  i32 [sequences, blocks]
///   valid         i32 [1]                  rows in use, the first ones
///   hidden        f32 [rows, embed]
///   logits        f32 [rows, vocab]
struct Program {
  std::string name;
  ProgramKind kind = ProgramKind::Forward;
  int64_t rows = 0; // dynamicDim: as many as the caller gives (eager @forward)
  bool planned = false; // else its transient values have no place
  std::vector<Value> values;
  std::map<std::string, int32_t> inputs, outputs; // signature name -> value
  std::vector<Step> steps;
  int64_t transientBytes = 0; // of the arena; 0 unless planned
};

/// How the KV cache lies in memory:
///   [blocks, layers, 2 (keys, values), heads, blockSize, headSize]
/// A sequence's block table maps position / blockSize to a block.
struct KvCacheLayout {
  int64_t layers = 0, heads = 0, headSize = 0, blockSize = 32;
  /// The most that a sequence may hold: as many as the model was trained for,
  /// or fewer where it was compiled for less.
  int64_t positions = 0;
  ElementType type = ElementType::F32;

  int64_t blocksPerSequence() const {
    return (positions + blockSize - 1) / blockSize;
  }
  int64_t bytesPerBlock() const {
    return layers * 2 * heads * blockSize * headSize * sizeInBytes(type);
  }
  int64_t bytesPerToken() const {
    return layers * 2 * heads * headSize * sizeInBytes(type);
  }
  bool operator==(const KvCacheLayout &) const = default;
};

/// One parameter in the constant segment.
struct Constant {
  std::string name; // as the checkpoint has it, unless there are parts
  std::vector<int64_t> shape;
  Layout layout = Layout::Plain;
  int64_t offset = 0; // bytes from the segment's start

  /// The checkpoint's tensors that it is made of, one after another along
  /// dimension `partsDim`; none: the one of its own name.
  std::vector<std::string> parts = {};
  int64_t partsDim = 0;

  /// As it lies here, whatever the checkpoint has it in.
  ElementType type = ElementType::F32;

  std::vector<std::string> sources() const {
    return parts.empty() ? std::vector{name} : parts;
  }
  int64_t sizeInBytes() const { return storedSizeInBytes(shape, type, layout); }
};

/// What a user may ask about a model, and what generation needs to know of it.
/// A size that its programs do not show is 0.
struct ModelSummary {
  std::string name;      // of the folder or preset it was compiled from
  int64_t vocabSize = 0; // logits a row; ids are below it
  int64_t positions = 0; // the longest sequence it was trained for
  int64_t layers = 0;
  int64_t heads = 0;              // of an attention layer; divides embed
  int64_t embed = 0;              // width of the residual stream
  int64_t inner = 0;              // width of the MLP's hidden layer
  int64_t parameters = 0;         // weights, a tied table counted once
  std::vector<int64_t> eosTokens; // any of them ends a text
};

/// Everything that runs a model, as plain data; the constants' bytes are kept
/// apart, in the compiler's buffer or a mapped artifact.
struct Executable {
  ModelSummary model;
  KvCacheLayout kvCache; // layers = 0: no program has a cache
  std::vector<Program> programs;
  std::vector<Constant> constants;
  int64_t constantBytes = 0;
  int numThreads = 1; // the most threads the plan has scratch for
};

} // namespace tandem
