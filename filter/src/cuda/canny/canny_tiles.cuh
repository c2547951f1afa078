// Thin lines of any image in tiles in shared memory, for images that canny_rows.hpp does not take: any radius, border
// and channels, and point operations in the load. A block takes a tile through five steps, which are members of Tile.
#pragma once

#include <type_traits>

#include "filter/src/cuda/canny/canny_pairs.cuh"
#include "filter/src/cuda/canny/canny_steps.hpp"
#include "filter/src/cuda/points/point_words.cuh"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda::canny_tiles {

using namespace canny_steps;

inline constexpr int threads = 256;
inline constexpr int warp = 32;
inline constexpr int usual_radius = 2;
inline constexpr int any_radius = -1;
inline constexpr int tile_columns = 64;
/// The width of the margin with smoothed levels around a tile: one pixel for gradients, one for the neighbors'
/// gradients.
inline constexpr int halo = 2;
inline constexpr int columns = tile_columns + 2 * halo;

struct Slices {
  Index height, width;
  int tiles_x, tiles_y;
};

/// Levels of pixels without a point operation.
template <class T>
struct PlainLights {
  static constexpr bool is_plain = true;
  const T* pixels;
  int channels;

  __device__ LevelOf<T> operator()(Index pixel) const { return light_of(pixels + pixel * channels, channels); }
};

/// Levels of pixels after a point operation.
template <class T>
struct LoadedLights {
  static constexpr bool is_plain = false;
  const void* pixels;
  kernels::PointCode load;

  __device__ LevelOf<T> operator()(Index pixel) const {
    const Pixel loaded = load_through_any(load, pixels, pixel);
    T numbers[most_channels];
#pragma unroll
    for (int c = 0; c < most_channels; ++c) numbers[c] = static_cast<T>(c < load.channels_to ? loaded.v[c] : 0);
    return light_of(numbers, load.channels_to);
  }
};

/// The number of columns to the left of a tile whose light it needs; a multiple of a group.
constexpr int lead_of(int radius) { return round_up(halo + radius, group); }
constexpr int light_columns_of(int radius) { return tile_columns + 2 * lead_of(radius); }
template <class Level, int fixed_radius>
constexpr int rows_of_tile() {
  return fixed_radius == any_radius ? 16 : std::is_same_v<Level, float> ? 32 : 64;
}

/// Calls f(row, column) for all of a block's tile.
template <class Function>
__device__ void for_tile(unsigned rows, unsigned columns, const Function& f) {
  for (unsigned i = threadIdx.x; i < rows * columns; i += threads) {
    f(static_cast<int>(i / columns), static_cast<int>(i % columns));
  }
}

/// A tile's arrays in shared memory.
template <class T, int fixed_radius>
struct TileMemory {
  using Level = LevelOf<T>;
  static constexpr int rows = rows_of_tile<Level, fixed_radius>();
  static constexpr bool in_pairs = std::is_same_v<Level, std::int16_t>;

  alignas(16) Level levels[(rows + 2 * halo) * columns];  ///< smoothed
  /// Pairs hold the direction of a gradient together with its length.
  alignas(16) std::uint8_t directions[in_pairs ? 1 : (rows + 2) * columns];
};

template <class T, int fixed_radius>
class Tile {
 public:
  using Level = LevelOf<T>;
  using Length = LengthOf<Level>;
  using Memory = TileMemory<T, fixed_radius>;
  static constexpr int rows = Memory::rows;
  static constexpr bool in_pairs = Memory::in_pairs;

  /// `shared` has the lights and their smoothed rows, and later, when these are no longer needed, the lengths of
  /// gradients in the same place.
  __device__ Tile(const Slices& slices, const CannyPlan& plan, int4* shared, Memory& memory)
      : slices_(slices),
        plan_(plan),
        memory_(memory),
        radius_(fixed_radius == any_radius ? plan.radius : fixed_radius),
        lead_(lead_of(radius_)),
        light_columns_(light_columns_of(radius_)),
        smooth_rows_(rows + 2 * (halo + radius_)),
        lights_(reinterpret_cast<Level*>(shared)),
        across_(lights_ + smooth_rows_ * light_columns_),
        lengths_(reinterpret_cast<Length*>(shared)),
        slice_(blockIdx.x / (slices.tiles_x * slices.tiles_y)),
        border_level_(static_cast<Level>(plan.border_value)) {
    const int tile = static_cast<int>(blockIdx.x % (slices.tiles_x * slices.tiles_y));
    x0_ = Index{tile % slices.tiles_x} * tile_columns;
    y0_ = Index{tile / slices.tiles_x} * rows;
    is_inner_ = x0_ >= lead_ && x0_ + tile_columns + lead_ <= slices.width && y0_ >= halo + radius_ &&
                y0_ + rows + halo + radius_ <= slices.height;
  }

