#include "frontend/Safetensors.h"

#include "frontend/JsonFields.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

namespace tandem {

namespace {

static_assert(std::endian::native == std::endian::little,
              "tensors are read in place and the format is little endian");

constexpr size_t lengthBytes = sizeof(uint64_t);
constexpr uint64_t longestHeader = 100'000'000; // the format's own limit

/// Bytes an element; dtypes that are not here have no size to check.
constexpr std::array<std::pair<std::string_view, int64_t>, 14> elementSizes{{
    {"F32", 4},
    {"F16", 2},
    {"BF16", 2},
    {"F64", 8},
    {"I64", 8},
    {"U64", 8},
    {"I32", 4},
    {"U32", 4},
    {"I16", 2},
    {"U16", 2},
    {"I8", 1},
    {"U8", 1},
    {"BOOL", 1},
    {"C64", 8},
}};

std::optional<int64_t> elementSize(std::string_view dtype) {
  for (const auto &[name, size] : elementSizes)
    if (name == dtype)
      return size;
  return std::nullopt;
}

/// A header's entry before it is tied to the data.
struct Placement {
  std::string dtype;
  std::vector<int64_t> shape;
  uint64_t begin, end; // bytes from the start of the data
};

} // namespace

static Result<std::vector<uint64_t>>
readSizes(const Json &entry, const std::string &key, const std::string &where) {
  auto field = entry.find(key);
  if (field == entry.end())
    return failure("{}: got no {}, expected a list of sizes", where, key);
  std::vector<uint64_t> sizes;
  bool isList = field->is_array();
  for (const Json &size : isList ? *field : Json::array()) {
    isList = isList && size.is_number_unsigned() &&
             size.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX);
    sizes.push_back(isList ? size.get<uint64_t>() : 0);
  }
  if (!isList)
    return failure("{}: {}: got {}, expected a list of sizes", where, key,
                   shown(*field));
  return sizes;
}

/// dtype, shape and offsets of one tensor, each well formed.
static Result<Placement> readPlacement(const Json &entry,
                                       const std::string &where) {
  if (!entry.is_object())
    return failure("{}: got {}, expected an object", where, shown(entry));
  auto dtype = entry.find("dtype");
  if (dtype == entry.end() || !dtype->is_string())
    return failure("{}: dtype: got {}, expected a string", where,
                   dtype == entry.end() ? "none" : shown(*dtype));
  auto shape = readSizes(entry, "shape", where);
  if (!shape)
    return std::unexpected(shape.error());
  auto offsets = readSizes(entry, "data_offsets", where);
  if (!offsets)
    return std::unexpected(offsets.error());
  if (offsets->size() != 2)
    return failure("{}: data_offsets: got {} numbers, expected 2", where,
                   offsets->size());
  return Placement{dtype->get<std::string>(),
                   {shape->begin(), shape->end()},
                   offsets->front(),
                   offsets->back()};
}

/// That the tensor lies in the file and is as long as it says.
static Result<void> checkPlacement(const Placement &tensor, uint64_t dataBytes,
                                   const std::string &where) {
  if (tensor.begin > tensor.end || tensor.end > dataBytes)
    return failure("{}: data_offsets: got [{}, {}], expected an ascending "
                   "range within the file's {} bytes of data",
                   where, tensor.begin, tensor.end, dataBytes);
  auto element = elementSize(tensor.dtype);
  if (!element)
    return {};
  int64_t size = *element;
  for (int64_t extent : tensor.shape)
    if (__builtin_mul_overflow(size, extent, &size))
      return failure("{}: shape: got [{}], expected a size below 2^63 bytes",
                     where, fmt::join(tensor.shape, ", "));
  if (static_cast<uint64_t>(size) != tensor.end - tensor.begin)
    return failure("{}: data_offsets: got {} bytes, expected {} for {} [{}]",
                   where, tensor.end - tensor.begin, size, tensor.dtype,
                   fmt::join(tensor.shape, ", "));
  return {};
}

