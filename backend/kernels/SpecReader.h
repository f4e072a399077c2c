#pragma once

#include "backend/kernels/Kernel.h"

#include <initializer_list>
#include <optional>

namespace tandem {

/// Reads what a kernel is created for and remembers the first thing that does
/// not fit, as "kernel: operand: got, expected". Read the operands, check
/// `ok()`, and only then look into their shapes.
class SpecReader {
public:
  static constexpr size_t anyRank = 0;              // one or more
  using Types = std::initializer_list<ElementType>; // one of them

  SpecReader(std::string_view kernel, const KernelSpec &spec)
      : kernel(kernel), spec(spec) {}

  void expectOperands(size_t numInputs, size_t numOutputs);

  /// A row-major operand without gaps. An operand that is absent or of another
  /// type or rank is an error, and the result has no dimensions.
  const Value &input(size_t index, std::string_view name, size_t rank,
                     ElementType type = ElementType::F32);
  /// As input(), but rows may be further apart than they are long (of qint8
  /// they are plainRowStride() apart, whatever the value says).
  const Value &view(size_t index, std::string_view name, size_t rank,
                    Types types = {ElementType::F32});
  /// As input(), in any layout.
  const Value &weight(size_t index, std::string_view name, size_t rank,
                      Types types = {ElementType::F32});
  const Value &output(size_t index, std::string_view name, size_t rank,
                      Types types = {ElementType::F32});

  void expectShape(std::string_view name, const Value &value,
                   const std::vector<int64_t> &expected);
  void expectEqual(std::string_view what, int64_t got, int64_t expected);
  /// Half-open: begin <= got < end.
  void expectWithin(std::string_view what, int64_t got, int64_t begin,
                    int64_t end);
  /// The plan reserved `bytesPerThread`, a multiple of 64, for every thread.
  void expectScratch(int64_t bytesPerThread);

  /// Attributes: absent without a default, or of another type, is an error.
  int64_t integer(std::string_view name, std::optional<int64_t> otherwise = {});
  double real(std::string_view name);
  std::string text(std::string_view name);
  std::vector<int64_t> list(std::string_view name);

  bool ok() const { return !error; }
  std::unexpected<Error> failure() const { return std::unexpected(*error); }
  template <typename... Args>
  void fail(fmt::format_string<Args...> format, Args &&...args) {
    if (!error)
      error = Error{fmt::format(
          "{}: {}", kernel, fmt::format(format, std::forward<Args>(args)...))};
  }

private:
  const Value &operand(const std::vector<Value> &values, size_t index,
                       std::string_view name, size_t rank, Types types);
  void expectDense(std::string_view name, const Value &value);
  void expectPlain(std::string_view name, const Value &value);
  template <typename T> T attribute(std::string_view name);

  std::string_view kernel;
  const KernelSpec &spec;
  std::optional<Error> error;
  Value missing;
};

/// The product of dimensions `begin` to `end`.
int64_t sizeOf(const Value &value, size_t begin, size_t end);
int64_t numElements(const Value &value);
/// Elements between rows: the last dimension if the value does not say.
int64_t rowStride(const Value &value);

} // namespace tandem
