#include "filter/src/kernels/points/clahe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/parallel.hpp"
#include "filter/src/cpu/points/clahe_row.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::backend::cpu {

namespace {

using kernels::ClaheTiles;

template <class T>
constexpr Index levels_of = Index{std::numeric_limits<T>::max()} + 1;

/// The nearest integer to 0 <= v < 2^23, halves to the even one. lrint does the same, but is a function call. Floats
/// from 2^23 on have no fraction.
int rounded(float v) {
  constexpr float two_to_23 = 8388608.0F;
  return static_cast<int>((v + two_to_23) - two_to_23);
}

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

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

// A pixel often equals its neighbor and would wait until the previous count is written, so there are several
// histograms; for bytes as many as fit into the first-level cache.
template <class T>
constexpr Index side_by_side = sizeof(T) == 1 ? 8 : 4;

// Counts pixels of a row.
template <class T>
void add_counts(const T* row, Index pixels, Index channels, std::vector<std::uint32_t>& counts) {
  constexpr Index together = side_by_side<T>;
  Index x = 0;
  for (; x + together <= pixels; x += together, row += together * channels) {
    for (Index k = 0; k < together; ++k) ++counts[at(k * levels_of<T> + row[k * channels])];
  }
  for (; x < pixels; ++x, row += channels) ++counts[*row];
}

// Columns that lie between the same tiles.
struct Run {
  Index first, second;
  Index begin, end;
};

/// The columns of an image.
struct Columns {
  Columns(Index width, const ClaheTiles& tiles) {
    const float inverse = 1.0F / static_cast<float>(tiles.width);
    for (Index x = 0; x < width; ++x) {
      const Neighbors near = neighbors_of(x, inverse, tiles.count);
      if (runs.empty() || runs.back().first != near.first || runs.back().second != near.second) {
        runs.push_back({near.first, near.second, x, x});
      }
      runs.back().end = x + 1;
      weight.push_back(near.weight);
      rest.push_back(1 - near.weight);
    }
  }
  std::vector<Run> runs;
  std::vector<float> weight, rest;  // of the second tile and of the first
};

/// The entries of the tables for the pixels of a row.
template <class T>
class LevelsOfRow {
 public:
  LevelsOfRow(const Columns& columns, Index channels) : columns_(columns), channels_(channels) {}

  // The tables of the tiles above and below the row.
  void between(const T* upper, const T* lower) {
    if (upper_ == upper && lower_ == lower) return;
    upper_ = upper;
    lower_ = lower;
    if constexpr (sizeof(T) == 1) {
      together_.resize(columns_.runs.size());
      for (std::size_t k = 0; k < together_.size(); ++k) {
        for (std::size_t v = 0; v < together_[k].size(); ++v) {
          together_[k][v] = levels_at(columns_.runs[k], static_cast<T>(v));
        }
      }
    }
  }

  void find(const T* row, ClaheLevels<T>* to) const {
    const Index channels = channels_;
    for (std::size_t k = 0; k < columns_.runs.size(); ++k) {
      // A copy, because for the compiler the bytes that are written might overlap the original.
      const Run run = columns_.runs[k];
      if constexpr (sizeof(T) == 1) {
        const ClaheLevels<T>* levels = together_[k].data();
        for (Index x = run.begin; x < run.end; ++x) to[x] = levels[row[x * channels]];
      } else {
        for (Index x = run.begin; x < run.end; ++x) to[x] = levels_at(run, row[x * channels]);
      }
    }
  }

 private:
  ClaheLevels<T> levels_at(const Run& run, T v) const {
    const Index left = run.first * levels_of<T> + v;
    const Index right = run.second * levels_of<T> + v;
    return {upper_[left], upper_[right], lower_[left], lower_[right]};
  }