/// That the tensors, in the order they lie, leave no gap and do not overlap.
static Result<void>
checkCoverage(const std::map<std::string, SafetensorsFile::Entry> &tensors,
              std::span<const std::byte> data, const std::string &path) {
  std::vector<const std::pair<const std::string, SafetensorsFile::Entry> *>
      byOffset;
  byOffset.reserve(tensors.size());
  for (const auto &tensor : tensors)
    byOffset.push_back(&tensor);
  std::ranges::sort(byOffset, {}, [](const auto *tensor) {
    return std::pair(tensor->second.data, tensor->second.sizeInBytes);
  });
  const std::byte *end = data.data();
  for (const auto *tensor : byOffset) {
    if (tensor->second.data != end)
      return failure(
          "{}: tensor {}: data_offsets: got a start at {}, expected {}, where "
          "the tensor before it ends",
          path, shown(tensor->first), tensor->second.data - data.data(),
          end - data.data());
    end += tensor->second.sizeInBytes;
  }
  if (end != data.data() + data.size())
    return failure("{}: got {} bytes of data, expected {}, where the last "
                   "tensor ends",
                   path, data.size(), end - data.data());
  return {};
}

/// The header's text; what follows it is the data.
static Result<std::string_view> readHeader(std::span<const std::byte> bytes,
                                           const std::string &path) {
  if (bytes.size() < lengthBytes)
    return failure("{}: got {} bytes, expected a safetensors file of at least "
                   "{}",
                   path, bytes.size(), lengthBytes);
  uint64_t length;
  std::memcpy(&length, bytes.data(), lengthBytes);
  uint64_t most = std::min<uint64_t>(bytes.size() - lengthBytes, longestHeader);
  if (length > most)
    return failure("{}: header length: got {}, expected at most {} in a "
                   "safetensors file of {} bytes",
                   path, length, most, bytes.size());
  return std::string_view(
      reinterpret_cast<const char *>(bytes.data()) + lengthBytes, length);
}

Result<SafetensorsFile>
SafetensorsFile::open(const std::filesystem::path &path) {
  auto mapped = MappedFile::open(path);
  if (!mapped)
    return std::unexpected(mapped.error());
  auto bytes = (*mapped)->bytes();
  auto text = readHeader(bytes, path.string());
  if (!text)
    return std::unexpected(text.error());
  auto header = parseJsonObject(*text, path.string() + ": header");
  if (!header)
    return std::unexpected(header.error());

  SafetensorsFile result;
  result.filePath = path;
  result.file = *mapped;
  auto data = bytes.subspan(lengthBytes + text->size());
  for (const auto &[name, entry] : header->items()) {
    if (name == "__metadata__")
      continue;
    std::string where =
        fmt::format("{}: tensor {}", path.string(), shown(name));
    auto placement = readPlacement(entry, where);
    if (!placement)
      return std::unexpected(placement.error());
    if (auto fits = checkPlacement(*placement, data.size(), where); !fits)
      return std::unexpected(fits.error());
    result.tensors[name] = {
        placement->dtype, placement->shape, data.data() + placement->begin,
        static_cast<int64_t>(placement->end - placement->begin)};
  }
  if (auto covered = checkCoverage(result.tensors, data, path.string());
      !covered)
    return std::unexpected(covered.error());
  return result;
}

Result<TensorView> SafetensorsFile::tensor(const std::string &name) const {
  auto found = tensors.find(name);
  if (found == tensors.end())
    return failure("{}: tensor {}: got none of this name", filePath.string(),
                   shown(name));
  const Entry &entry = found->second;
  ElementType type;
  if (entry.dtype == "F32")
    type = ElementType::F32;
  else if (entry.dtype == "F16")
    type = ElementType::F16;
  else if (entry.dtype == "BF16")
    type = ElementType::BF16;
  else
    return failure("{}: tensor {}: got dtype {}, expected F32, F16 or BF16",
                   filePath.string(), shown(name), shown(entry.dtype));
  return TensorView{type, entry.shape, entry.data};
}

} // namespace tandem
