#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tandem {

/// What stands at one place of a byte string that should be UTF-8.
struct Utf8Unit {
  enum class Kind : uint8_t {
    Character, // one whole, well-formed character
    Invalid,   // the longest start of a character that goes wrong, or one
               // byte that starts none (Unicode 15, 3.9, "maximal subpart")
    Cut,       // the bytes end inside a character that is right so far
  };
  Kind kind;
  size_t sizeInBytes; // 1 to 4
};

/// The unit that starts at `bytes[offset]`; `offset` lies inside `bytes`.
Utf8Unit readUtf8Unit(std::string_view bytes, size_t offset);

/// The same number of bytes, with each byte that belongs to no whole character
/// replaced by `substitute`, an ASCII character: well-formed UTF-8 whose
/// offsets are those of `bytes`.
std::string maskInvalidUtf8(std::string_view bytes, char substitute);

bool isValidUtf8(std::string_view bytes);

/// Whether a character cut off by the end of the bytes may yet be completed.
enum class Utf8End : uint8_t { MoreMayFollow, Final };

/// Appends `bytes` to `text` with U+FFFD for each Invalid unit, which is what
/// Python's `bytes.decode('utf-8', errors='replace')` does. At a Final end a
/// Cut unit is replaced as well; otherwise it is left. Returns the number of
/// bytes dealt with.
size_t appendReplacingInvalid(std::string_view bytes, Utf8End end,
                              std::string &text);

} // namespace tandem