  template <class Lights>
  __device__ __forceinline__ void take_lights(const Lights& from) {
    const Index first_pixel = slice_ * slices_.height * slices_.width;
    const bool is_aligned = Lights::is_plain && is_inner_ && slices_.width % group == 0;
    const Index first_inside = first_pixel + (y0_ - halo - radius_) * slices_.width + x0_ - lead_;
    for_tile(smooth_rows_, light_columns_ / group, [&](int row, int g) {
      Group<Level> found;
      if (is_aligned) {
        if constexpr (Lights::is_plain) {
          found =
              lights_of(from.pixels + (first_inside + row * slices_.width + g * group) * from.channels, from.channels);
        }
      } else {
        const Index near_y = near_index(plan_.border, y0_ + row - halo - radius_, slices_.height);
        for (int i = 0; i < group; ++i) {
          const Index near_x = near_index(plan_.border, x0_ + g * group + i - lead_, slices_.width);
          found.values[i] =
              near_y < 0 || near_x < 0 ? border_level_ : from(first_pixel + near_y * slices_.width + near_x);
        }
      }
      store(lights_ + row * light_columns_ + g * group, found);
    });
  }

  /// Without a Gaussian.
  __device__ __forceinline__ void copy_levels() {
    struct alignas(halo * sizeof(Level)) Two {
      Level values[halo];
    };
    for_tile(rows + 2 * halo, columns / halo, [&](int row, int i) {
      *reinterpret_cast<Two*>(memory_.levels + row * columns + i * halo) =
          *reinterpret_cast<const Two*>(lights_ + row * light_columns_ + i * halo + lead_ - halo);
    });
  }

  /// Smooths along x all rows that the Gaussian along y takes.
  __device__ __forceinline__ void smooth_across() {
    for_tile(smooth_rows_, columns / group, [&](int row, int g) {
      const Level* middle = lights_ + row * light_columns_ + g * group + lead_ - halo;
      Group<Level> found;
      if constexpr (in_pairs && fixed_radius == usual_radius) {
        found = as_group(smoothed_across(PairWeights(plan_, kernels::level_bits), pairs_of(middle - usual_radius),
                                         pairs_of(middle - usual_radius + group)));
      } else if constexpr (fixed_radius == usual_radius) {
        Level window[2 * group];
#pragma unroll
        for (int i = 0; i < group; ++i) {
          window[i] = load(middle - usual_radius).values[i];
          window[group + i] = load(middle - usual_radius + group).values[i];
        }
#pragma unroll
        for (int i = 0; i < group; ++i) {
          found.values[i] =
              static_cast<Level>(smoothed(window + usual_radius + i, 1, radius_, plan_, kernels::level_bits));
        }
      } else {
        for (int i = 0; i < group; ++i) {
          found.values[i] = static_cast<Level>(smoothed(middle + i, 1, radius_, plan_, kernels::level_bits));
        }
      }
      store(across_ + row * columns + g * group, found);
    });
  }

  /// The Gaussian along y. One pixel beyond the image, gradients use the smoothed image continued by the border's rule.
  __device__ __forceinline__ void smooth_down() {
    for_tile(rows + 2 * halo, columns / group, [&](int row, int g) {
      Group<Level> found;
      if (is_inner_ && fixed_radius == usual_radius) {
        found = smoothed_inside(across_ + row * columns + g * group);
      } else {
        for (int i = 0; i < group; ++i) found.values[i] = level_at(row, g * group + i);
      }
      store(memory_.levels + row * columns + g * group, found);
    });
  }

  __device__ __forceinline__ void find_gradients() {
    for_tile(rows + 2, columns / group, [&](int row, int g) {
      if constexpr (in_pairs) {
        find_pairs(row, g);
      } else {
        find_numbers(row, g);
      }
    });
  }

