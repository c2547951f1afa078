#include <algorithm>

#include "filter/src/cpu/geometry/resize_rows.hpp"
#include "filter/src/cpu/geometry/resize_taps.hpp"

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

template <class T>
bool make_tap_blocks(const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& columns, TapBlocks<T>& blocks) {
  using Blocks = TapBlocks<T>;
  constexpr std::uint8_t none = 0x80;
  const Index channels = job.channels;
  const Index last_base = (job.old_width - columns.count + 1) * channels - Blocks::window;
  blocks.length = job.width * channels;
  blocks.channels = channels;
  blocks.count = columns.count;
  if (blocks.length < Blocks::block || last_base < 0) return false;
  const auto left = [&](Index i) { return columns.first[i / channels] * channels + i % channels; };
  for (Index begin = 0; begin < blocks.length; begin += Blocks::block) {
    const Index first = std::min(begin, blocks.length - Blocks::block);
    Index base = last_base;
    for (Index i = first; i < first + Blocks::block; ++i) base = std::min(base, left(i));
    blocks.base.push_back(static_cast<std::int32_t>(base));
    for (Index i = first; i < first + Blocks::block; ++i) {
      const Index near = (left(i) - base) * static_cast<Index>(sizeof(T));
      if (left(i) - base >= Blocks::window) return false;
      for (Index byte = 0; byte < Blocks::lane_bytes; ++byte) {
        blocks.near.push_back(byte < static_cast<Index>(sizeof(T)) ? static_cast<std::uint8_t>(near + byte) : none);
      }
    }
    for (Index t = 0; t < columns.count; ++t) {
      for (Index i = first; i < first + Blocks::block; ++i) {
        const Index at = i / channels * columns.count + t;
        blocks.weights.push_back(static_cast<TapSum<T>>(columns.weights[at]));
      }
    }
  }
  return true;
}

template bool make_tap_blocks(const kernels::ResizeJob&, const kernels::ResizeTaps<std::uint8_t>&,
                              TapBlocks<std::uint8_t>&);
template bool make_tap_blocks(const kernels::ResizeJob&, const kernels::ResizeTaps<std::uint16_t>&,
                              TapBlocks<std::uint16_t>&);
template bool make_tap_blocks(const kernels::ResizeJob&, const kernels::ResizeTaps<float>&, TapBlocks<float>&);
template bool make_row_blocks(const kernels::ResizeJob&, const kernels::ResizeTaps<std::uint8_t>&,
                              RowBlocks<std::uint8_t>&);
template bool make_row_blocks(const kernels::ResizeJob&, const kernels::ResizeTaps<float>&, RowBlocks<float>&);

}  // namespace whorl::backend::cpu