  const Columns& columns_;
  Index channels_;
  const T* upper_ = nullptr;
  const T* lower_ = nullptr;
  // For bytes: the entries of the four tables, for each run.
  std::vector<std::array<ClaheLevels<std::uint8_t>, levels_of<std::uint8_t>>> together_;
};

template <class T>
void table_of_tile(const ImageFormat& format, const ClaheTiles& tiles, Index tile_y, Index tile_x, const T* from,
                   std::vector<std::uint32_t>& counts, T* table) {
  constexpr Index levels = levels_of<T>;
  const Index channels = count_of(format.channels);
  std::fill(counts.begin(), counts.end(), 0);
  const Index left = tile_x * tiles.width;
  const Index right = left + tiles.width;
  const Index inside = std::clamp(format.width, left, right);
  for (Index y = tile_y * tiles.height; y < (tile_y + 1) * tiles.height; ++y) {
    const T* row = from + border_index(Border::reflect, y, format.height) * format.row();
    add_counts(row + left * channels, inside - left, channels, counts);
    for (Index x = inside; x < right; ++x) ++counts[row[border_index(Border::reflect, x, format.width) * channels]];
  }
  for (Index level = 0; level < levels; ++level) {
    for (Index k = 1; k < side_by_side<T>; ++k) counts[at(level)] += counts[at(k * levels + level)];
  }
  Index excess = 0;
  for (Index level = 0; level < levels && tiles.limit > 0; ++level) {
    excess += std::max<Index>(0, counts[at(level)] - tiles.limit);
  }
  const float scale = static_cast<float>(levels - 1) / static_cast<float>(tiles.width * tiles.height);
  Index sum = 0;
  for (Index level = 0; level < levels; ++level) {
    sum += kernels::clipped_count(counts[at(level)], level, levels, tiles.limit, excess);
    table[level] = static_cast<T>(std::min<Index>(rounded(static_cast<float>(sum) * scale), levels - 1));
  }
}

template <class T>
void clahe_tables(const Context& ctx, const ImageFormat& format, const ClaheTiles& tiles, const T* from, T* tables) {
  constexpr Index levels = levels_of<T>;
  const Index count = tiles.count * tiles.count;
  detail::parallel_threads(ctx, ctx.threads(), format.slices() * count, [&](const auto& turns) {
    std::vector<std::uint32_t> counts(static_cast<std::size_t>(side_by_side<T> * levels));
    turns([&](Index job) {
      const T* slice = from + job / count * format.height * format.row();
      table_of_tile(format, tiles, job % count / tiles.count, job % tiles.count, slice, counts, tables + job * levels);
    });
  });
}

template <class T>
void clahe_map(const Context& ctx, const ImageFormat& format, const ClaheTiles& tiles, const T* tables, const T* from,
               T* to) {
  constexpr Index levels = levels_of<T>;
  const Index channels = count_of(format.channels);
  const float inverse_height = 1.0F / static_cast<float>(tiles.height);
  const Columns columns(format.width, tiles);
  detail::parallel_threads(ctx, ctx.threads(), format.slices() * format.height, [&](const auto& turns) {
    LevelsOfRow<T> levels_of_row(columns, channels);
    std::vector<ClaheLevels<T>> found(at(format.width));
    std::vector<T> mixed(at(channels > 1 ? format.width : 0));
    turns([&](Index row) {
      const Neighbors rows = neighbors_of(row % format.height, inverse_height, tiles.count);
      const T* slice = tables + row / format.height * tiles.count * tiles.count * levels;
      const T* pixels = from + row * format.row();
      T* target = to + row * format.row();
      levels_of_row.between(slice + rows.first * tiles.count * levels, slice + rows.second * tiles.count * levels);
      levels_of_row.find(pixels, found.data());
      mix_levels(found.data(), columns.weight.data(), columns.rest.data(), rows.weight, format.width,
                 channels > 1 ? mixed.data() : target);
      for (Index x = 0; x < format.width && channels > 1; ++x) {
        target[x * channels] = mixed[at(x)];
        for (Index c = 1; c < channels; ++c) target[x * channels + c] = pixels[x * channels + c];
      }
    });
  });
}

}  // namespace

void register_clahe() {
  kernels::for_integer_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::clahe_map<T>.set(DeviceKind::cpu, clahe_map<T>);
    kernels::clahe_tables<T>.set(DeviceKind::cpu, clahe_tables<T>);
  });
}

}  // namespace whorl::backend::cpu
