#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tandem {

/// GPT-2's tokenizer files write each byte as one printable character: the
/// printable ones of Latin-1 stand for themselves, the other 68 bytes are
/// U+0100 onward in their order (so a space is U+0120, "Ġ").

/// The character that stands for `byte`, in UTF-8.
std::string byteSymbol(uint8_t byte);

/// The bytes a token stands for. A token with a character that is not in the
/// alphabet (an added token such as "<a b>") stands for its own bytes.
std::string tokenToBytes(std::string_view token);

} // namespace tandem
