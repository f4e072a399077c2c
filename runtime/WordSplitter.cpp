#define PCRE2_CODE_UNIT_WIDTH 8

#include "runtime/WordSplitter.h"
#include "runtime/Utf8.h"

#include <array>
#include <pcre2.h>
#include <string>

namespace tandem {

namespace {

/// Unicode's White_Space, which is what `\s` means in the reference
/// tokenizers. PCRE2's own `\s` also takes U+180E.
constexpr std::string_view whiteSpace =
    R"(\t-\r\x20\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F})"
    R"(\x{205F}\x{3000})";

/// Letters and numbers that Unicode 15 and 16 added: the reference tokenizers
/// know them, a PCRE2 built from Unicode 14 does not.
constexpr std::string_view letters =
    R"(\p{L})"
    R"(\x{1C89}-\x{1C8A}\x{A7CB}-\x{A7CD}\x{A7DA}-\x{A7DC})"
    R"(\x{105C0}-\x{105F3}\x{10D4A}-\x{10D65}\x{10D6F}-\x{10D85})"
    R"(\x{10EC2}-\x{10EC4}\x{1123F}-\x{11240}\x{11380}-\x{11389}\x{1138B})"
    R"(\x{1138E}\x{11390}-\x{113B5}\x{113B7}\x{113D1}\x{113D3})"
    R"(\x{11BC0}-\x{11BE0}\x{11F02}\x{11F04}-\x{11F10}\x{11F12}-\x{11F33})"
    R"(\x{1342F}\x{13441}-\x{13446}\x{13460}-\x{143FA}\x{16100}-\x{1611D})"
    R"(\x{16D40}-\x{16D6C}\x{18CFF}\x{1B132}\x{1B155}\x{1DF25}-\x{1DF2A})"
    R"(\x{1E030}-\x{1E06D}\x{1E4D0}-\x{1E4EB}\x{1E5D0}-\x{1E5ED}\x{1E5F0})"
    R"(\x{2B739}\x{2EBF0}-\x{2EE5D}\x{31350}-\x{323AF})";
constexpr std::string_view numbers =
    R"(\p{N})"
    R"(\x{10D40}-\x{10D49}\x{116D0}-\x{116E3}\x{11BF0}-\x{11BF9})"
    R"(\x{11F50}-\x{11F59}\x{16130}-\x{16139}\x{16D70}-\x{16D79})"
    R"(\x{1CCF0}-\x{1CCF9}\x{1D2C0}-\x{1D2D3}\x{1E4F0}-\x{1E4F9})"
    R"(\x{1E5F1}-\x{1E5FA})";

std::string wordPattern() {
  return fmt::format(R"('s|'t|'re|'ve|'m|'ll|'d| ?[{1}]+| ?[{2}]+)"
                     R"(| ?[^{0}{1}{2}]+|[{0}]+(?![^{0}])|[{0}]+)",
                     whiteSpace, letters, numbers);
}

std::string describe(int pcreError) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(pcreError, text.data(), text.size());
  return reinterpret_cast<const char *>(text.data());
}

/// The length of the word at `offset` or a PCRE2 error. PCRE2's compiled code
/// has a small fixed stack; where that is too small the interpreter, whose
/// stack is on the heap, takes over.
int matchWord(const pcre2_code *pattern, std::string_view subject,
              size_t offset, pcre2_match_data *match) {
  auto run = [&](uint32_t moreOptions) {
    return pcre2_match(pattern, reinterpret_cast<PCRE2_SPTR>(subject.data()),
                       subject.size(), offset, PCRE2_NO_UTF_CHECK | moreOptions,
                       match, nullptr);
  };
  int status = run(0);
  return status == PCRE2_ERROR_JIT_STACKLIMIT ? run(PCRE2_NO_JIT) : status;
}

} // namespace

Result<WordSplitter> WordSplitter::create() {
  std::string text = wordPattern();
  int error = 0;
  PCRE2_SIZE errorOffset = 0;
  // Anchored: every character starts a word, so there is nothing to skip.
  pcre2_code *code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                    PCRE2_UTF | PCRE2_ANCHORED, &error, &errorOffset, nullptr);
  if (!code)
    return failure("tokenizer: splitting pattern at offset {}: {}", errorOffset,
                   describe(error));
  std::shared_ptr<pcre2_code> pattern(code, pcre2_code_free);
  // Where there is no such compiler for this CPU the interpreter runs.
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
  return WordSplitter(std::move(pattern));
}

Result<void>
WordSplitter::split(std::string_view bytes,
                    const std::function<void(std::string_view)> &visit) const {
  std::string masked;
  std::string_view subject = bytes;
  if (!isValidUtf8(bytes))
    subject = masked = maskInvalidUtf8(bytes, '!');

  std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match(
      pcre2_match_data_create(1, nullptr), pcre2_match_data_free);
  if (!match)
    return failure("tokenizer: no memory to split {} bytes", bytes.size());
  for (size_t offset = 0; offset < bytes.size();) {
    int status = matchWord(pattern.get(), subject, offset, match.get());
    if (status < 0)
      return failure("tokenizer: splitting at byte {}: {}", offset,
                     describe(status));
    size_t end = pcre2_get_ovector_pointer(match.get())[1];
    visit(bytes.substr(offset, end - offset));
    offset = end;
  }
  return {};
}

} // namespace tandem