  /// A warp takes some rows, a word at a time; each of its first lanes keeps one of the words and writes it.
  __device__ __forceinline__ void thin(std::uint32_t* mask, std::uint32_t* seeds) const {
    constexpr int words = tile_columns / warp;
    constexpr int warp_words = rows * words / (threads / warp);
    static_assert(warp_words % words == 0);
    const int lane = static_cast<int>(threadIdx.x) % warp;
    const int first_word = static_cast<int>(threadIdx.x) / warp * warp_words;
    const Length* const begin = lengths_ + (first_word / words + 1) * columns + halo + lane;
    const Length low = threshold_of(plan_.low, Length{});
    const Length high = threshold_of(plan_.high, Length{});
    std::uint32_t lines = 0;
    std::uint32_t strong = 0;
    for (int i = 0; i < warp_words; ++i) {
      const Length* const place = begin + i / words * columns + i % words * warp;
      const Length here = *place;
      const bool stays = here > low && is_largest(place, here);
      const unsigned stay = __ballot_sync(~0U, stays);
      const unsigned seed = __ballot_sync(~0U, stays && here > high);
      if (lane == i) {
        lines = stay;
        strong = seed;
      }
    }
    const Index words_per_row = divide_up(slices_.width, warp);
    const Index y = y0_ + (first_word + lane) / words;
    const Index word = x0_ / warp + (first_word + lane) % words;
    if (lane < warp_words && y < slices_.height && word < words_per_row) {
      const Index to = (slice_ * slices_.height + y) * words_per_row + word;
      mask[to] = lines;
      seeds[to] = strong;
    }
  }

 private:
  // Levels of a group whose rows are all inside the image, for the usual radius.
  __device__ __forceinline__ Group<Level> smoothed_inside(const Level* above) const {
    if constexpr (in_pairs) {
      const PairWeights weights(plan_, 0);
      std::uint32_t first[5];
      std::uint32_t second[5];
#pragma unroll
      for (int k = 0; k < 5; ++k) {
        const uint2 part = pairs_of(above + k * columns);
        first[k] = part.x;
        second[k] = part.y;
      }
      return as_group({smoothed_down(weights, first), smoothed_down(weights, second)});
    } else {
      Level window[group][2 * usual_radius + 1];
#pragma unroll
      for (int k = 0; k <= 2 * usual_radius; ++k) {
        const Group<Level> part = load(above + k * columns);
#pragma unroll
        for (int i = 0; i < group; ++i) window[i][k] = part.values[i];
      }
      Group<Level> found;
#pragma unroll
      for (int i = 0; i < group; ++i) {
        found.values[i] = to_level(smoothed(window[i] + usual_radius, 1, radius_, plan_, 0));
      }
      return found;
    }
  }

  __device__ __forceinline__ Level level_at(int row, int column) const {
    const auto inside = [&](Index at, Index count) {
      return plan_.border == Border::wrap || at < -1 || at > count ? at : near_index(plan_.border, at, count);
    };
    const Index y = inside(y0_ + row - halo, slices_.height);
    const Index x = inside(x0_ + column - halo, slices_.width);
    if (plan_.border == Border::constant && (y == -1 || x == -1)) return border_level_;
    const auto from_row = static_cast<int>(y - y0_) + halo + radius_;
    const auto from_column = static_cast<int>(x - x0_) + halo;
    return to_level(smoothed(across_ + from_row * columns + from_column, columns, radius_, plan_, 0));
  }

  // Gradients beyond the image are 0.
  __device__ __forceinline__ bool is_there(int row, int column) const {
    const Index y = y0_ + row - 1;
    const Index x = x0_ + column - halo;
    return is_inner_ || (y >= 0 && y < slices_.height && x >= 0 && x < slices_.width);
  }

