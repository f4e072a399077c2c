#include "backend/PackNarrow.h"

#include "support/Quantization.h"

#include <algorithm>
#include <cstring>

namespace tandem {

namespace {

/// The channels of one panel, in f32 and as what they are made.
class PanelPacker {
public:
  explicit PanelPacker(const Packing &packing)
      : packing(packing),
        depth(roundUp(byRows() ? packing.columns : packing.rows,
                      depthBlock(packing.type))),
        channels(byRows() ? packing.rows : packing.columns),
        floats(panelColumns * depth), halves(depth), numbers(depth),
        steps(depth / groupSize) {}

  int64_t numPanels() const {
    return (channels + panelColumns - 1) / panelColumns;
  }

  void pack(int64_t panel, std::byte *out) {
    std::ranges::fill(floats, 0.0f);
    for (const Source &source : packing.sources)
      collect(source, panel * panelColumns);
    int64_t size = panelSizeInBytes(depth, packing.type);
    auto *scales = reinterpret_cast<float *>(out + numPanels() * size) +
                   panel * panelColumns;
    out += panel * size;
    for (int64_t j = 0; j < panelColumns; ++j) {
      std::span channel(&floats[j * depth], depth);
      if (packing.type == ElementType::BF16)
        layBfloats(channel, j, out);
      else
        scales[j] = packing.type == ElementType::QInt8
                        ? layBytes(channel, j, out)
                        : layNibbles(channel, j, out);
    }
  }

private:
  bool byRows() const { return packing.layout == Layout::RowPanels; }

  /// What a source has of channels first to first + 63.
  void collect(const Source &source, int64_t first) {
    int64_t at = byRows() ? source.firstRow : source.firstColumn;
    int64_t size = byRows() ? source.rows : source.columns;
    int64_t begin = std::max(at, first);
    int64_t end = std::min(at + size, first + panelColumns);
    if (begin >= end)
      return;
    if (byRows())
      for (int64_t n = begin; n < end; ++n)
        load({source, n - at, 1, 0, source.columns},
             &floats[(n - first) * depth + source.firstColumn]);
    else
      collectColumns(source, begin, end, first);
  }

  /// Transposed in squares that stay in the nearest cache.
  void collectColumns(const Source &source, int64_t begin, int64_t end,
                      int64_t first) {
    constexpr int64_t rowsAtOnce = 16;
    float block[rowsAtOnce * panelColumns];
    int64_t columns = end - begin;
    for (int64_t k = 0; k < source.rows; k += rowsAtOnce) {
      int64_t count = std::min(rowsAtOnce, source.rows - k);
      load({source, k, count, begin - source.firstColumn, columns}, block);
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t i = 0; i < count; ++i)
          floats[(begin - first + j) * depth + source.firstRow + k + i] =
              block[i * columns + j];
    }
  }

  void layBfloats(std::span<const float> channel, int64_t j, std::byte *panel) {
    floatsToBfloat16(channel, halves.data());
    layByFours(halves.data(), j, panel);
  }

  float layBytes(std::span<const float> channel, int64_t j, std::byte *panel) {
    float scale = quantizeToInt8(channel, numbers.data());
    layByFours(numbers.data(), j, panel);
    return scale;
  }

  /// A channel goes into every row of a panel with four bytes.
  void layByFours(const void *channel, int64_t j, std::byte *panel) const {
    auto *from = static_cast<const std::byte *>(channel);
    int64_t size = depth * sizeInBytes(packing.type);
    for (int64_t i = 0; i < size; i += 4)
      std::memcpy(panel + i * panelColumns + j * 4, from + i, 4);
  }

  float layNibbles(std::span<const float> channel, int64_t j,
                   std::byte *panel) {
    constexpr int64_t groupBytes = panelColumns + panelColumns * groupSize / 2;
    float scale = quantizeToInt4(channel, numbers.data(), steps.data());
    for (int64_t k = 0; k < depth; k += 8) {
      std::byte *group = panel + k / groupSize * groupBytes;
      group[j] = std::byte{steps[k / groupSize]};
      std::byte *to =
          group + panelColumns + (k % groupSize / 2) * panelColumns + j * 4;
      for (int64_t i = 0; i < 4; ++i)
        to[i] = static_cast<std::byte>((numbers[k + i] + 8) |
                                       (numbers[k + 4 + i] + 8) << 4);
    }
    return scale;
  }

  const Packing &packing;
  int64_t depth, channels;
  std::vector<float> floats; // [panelColumns][depth]
  std::vector<uint16_t> halves;
  std::vector<int8_t> numbers;
  std::vector<uint8_t> steps;
};

} // namespace

void packNarrowShare(const Packing &packing, std::byte *out, int64_t share,
                     int64_t shares) {
  PanelPacker packer(packing);
  int64_t panels = packer.numPanels();
  for (int64_t p = panels * share / shares; p < panels * (share + 1) / shares;
       ++p)
    packer.pack(p, out);
}

} // namespace tandem
