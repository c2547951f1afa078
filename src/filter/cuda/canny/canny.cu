// Edges on an NVIDIA GPU. Which kernel finds the thin lines:
//
//   gray, and RGB of bytes; the usual radius or none;   canny_rows    marches down rows, all in registers: the fastest
//   no point operations before it
//   all others                                          thin_kernel   here: tiles in shared memory, for any radius,
//                                                                     border and channels, and with point operations
//
// Then the lines are connected (components.cu: in tiles, then between them) and painted.
#include <algorithm>
#include <type_traits>

#include "backend/cuda/runtime.hpp"
#include "filter/cuda/canny/canny_paint.cuh"
#include "filter/cuda/canny/canny_pairs.cuh"
#include "filter/cuda/canny/canny_rows.hpp"
#include "filter/cuda/canny/canny_steps.hpp"
#include "filter/cuda/canny/components.hpp"
#include "filter/cuda/points/point_words.cuh"
#include "filter/kernels/canny/canny.hpp"

namespace whorl::backend::cuda {

namespace {

using namespace canny_steps;

// Tiles in shared memory, for what canny_rows.hpp does not take.
constexpr int threads = 256;
constexpr int warp = 32;
constexpr int usual_radius = 2;
constexpr int any_radius = -1;
constexpr int tile_columns = 64;
// Pixels around a tile whose smoothed levels it takes: one for the gradient, one for the neighbors' gradients.
constexpr int halo = 2;
constexpr int columns = tile_columns + 2 * halo;

struct Slices {
  Index height, width;
  int tiles_x, tiles_y;
};

// Where levels come from. Pixels that lie in memory as they are taken:
template <class T>
struct PlainLights {
  static constexpr bool is_plain = true;
  const T* pixels;
  int channels;

