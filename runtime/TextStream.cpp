#include "runtime/TextStream.h"
#include "runtime/Utf8.h"

namespace tandem {

Result<std::string> TextStream::push(int32_t id) {
  Result<std::string_view> token = tokenizer->bytesOf(id);
  if (!token)
    return std::unexpected(token.error());
  pending += *token;
  std::string text;
  size_t used = appendReplacingInvalid(pending, Utf8End::MoreMayFollow, text);
  pending.erase(0, used);
  return text;
}

std::string TextStream::flush() {
  std::string text;
  appendReplacingInvalid(pending, Utf8End::Final, text);
  pending.clear();
  return text;
}

Result<std::string> decodeText(const Tokenizer &tokenizer,
                               std::span<const int32_t> ids) {
  Result<std::string> bytes = tokenizer.decode(ids);
  if (!bytes)
    return bytes;
  std::string text;
  appendReplacingInvalid(*bytes, Utf8End::Final, text);
  return text;
}

} // namespace tandem
