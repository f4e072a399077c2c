#include "runtime/KernelCache.h"

namespace tandem {

namespace {

/// Appends raw bytes: a key need only be equal for what is equal.
template <typename T> void append(std::string &key, const T &number) {
  key.append(reinterpret_cast<const char *>(&number), sizeof number);
}

void append(std::string &key, const std::string &text) {
  append(key, text.size());
  key += text;
}

void append(std::string &key, const std::vector<int64_t> &list) {
  append(key, list.size());
  for (int64_t element : list)
    append(key, element);
}

/// Not where a value lies: kernels are told at every run.
void append(std::string &key, const Value &value) {
  append(key, value.type);
  append(key, value.layout);
  append(key, value.rowStride);
  append(key, value.shape);
}

void append(std::string &key, const KernelSpec &spec) {
  for (const auto *values : {&spec.inputs, &spec.outputs}) {
    append(key, values->size());
    for (const Value &value : *values)
      append(key, value);
  }
  for (const auto &[name, attribute] : spec.attributes) {
    append(key, name);
    append(key, attribute.index());
    std::visit([&](const auto &held) { append(key, held); }, attribute);
  }
  append(key, spec.scratchBytes);
  append(key, spec.numThreads);
}

} // namespace

Result<const Kernel *> KernelCache::get(std::string_view name,
                                        const KernelSpec &spec) {
  key.assign(name);
  key += '\0';
  append(key, spec);
  if (auto found = kernels.find(key); found != kernels.end())
    return found->second.get();
  auto created = createKernel(name, spec);
  if (!created)
    return std::unexpected(created.error());
  return kernels.emplace(key, std::move(*created)).first->second.get();
}

} // namespace tandem