  __device__ LevelOf<T> operator()(Index pixel) const { return light_of(pixels + pixel * channels, channels); }
};

// Those that become so by a point operation:
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

// Columns to the left of a tile whose light it takes; a multiple of a group.
constexpr int lead_of(int radius) { return (halo + radius + group - 1) / group * group; }
constexpr int light_columns_of(int radius) { return tile_columns + 2 * lead_of(radius); }
template <class Level, int fixed_radius>
constexpr int rows_of_tile() {
  return fixed_radius == any_radius ? 16 : std::is_same_v<Level, float> ? 32 : 64;
}

// Calls f(row, column) for all of a block's tile.
template <class Function>
__device__ void for_tile(unsigned rows, unsigned columns, const Function& f) {
  for (unsigned i = threadIdx.x; i < rows * columns; i += threads) {
    f(static_cast<int>(i / columns), static_cast<int>(i % columns));
  }
}

template <class T, int fixed_radius, class Lights>
__global__ void __launch_bounds__(threads)
    thin_kernel(Slices slices, CannyPlan plan, const __grid_constant__ Lights from, std::uint32_t* mask,
                std::uint32_t* seeds) {
  using Level = LevelOf<T>;
  using Length = LengthOf<Level>;
  constexpr int rows = rows_of_tile<Level, fixed_radius>();
  constexpr bool in_pairs = std::is_same_v<Level, std::int16_t>;
  const int radius = fixed_radius == any_radius ? plan.radius : fixed_radius;
  const int lead = lead_of(radius);
  const int light_columns = light_columns_of(radius);
  const int smooth_rows = rows + 2 * (halo + radius);
  extern __shared__ int4 shared[];
  Level* lights = reinterpret_cast<Level*>(shared);
  Level* across = lights + smooth_rows * light_columns;
  // In the place of those, which are done with by then.
  Length* lengths = reinterpret_cast<Length*>(shared);
  alignas(16) __shared__ Level levels[(rows + 2 * halo) * columns];
  alignas(16) __shared__ std::uint8_t directions[in_pairs ? 1 : (rows + 2) * columns];

  const Index slice = blockIdx.x / (slices.tiles_x * slices.tiles_y);
  const int tile = static_cast<int>(blockIdx.x % (slices.tiles_x * slices.tiles_y));
  const Index x0 = Index{tile % slices.tiles_x} * tile_columns;
  const Index y0 = Index{tile / slices.tiles_x} * rows;
  const bool is_inner = x0 >= lead && x0 + tile_columns + lead <= slices.width && y0 >= halo + radius &&
                        y0 + rows + halo + radius <= slices.height;
  const auto border_level = static_cast<Level>(plan.border_value);

  const Index first_pixel = slice * slices.height * slices.width;
  const bool is_aligned = Lights::is_plain && is_inner && slices.width % group == 0;
  const Index first_inside = first_pixel + (y0 - halo - radius) * slices.width + x0 - lead;
  for_tile(smooth_rows, light_columns / group, [&](int row, int g) {
    Group<Level> found;
    if (is_aligned) {
      if constexpr (Lights::is_plain) {
        found = lights_of(from.pixels + (first_inside + row * slices.width + g * group) * from.channels, from.channels);
      }
    } else {
      const Index near_y = near_index(plan.border, y0 + row - halo - radius, slices.height);
      for (int i = 0; i < group; ++i) {
        const Index near_x = near_index(plan.border, x0 + g * group + i - lead, slices.width);
        found.values[i] = near_y < 0 || near_x < 0 ? border_level : from(first_pixel + near_y * slices.width + near_x);
      }
    }
    store(lights + row * light_columns + g * group, found);
  });
  __syncthreads();

  if (fixed_radius == 0) {
    struct alignas(halo * sizeof(Level)) Two {
      Level values[halo];
    };
    for_tile(rows + 2 * halo, columns / halo, [&](int row, int i) {
      *reinterpret_cast<Two*>(levels + row * columns + i * halo) =
          *reinterpret_cast<const Two*>(lights + row * light_columns + i * halo + lead - halo);
    });
  } else {
    for_tile(smooth_rows, columns / group, [&](int row, int g) {
      const Level* middle = lights + row * light_columns + g * group + lead - halo;
      Group<Level> found;
      if constexpr (in_pairs && fixed_radius == usual_radius) {
        found = as_group(smoothed_across(PairWeights(plan, kernels::level_bits), pairs_of(middle - usual_radius),
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
              static_cast<Level>(smoothed(window + usual_radius + i, 1, radius, plan, kernels::level_bits));
        }
      } else {
        for (int i = 0; i < group; ++i) {
          found.values[i] = static_cast<Level>(smoothed(middle + i, 1, radius, plan, kernels::level_bits));
        }
      }
      store(across + row * columns + g * group, found);
    });
    __syncthreads();
    // Beyond the image gradients see what the border makes of the smoothed image, one pixel far.
    const auto inside = [&](Index at, Index count) {
      return plan.border == Border::wrap || at < -1 || at > count ? at : near_index(plan.border, at, count);
    };
    const auto level_at = [&](int row, int column) {
      const Index y = inside(y0 + row - halo, slices.height);
      const Index x = inside(x0 + column - halo, slices.width);
      if (plan.border == Border::constant && (y == -1 || x == -1)) return border_level;
      const auto from_row = static_cast<int>(y - y0) + halo + radius;
      const auto from_column = static_cast<int>(x - x0) + halo;
      return to_level(smoothed(across + from_row * columns + from_column, columns, radius, plan, 0));
    };
    for_tile(rows + 2 * halo, columns / group, [&](int row, int g) {
      Group<Level> found;
      if (is_inner && fixed_radius == usual_radius) {
        const Level* const above = across + row * columns + g * group;
        if constexpr (in_pairs) {
          const PairWeights weights(plan, 0);
          std::uint32_t first[5];
          std::uint32_t second[5];
#pragma unroll
          for (int k = 0; k < 5; ++k) {
            const uint2 part = pairs_of(above + k * columns);
            first[k] = part.x;
            second[k] = part.y;
          }
          found = as_group({smoothed_down(weights, first), smoothed_down(weights, second)});
        } else {
          Level window[group][2 * usual_radius + 1];
#pragma unroll
          for (int k = 0; k <= 2 * usual_radius; ++k) {
            const Group<Level> part = load(above + k * columns);
#pragma unroll
            for (int i = 0; i < group; ++i) window[i][k] = part.values[i];
          }
#pragma unroll
          for (int i = 0; i < group; ++i) {
            found.values[i] = to_level(smoothed(window[i] + usual_radius, 1, radius, plan, 0));
          }
        }
      } else {
        for (int i = 0; i < group; ++i) found.values[i] = level_at(row, g * group + i);
      }
      store(levels + row * columns + g * group, found);
    });
  }
  __syncthreads();

  const auto is_there = [&](int row, int column) {
    const Index y = y0 + row - 1;
    const Index x = x0 + column - halo;
    return is_inner || (y >= 0 && y < slices.height && x >= 0 && x < slices.width);
  };
  if constexpr (in_pairs) {
    for_tile(rows + 2, columns / group, [&](int row, int g) {
      // Beyond the tile, where none is needed, any pair.
      std::uint32_t near[3][4];
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        const Level* at = levels + (row + i) * columns + g * group;
        const uint2 part = pairs_of(at);
        near[i][0] = g == 0 ? part.x : *reinterpret_cast<const std::uint32_t*>(at - 2);
        near[i][1] = part.x;
        near[i][2] = part.y;
        near[i][3] = g + 1 == columns / group ? part.x : *reinterpret_cast<const std::uint32_t*>(at + group);
      }
      int4 found = gradients_of(near, plan.squared);
      if (!is_inner) {
        found = {is_there(row, g * group) ? found.x : 0, is_there(row, g * group + 1) ? found.y : 0,
                 is_there(row, g * group + 2) ? found.z : 0, is_there(row, g * group + 3) ? found.w : 0};
      }
      *reinterpret_cast<int4*>(lengths + row * columns + g * group) = found;
    });
  } else {
    for_tile(rows + 2, columns / group, [&](int row, int g) {
      // The columns of the group and one on each side; beyond the tile, where none is needed, any.
      Length near[3][group + 2];
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        const Level* at = levels + (row + i) * columns + g * group;
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
        found.values[i] = is_there(row, g * group + i) ? length_of(along_x, along_y, plan.squared) : Length{0};
        toward.values[i] = direction_of(along_x, along_y);
      }
      store(lengths + row * columns + g * group, found);
      store(directions + row * columns + g * group, toward);
    });
  }
  __syncthreads();

