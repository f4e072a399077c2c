#pragma once

#include "ir/Work.h"

#include <string>

namespace tandem {

/// Two digits or more and a unit, powers of 1000: "768 B", "2.3 KB", "11 MB".
std::string bytesText(int64_t bytes);
/// The same in "FLOP".
std::string flopText(int64_t flop);

/// Bytes by storage class, those that are not 0: "443 KB constant + 768 B
/// transient"; "0 B" where all are.
std::string bytesText(const Work::Bytes &bytes);

/// "reads ..; writes ..; 222 KFLOP", FLOP only where there are; "at most: "
/// before it where the work depends on the length of the sequence.
std::string workText(const Work &work);

} // namespace tandem
