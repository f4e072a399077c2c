#pragma once

#include "backend/Executable.h"

namespace tandem::testing {

/// Builds a program by hand. In a planned one every transient value gets memory
/// of its own, one after another.
class ProgramBuilder {
public:
  ProgramBuilder(std::string name, ProgramKind kind, int64_t rows,
                 bool planned);

  int32_t constant(std::vector<int64_t> shape, int64_t offset,
                   Layout layout = Layout::Plain);
  int32_t cache(const KvCacheLayout &layout);
  int32_t input(const std::string &name, ElementType type,
                std::vector<int64_t> shape);
  /// External if planned; else computed, as eager programs have it.
  int32_t output(const std::string &name, std::vector<int64_t> shape);
  int32_t transient(std::vector<int64_t> shape);
  /// None in an eager program.
  int32_t scratch(int64_t bytes);

  void step(const std::string &kernel, std::vector<int32_t> inputs,
            int32_t output, Attributes attributes = {}, int32_t scratch = -1);
  /// The same, into a new transient value.
  int32_t op(const std::string &kernel, std::vector<int32_t> inputs,
             std::vector<int64_t> shape, Attributes attributes = {},
             int32_t scratch = -1);

  Program program;

private:
  int32_t add(ElementType type, std::vector<int64_t> shape, Segment segment);
  void place(int32_t value, int64_t bytes);
};

} // namespace tandem::testing