  // A warp takes some rows, a word at a time; each of its first lanes keeps one of the words and writes it.
  constexpr int words = tile_columns / warp;
  constexpr int warp_words = rows * words / (threads / warp);
  const int lane = static_cast<int>(threadIdx.x) % warp;
  const int first_word = static_cast<int>(threadIdx.x) / warp * warp_words;
  static_assert(warp_words % words == 0);
  const Length* const begin = lengths + (first_word / words + 1) * columns + halo + lane;
  const Length low = threshold_of(plan.low, Length{});
  const Length high = threshold_of(plan.high, Length{});
  std::uint32_t lines = 0;
  std::uint32_t strong = 0;
  for (int i = 0; i < warp_words; ++i) {
    const Length* const place = begin + i / words * columns + i % words * warp;
    const Length here = *place;
    bool stays = here > low;
    if (stays) {
      int direction = 0;
      Length least = here;
      if constexpr (in_pairs) {
        direction = here & direction_mask;
        least = here - direction;
      } else {
        direction = directions[place - lengths];
      }
      // A byte for each direction.
      constexpr unsigned steps = 1U | columns << 8 | (columns + 1U) << 16 | (columns - 1U) << 24;
      static_assert(is_x == 0 && is_y == 1 && falls == 2 && rises == 3);
      const auto step = static_cast<int>(__byte_perm(steps, 0, 0x4440U | static_cast<unsigned>(direction)));
      const Length after = place[step];
      const bool is_same = in_pairs ? after >= least && after <= least + direction_mask : after == here;
      const bool is_tie = plan.first_of_ties && direction <= is_y && is_same;
      stays = least > place[-step] && (least > after || is_tie);
    }
    const unsigned stay = __ballot_sync(~0U, stays);
    const unsigned seed = __ballot_sync(~0U, stays && here > high);
    if (lane == i) {
      lines = stay;
      strong = seed;
    }
  }
  const Index words_per_row = (slices.width + warp - 1) / warp;
  const Index y = y0 + (first_word + lane) / words;
  const Index word = x0 / warp + (first_word + lane) % words;
  if (lane < warp_words && y < slices.height && word < words_per_row) {
    const Index to = (slice * slices.height + y) * words_per_row + word;
    mask[to] = lines;
    seeds[to] = strong;
  }
}

template <class T, int fixed_radius, class Lights>
void thin_edges(const Context& ctx, const ImageFormat& format, const CannyPlan& plan, const Lights& from,
                std::uint32_t* mask, std::uint32_t* seeds) {
  constexpr int rows = rows_of_tile<LevelOf<T>, fixed_radius>();
  const auto tiles_x = static_cast<int>((format.width + tile_columns - 1) / tile_columns);
  const auto tiles_y = static_cast<int>((format.height + rows - 1) / rows);
  const Index blocks = format.slices() * tiles_x * tiles_y;
  const int smooth_columns = fixed_radius == 0 ? 0 : columns;
  const std::size_t numbers = (rows + 2 * (halo + plan.radius)) * (light_columns_of(plan.radius) + smooth_columns);
  constexpr std::size_t length_bytes = (rows + 2) * columns * sizeof(LengthOf<LevelOf<T>>);
  const std::size_t bytes = std::max(numbers * sizeof(LevelOf<T>), length_bytes);
  thin_kernel<T, fixed_radius><<<static_cast<unsigned>(blocks), threads, bytes, stream_of(ctx)>>>(
      {format.height, format.width, tiles_x, tiles_y}, plan, from, mask, seeds);
  check_launch("canny");
}

template <class T, class Lights>
void thin_edges(const Context& ctx, const ImageFormat& format, const CannyPlan& plan, const Lights& from,
                std::uint32_t* mask, std::uint32_t* seeds) {
  if (plan.radius == 0) {
    thin_edges<T, 0>(ctx, format, plan, from, mask, seeds);
  } else if (plan.radius == usual_radius) {
    thin_edges<T, usual_radius>(ctx, format, plan, from, mask, seeds);
  } else {
    thin_edges<T, any_radius>(ctx, format, plan, from, mask, seeds);
  }
}

template <class T>
void canny(const Context& ctx, const ImageFormat& format, const CannyPlan& plan, const kernels::PointCode* load,
           const void* from, T* to) {
  const kernels::BitMasks masks{format.slices(), format.height, format.width};
  Array<std::uint32_t> mask(ctx, {masks.words()});
  Array<std::uint32_t> edges(ctx, {masks.words()});
  if (load != nullptr) {
    thin_edges<T>(ctx, format, plan, LoadedLights<T>{from, *load}, mask.data(), edges.data());
  } else if (thins_by_rows(format, plan.radius, plan.border)) {
    thin_by_rows(ctx, format, plan, static_cast<const T*>(from), mask.data(), edges.data());
  } else {
    const PlainLights<T> lights{static_cast<const T*>(from), count_of(format.channels)};
    thin_edges<T>(ctx, format, plan, lights, mask.data(), edges.data());
  }
  OpenRuns open = grow_in_tiles(ctx, masks, mask.data(), edges.data());
  constexpr int vector = sizeof(int4) / sizeof(T);
  if (format.width % vector == 0) {
    paint<T, vector>(ctx, masks, edges.data(), open, to);
  } else {
    paint<T, 1>(ctx, masks, edges.data(), open, to);
  }
}

}  // namespace

void register_canny() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::canny<T>.set(DeviceKind::cuda, canny<T>);
  });
}

}  // namespace whorl::backend::cuda
