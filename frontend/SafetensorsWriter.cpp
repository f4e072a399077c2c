#include "frontend/SafetensorsWriter.h"

#include "frontend/JsonFields.h"
#include "support/FileWriter.h"

#include <cstring>
#include <set>

namespace tandem {

int64_t TensorShape::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

struct SafetensorsWriter::State {
  FileWriter file;
  int64_t remaining; // elements yet to come
};

SafetensorsWriter::SafetensorsWriter(std::unique_ptr<State> state)
    : state(std::move(state)) {}
SafetensorsWriter::SafetensorsWriter(SafetensorsWriter &&) noexcept = default;
SafetensorsWriter &
SafetensorsWriter::operator=(SafetensorsWriter &&) noexcept = default;
SafetensorsWriter::~SafetensorsWriter() = default;

/// The length, then the header, padded so that the data is aligned to 8 bytes.
static std::string headerOf(std::span<const TensorShape> tensors) {
  auto header = nlohmann::ordered_json::object();
  header["__metadata__"] = {{"format", "pt"}};
  int64_t offset = 0;
  for (const TensorShape &tensor : tensors) {
    int64_t end =
        offset + tensor.numElements() * static_cast<int64_t>(sizeof(float));
    header[tensor.name] = {{"dtype", "F32"},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  uint64_t length = text.size();
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes + text;
}

Result<SafetensorsWriter>
SafetensorsWriter::create(const std::filesystem::path &path,
                          std::span<const TensorShape> tensors) {
  std::set<std::string> names{"__metadata__"};
  int64_t numElements = 0;
  for (const TensorShape &tensor : tensors) {
    if (!names.insert(tensor.name).second)
      return failure("{}: tensor {}: got this name twice, expected once",
                     path.string(), shown(tensor.name));
    numElements += tensor.numElements();
  }
  auto file = FileWriter::create(path);
  if (!file)
    return std::unexpected(file.error());
  if (auto written = file->write(headerOf(tensors)); !written)
    return std::unexpected(written.error());
  return SafetensorsWriter(
      std::make_unique<State>(std::move(*file), numElements));
}

Result<void> SafetensorsWriter::append(std::span<const float> values) {
  auto count = static_cast<int64_t>(values.size());
  if (count > state->remaining)
    return failure("{}: got {} more values, expected {}",
                   state->file.path().string(), count, state->remaining);
  state->remaining -= count;
  return state->file.write(std::as_bytes(values));
}

Result<void> SafetensorsWriter::finish() {
  if (state->remaining != 0)
    return failure("{}: got {} values too few", state->file.path().string(),
                   state->remaining);
  return state->file.commit();
}

Result<void> writeSafetensors(const std::filesystem::path &path,
                              std::span<const NamedTensor> tensors) {
  std::vector<TensorShape> shapes;
  for (const NamedTensor &tensor : tensors)
    shapes.push_back(tensor.tensor);
  auto writer = SafetensorsWriter::create(path, shapes);
  if (!writer)
    return std::unexpected(writer.error());
  for (const NamedTensor &tensor : tensors)
    if (auto written = writer->append(tensor.values); !written)
      return written;
  return writer->finish();
}

} // namespace tandem
