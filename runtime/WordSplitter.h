#pragma once

#include "support/Result.h"

#include <functional>
#include <memory>
#include <string_view>

struct pcre2_real_code_8;

namespace tandem {

/// Cuts text where GPT-2's tokenizer does: a contraction's ending, or letters,
/// digits or symbols with one space before them, or white space. Every byte
/// falls into exactly one word.
///
/// Immutable: one splitter serves any number of threads.
class WordSplitter {
public:
  /// Fails only where PCRE2 was built without Unicode or memory runs out.
  static Result<WordSplitter> create();

  /// Calls `visit` with each word of `bytes` in order, as views into `bytes`.
  /// A byte that belongs to no whole UTF-8 character counts as a symbol. Time
  /// is linear in the number of bytes.
  Result<void> split(std::string_view bytes,
                     const std::function<void(std::string_view)> &visit) const;

private:
  explicit WordSplitter(std::shared_ptr<pcre2_real_code_8> pattern)
      : pattern(std::move(pattern)) {}

  std::shared_ptr<pcre2_real_code_8> pattern;
};

} // namespace tandem
