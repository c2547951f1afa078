#include <algorithm>

#include "backend/cpu/filter/resize_rows.hpp"

namespace whorl::backend::cpu {

namespace {

void add_number(RowBlocks<std::uint8_t>& blocks, Index near, std::int32_t weight) {
  constexpr std::uint8_t none = 0x80;
  blocks.near.push_back(static_cast<std::uint8_t>(near));
  blocks.near.push_back(none);
  blocks.weight.push_back(static_cast<std::int16_t>(weight));
}

void add_number(RowBlocks<float>& blocks, Index near, float weight) {
  for (Index byte = 0; byte < 4; ++byte) blocks.near.push_back(static_cast<std::uint8_t>(4 * near + byte));
  blocks.weight.push_back(weight);
}

}  // namespace

template <class T>
bool make_row_blocks(const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& columns, RowBlocks<T>& blocks) {
  constexpr Index block = RowBlocks<T>::block;
  constexpr Index window = RowBlocks<T>::window;
  const Index channels = job.channels;
  const Index old_length = job.old_width * channels;
  blocks.length = job.width * channels;
  blocks.channels = channels;
  if (columns.count != 2 || blocks.length < block || old_length < window + channels) return false;
  const auto left = [&](Index i) { return columns.first[i / channels] * channels + i % channels; };
  for (Index begin = 0; begin < blocks.length; begin += block) {
    const Index first = std::min(begin, blocks.length - block);
    Index base = old_length - channels - window;
    for (Index i = first; i < first + block; ++i) base = std::min(base, left(i));
    blocks.base.push_back(static_cast<std::int32_t>(base));
    for (Index i = first; i < first + block; ++i) {
      if (left(i) - base >= window) return false;
      add_number(blocks, left(i) - base, columns.weights[i / channels * 2 + 1]);
    }
  }
  return true;
}

template bool make_row_blocks(const kernels::ResizeJob&, const kernels::ResizeTaps<std::uint8_t>&,
                              RowBlocks<std::uint8_t>&);
template bool make_row_blocks(const kernels::ResizeJob&, const kernels::ResizeTaps<float>&, RowBlocks<float>&);

}  // namespace whorl::backend::cpu