  // The gradients of a group, from its pairs of columns and one pair on each side; beyond the tile any values will do.
  __device__ __forceinline__ void find_pairs(int row, int g) {
    std::uint32_t near[3][4];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      const Level* at = memory_.levels + (row + i) * columns + g * group;
      const uint2 part = pairs_of(at);
      near[i][0] = g == 0 ? part.x : *reinterpret_cast<const std::uint32_t*>(at - 2);
      near[i][1] = part.x;
      near[i][2] = part.y;
      near[i][3] = g + 1 == columns / group ? part.x : *reinterpret_cast<const std::uint32_t*>(at + group);
    }
    int4 found = gradients_of(near, plan_.squared);
    if (!is_inner_) {
      found = {is_there(row, g * group) ? found.x : 0, is_there(row, g * group + 1) ? found.y : 0,
               is_there(row, g * group + 2) ? found.z : 0, is_there(row, g * group + 3) ? found.w : 0};
    }
    *reinterpret_cast<int4*>(lengths_ + row * columns + g * group) = found;
  }

  // The gradients of a group, from its columns and one column on each side; beyond the tile any values will do.
  __device__ __forceinline__ void find_numbers(int row, int g) {
    Length near[3][group + 2];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      const Level* at = memory_.levels + (row + i) * columns + g * group;
      const Group<Level> part = load(at);
#pragma unroll
      for (int j = 0; j < group; ++j) near[i][j + 1] = part.values[j];
      near[i][0] = g == 0 ? part.values[0] : at[-1];
      near[i][group + 1] = g + 1 == columns / group ? part.values[0] : at[group];
    }
    Group<Length> found;
    Group<std::uint8_t> toward;
#pragma unroll
    for (int i = 0; i < group; ++i) {
      const Length middle_x = subtract(near[1][i + 2], near[1][i]);
      const Length sides_x = add(subtract(near[0][i + 2], near[0][i]), subtract(near[2][i + 2], near[2][i]));
      const Length middle_y = subtract(near[2][i + 1], near[0][i + 1]);
      const Length sides_y = add(subtract(near[2][i], near[0][i]), subtract(near[2][i + 2], near[0][i + 2]));
      const Length along_x = add(sides_x, add(middle_x, middle_x));
      const Length along_y = add(sides_y, add(middle_y, middle_y));
      found.values[i] = is_there(row, g * group + i) ? length_of(along_x, along_y, plan_.squared) : Length{0};
      toward.values[i] = direction_of(along_x, along_y);
    }
    store(lengths_ + row * columns + g * group, found);
    store(memory_.directions + row * columns + g * group, toward);
  }

  // Whether a gradient is longer than those on both sides, in its direction.
  __device__ __forceinline__ bool is_largest(const Length* place, Length here) const {
    int direction = 0;
    Length least = here;
    if constexpr (in_pairs) {
      direction = here & direction_mask;
      least = here - direction;
    } else {
      direction = memory_.directions[place - lengths_];
    }
    // A byte for each direction.
    constexpr unsigned steps = 1U | columns << 8 | (columns + 1U) << 16 | (columns - 1U) << 24;
    static_assert(is_x == 0 && is_y == 1 && falls == 2 && rises == 3);
    const auto step = static_cast<int>(__byte_perm(steps, 0, 0x4440U | static_cast<unsigned>(direction)));
    const Length after = place[step];
    const bool is_same = in_pairs ? after >= least && after <= least + direction_mask : after == here;
    const bool is_tie = plan_.first_of_ties && direction <= is_y && is_same;
    return least > place[-step] && (least > after || is_tie);
  }

  const Slices& slices_;
  const CannyPlan& plan_;
  Memory& memory_;
  int radius_, lead_, light_columns_, smooth_rows_;
  Level* lights_;
  Level* across_;
  Length* lengths_;
  Index slice_, x0_, y0_;
  bool is_inner_;
  Level border_level_;
};

template <class T, int fixed_radius, class Lights>
__global__ void __launch_bounds__(threads)
    thin_kernel(Slices slices, CannyPlan plan, const __grid_constant__ Lights from, std::uint32_t* mask,
                std::uint32_t* seeds) {
  extern __shared__ int4 shared[];
  __shared__ TileMemory<T, fixed_radius> memory;
  Tile<T, fixed_radius> tile(slices, plan, shared, memory);
  tile.take_lights(from);
  __syncthreads();
  if constexpr (fixed_radius == 0) {
    tile.copy_levels();
  } else {
    tile.smooth_across();
    __syncthreads();
    tile.smooth_down();
  }
  __syncthreads();
  tile.find_gradients();
  __syncthreads();
  tile.thin(mask, seeds);
}

}  // namespace whorl::backend::cuda::canny_tiles
