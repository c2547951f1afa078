#include "backend/cpu/filter/clahe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "whorl/filter/border.hpp"

namespace whorl::backend::cpu {

namespace {

using kernels::ClaheTiles;

template <class T>
constexpr Index levels_of = Index{std::numeric_limits<T>::max()} + 1;

/// The nearest integer to 0 <= v < 2^23, halves to the even one, as lrint, which is a call: a float from 2^23 on has no
/// fraction.
int rounded(float v) {
  constexpr float two_to_23 = 8388608.0F;
  return static_cast<int>((v + two_to_23) - two_to_23);
}

/// Two tiles beside each other along one axis, and the weight of the second.
struct Neighbors {
  Index first, second;
  float weight;
};

Neighbors neighbors_of(Index i, float inverse, Index tiles) {
  const float place = static_cast<float>(i) * inverse - 0.5F;
  const float below = std::floor(place);
  const auto first = static_cast<Index>(below);
  return {std::max<Index>(first, 0), std::min(first + 1, tiles - 1), place - below};
}

template <class T>
void table_of_tile(const ImageFormat& format, const ClaheTiles& tiles, Index tile_y, Index tile_x, const T* from,
                   std::vector<std::uint32_t>& counts, T* table) {
  constexpr Index levels = levels_of<T>;
  const Index channels = count_of(format.channels);
  std::fill(counts.begin(), counts.end(), 0);
  for (Index y = tile_y * tiles.height; y < (tile_y + 1) * tiles.height; ++y) {
    const T* row = from + border_index(Border::reflect, y, format.height) * format.row();
    for (Index x = tile_x * tiles.width; x < (tile_x + 1) * tiles.width; ++x) {
      ++counts[row[border_index(Border::reflect, x, format.width) * channels]];
    }
  }
  Index excess = 0;
  for (const std::uint32_t count : counts) excess += tiles.limit > 0 ? std::max<Index>(0, count - tiles.limit) : 0;
  const float scale = static_cast<float>(levels - 1) / static_cast<float>(tiles.width * tiles.height);
  Index sum = 0;
  for (Index level = 0; level < levels; ++level) {
    sum += kernels::clipped_count(counts[static_cast<std::size_t>(level)], level, levels, tiles.limit, excess);
    table[level] = static_cast<T>(std::min<Index>(rounded(static_cast<float>(sum) * scale), levels - 1));
  }
}

}  // namespace

template <class T>
void clahe_tables(const Context& ctx, const ImageFormat& format, const ClaheTiles& tiles, const T* from, T* tables) {
  constexpr Index levels = levels_of<T>;
  const Index count = tiles.count * tiles.count;
#pragma omp parallel num_threads(ctx.threads())
  {
    std::vector<std::uint32_t> counts(levels);
#pragma omp for schedule(static)
    for (Index job = 0; job < format.slices() * count; ++job) {
      const T* slice = from + job / count * format.height * format.row();
      table_of_tile(format, tiles, job % count / tiles.count, job % tiles.count, slice, counts, tables + job * levels);
    }
  }
}

template <class T>
void clahe_map(const Context& ctx, const ImageFormat& format, const ClaheTiles& tiles, const T* tables, const T* from,
               T* to) {
  constexpr Index levels = levels_of<T>;
  const Index channels = count_of(format.channels);
  const float inverse_width = 1.0F / static_cast<float>(tiles.width);
  const float inverse_height = 1.0F / static_cast<float>(tiles.height);
  std::vector<Neighbors> columns;
  for (Index x = 0; x < format.width; ++x) columns.push_back(neighbors_of(x, inverse_width, tiles.count));
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index row = 0; row < format.slices() * format.height; ++row) {
    const Neighbors rows = neighbors_of(row % format.height, inverse_height, tiles.count);
    const T* slice = tables + row / format.height * tiles.count * tiles.count * levels;
    const T* upper = slice + rows.first * tiles.count * levels;
    const T* lower = slice + rows.second * tiles.count * levels;
    for (Index x = 0; x < format.width; ++x) {
      const Neighbors& column = columns[static_cast<std::size_t>(x)];
      const Index at = row * format.row() + x * channels;
      const Index left = column.first * levels + from[at];
      const Index right = column.second * levels + from[at];
      const float keep = 1 - column.weight;
      const float above = static_cast<float>(upper[left]) * keep + static_cast<float>(upper[right]) * column.weight;
      const float below = static_cast<float>(lower[left]) * keep + static_cast<float>(lower[right]) * column.weight;
      to[at] = static_cast<T>(rounded(above * (1 - rows.weight) + below * rows.weight));
      for (Index c = 1; c < channels; ++c) to[at + c] = from[at + c];
    }
  }
}

#define WHORL_INSTANTIATE(T)                                                                       \
  template void clahe_tables(const Context&, const ImageFormat&, const ClaheTiles&, const T*, T*); \
  template void clahe_map(const Context&, const ImageFormat&, const ClaheTiles&, const T*, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cpu
