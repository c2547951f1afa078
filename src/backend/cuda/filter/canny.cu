#include <type_traits>

#include "backend/cuda/filter/canny.hpp"
#include "backend/cuda/filter/components.hpp"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::CannyPlan;

constexpr int threads = 256;
constexpr int warp = 32;
constexpr int any_radius = -1;
constexpr int tile_columns = 64;
// Pixels around a tile whose smoothed levels it takes: one for the gradient, one for the neighbors' gradients.
constexpr int halo = 2;

// Gray levels: integers of uint8 images, floats that are exact of uint16.
template <class T>
using LevelOf = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int16_t, float>;

struct Slices {
  Index height, width;
  int channels;
  int tiles_x, tiles_y;
};

__device__ std::int16_t light_of(const std::uint8_t* pixel, int channels) {
  if (channels < 3) return pixel[0];
  const std::uint32_t sum =
      kernels::luma_red * pixel[0] + kernels::luma_green * pixel[1] + kernels::luma_blue * pixel[2];
  return static_cast<std::int16_t>(sum >> kernels::luma_bits);
}
__device__ float light_of(const std::uint16_t* pixel, int channels) {
  if (channels < 3) return pixel[0];
  return static_cast<float>((2125U * pixel[0] + 7154U * pixel[1] + 721U * pixel[2]) / 10000U);
}
// Here and below no product is fused with a sum: edges are the same on all devices.
__device__ float light_of(const float* pixel, int channels) {
  if (channels < 3) return pixel[0];
  const float red_green = __fadd_rn(__fmul_rn(0.2125F, pixel[0]), __fmul_rn(0.7154F, pixel[1]));
  return __fadd_rn(red_green, __fmul_rn(0.0721F, pixel[2]));
}

__device__ float weighted(float level, const CannyPlan& plan, int k) { return __fmul_rn(level, plan.weights[k]); }
__device__ int weighted(int level, const CannyPlan& plan, int k) {
  return (level * plan.fixed_weights[k] + (1 << (kernels::canny_weight_bits - 1))) >> kernels::canny_weight_bits;
}

__device__ float add(float a, float b) { return __fadd_rn(a, b); }
__device__ int add(int a, int b) { return a + b; }

// The Gaussian along one axis: levels[step * k] for k from -radius to radius.
template <class Level>
__device__ auto smoothed(const Level* levels, int step, int radius, const CannyPlan& plan, int shift) {
  using Sum = std::conditional_t<std::is_same_v<Level, float>, float, int>;
  const auto scaled = [shift](Sum level) {
    if constexpr (std::is_same_v<Sum, float>) {
      return level;
    } else {
      return level << shift;
    }
  };
  Sum sum = weighted(scaled(levels[0]), plan, 0);
#pragma unroll
  for (int k = 1; k <= radius; ++k) {
    sum = add(sum, weighted(scaled(add(Sum{levels[-k * step]}, Sum{levels[k * step]})), plan, k));
  }
  return sum;
}

struct Gradient {
  float x, y;
};

// By Sobel's windows, y downwards.
template <class Level>
__device__ Gradient gradient_at(const Level* level, int row) {
  const auto difference = [level](int a, int b) {
    if constexpr (std::is_same_v<Level, float>) {
      return __fsub_rn(level[a], level[b]);
    } else {
      return level[a] - level[b];
    }
  };
  const auto middle_x = difference(1, -1);
  const auto sides_x = add(difference(1 - row, -1 - row), difference(1 + row, -1 + row));
  const auto middle_y = difference(row, -row);
  const auto sides_y = add(difference(row - 1, -row - 1), difference(row + 1, -row + 1));
  return {static_cast<float>(add(sides_x, add(middle_x, middle_x))),
          static_cast<float>(add(sides_y, add(middle_y, middle_y)))};
}

__device__ float length_of(Gradient g, bool squared) {
  return squared ? __fadd_rn(__fmul_rn(g.x, g.x), __fmul_rn(g.y, g.y)) : __fadd_rn(fabsf(g.x), fabsf(g.y));
}

// Whether a gradient is longer than those on both sides, in the direction that it is closest to.
__device__ bool is_largest(Gradient g, const float* length, int row, bool first_of_ties) {
  const float width = fabsf(g.x);
  const float height = fabsf(g.y);
  const float flat = __fmul_rn(width, kernels::tangent_of_sector);
  const bool is_x = height < flat;
  const bool is_y = height > __fadd_rn(flat, __fadd_rn(width, width));
  const int diagonal = (g.x < 0) != (g.y < 0) ? row - 1 : row + 1;
  const int step = is_x ? 1 : is_y ? row : diagonal;
  const float here = length[0];
  const float after = length[step];
  return here > length[-step] && (here > after || (first_of_ties && (is_x || is_y) && here == after));
}

template <int fixed_radius>
constexpr int rows_of_tile() {
  return fixed_radius == any_radius ? 16 : 32;
}

constexpr int tile_numbers(int rows, int radius, bool lights) {
  const int more = lights ? 2 * radius : 0;
  return (rows + 2 * (halo + radius)) * (tile_columns + 2 * halo + more);
}

// Calls f(row, column) for all of a block's tile.
template <class Function>
__device__ void for_tile(unsigned rows, unsigned columns, const Function& f) {
  for (unsigned i = threadIdx.x; i < rows * columns; i += threads) {
    f(static_cast<int>(i / columns), static_cast<int>(i % columns));
  }
}

template <class T, int fixed_radius>
__global__ void __launch_bounds__(threads)
    thin_kernel(Slices slices, CannyPlan plan, const T* __restrict__ from, std::uint32_t* mask, std::uint32_t* seeds) {
  using Level = LevelOf<T>;
  constexpr int rows = rows_of_tile<fixed_radius>();
  const int radius = fixed_radius == any_radius ? plan.radius : fixed_radius;
  const int light_columns = tile_columns + 2 * (halo + radius);
  constexpr int columns = tile_columns + 2 * halo;
  constexpr int length_columns = tile_columns + 2;
  extern __shared__ char shared[];
  Level* lights = reinterpret_cast<Level*>(shared);
  Level* across = lights + tile_numbers(rows, radius, true);
  __shared__ Level levels_or_none[fixed_radius == 0 ? 1 : (rows + 2 * halo) * columns];
  __shared__ float lengths[(rows + 2) * length_columns];
  Level* levels = fixed_radius == 0 ? lights : levels_or_none;

  const Index slice = blockIdx.x / (slices.tiles_x * slices.tiles_y);
  const int tile = static_cast<int>(blockIdx.x % (slices.tiles_x * slices.tiles_y));
  const Index x0 = Index{tile % slices.tiles_x} * tile_columns;
  const Index y0 = Index{tile / slices.tiles_x} * rows;
  const auto border_level = static_cast<Level>(plan.border_value);

  const T* pixels = from + slice * slices.height * slices.width * slices.channels;
  for_tile(rows + 2 * (halo + radius), light_columns, [&](int row, int column) {
    const Index y = border_index(plan.border, y0 + row - halo - radius, slices.height);
    const Index x = border_index(plan.border, x0 + column - halo - radius, slices.width);
    lights[row * light_columns + column] =
        y < 0 || x < 0
            ? border_level
            : static_cast<Level>(light_of(pixels + (y * slices.width + x) * slices.channels, slices.channels));
  });
  __syncthreads();

  if (fixed_radius != 0) {
    for_tile(rows + 2 * (halo + radius), columns, [&](int row, int column) {
      across[row * columns + column] = static_cast<Level>(
          smoothed(lights + row * light_columns + column + radius, 1, radius, plan, kernels::level_bits));
    });
    __syncthreads();
    // Beyond the image gradients see what the border makes of the smoothed image, one pixel far.
    const auto inside = [&](Index at, Index count) {
      return plan.border == Border::wrap || at < -1 || at > count ? at : border_index(plan.border, at, count);
    };
    for_tile(rows + 2 * halo, columns, [&](int row, int column) {
      const Index y = inside(y0 + row - halo, slices.height);
      const Index x = inside(x0 + column - halo, slices.width);
      Level level = border_level;
      const bool is_constant = plan.border == Border::constant && (y == -1 || x == -1);
      if (!is_constant) {
        const auto from_row = static_cast<int>(y - y0) + halo + radius;
        const auto from_column = static_cast<int>(x - x0) + halo;
        const auto sum = smoothed(across + from_row * columns + from_column, columns, radius, plan, 0);
        if constexpr (std::is_same_v<Level, float>) {
          level = sum;
        } else {
          level = static_cast<Level>((sum + (1 << (kernels::level_bits - 1))) >> kernels::level_bits);
        }
      }
      levels[row * columns + column] = level;
    });
    __syncthreads();
  }

  for_tile(rows + 2, length_columns, [&](int row, int column) {
    const Index y = y0 + row - 1;
    const Index x = x0 + column - 1;
    const bool inside = y >= 0 && y < slices.height && x >= 0 && x < slices.width;
    lengths[row * length_columns + column] =
        inside ? length_of(gradient_at(levels + (row + 1) * columns + column + 1, columns), plan.squared) : 0.0F;
  });
  __syncthreads();

  constexpr int words = tile_columns / warp;
  const Index words_per_row = (slices.width + warp - 1) / warp;
  const int lane = static_cast<int>(threadIdx.x % warp);
  for (int at = static_cast<int>(threadIdx.x) / warp; at < rows * words; at += threads / warp) {
    const int row = at / words;
    const int column = at % words * warp + lane;
    const Index word = x0 / warp + at % words;
    if (y0 + row >= slices.height || word >= words_per_row) continue;
    const float* length = lengths + (row + 1) * length_columns + column + 1;
    bool stays = *length > plan.low;
    if (stays) {
      const Gradient g = gradient_at(levels + (row + halo) * columns + column + halo, columns);
      stays = is_largest(g, length, length_columns, plan.first_of_ties);
    }
    const unsigned lines = __ballot_sync(~0U, stays);
    const unsigned strong = __ballot_sync(~0U, stays && *length > plan.high);
    if (lane == 0) {
      const Index to = (slice * slices.height + y0 + row) * words_per_row + word;
      mask[to] = lines;
      seeds[to] = strong;
    }
  }
}

template <class T, int fixed_radius>
void thin_edges(const Context& ctx, const ImageFormat& format, const CannyPlan& plan, const T* from,
                std::uint32_t* mask, std::uint32_t* seeds) {
  constexpr int rows = rows_of_tile<fixed_radius>();
  const auto tiles_x = static_cast<int>((format.width + tile_columns - 1) / tile_columns);
  const auto tiles_y = static_cast<int>((format.height + rows - 1) / rows);
  const Index blocks = format.slices() * tiles_x * tiles_y;
  const int numbers =
      tile_numbers(rows, plan.radius, true) + (fixed_radius == 0 ? 0 : tile_numbers(rows, plan.radius, false));
  thin_kernel<T, fixed_radius>
      <<<static_cast<unsigned>(blocks), threads, numbers * sizeof(LevelOf<T>), stream_of(ctx)>>>(
          {format.height, format.width, count_of(format.channels), tiles_x, tiles_y}, plan, from, mask, seeds);
  check_launch("canny");
}

template <class T>
constexpr T full = static_cast<T>(std::is_floating_point_v<T> ? 1 : std::numeric_limits<T>::max());

// One number per thread, or four where rows begin at multiples of four.
template <class T, int count>
__global__ void paint_kernel(Index pixels, Index width, Index words_per_row, const std::uint32_t* __restrict__ edges,
                             T* __restrict__ to) {
  struct alignas(count * sizeof(T)) Group {
    T values[count];
  };
  const Index stride = Index{gridDim.x} * blockDim.x * count;
  for (Index at = (blockIdx.x * Index{blockDim.x} + threadIdx.x) * count; at < pixels; at += stride) {
    const Index row = at / width;
    const auto x = static_cast<unsigned>(at - row * width);
    const std::uint32_t bits = edges[row * words_per_row + x / warp] >> (x % warp);
    Group group;
#pragma unroll
    for (int i = 0; i < count; ++i) group.values[i] = ((bits >> i) & 1U) != 0 ? full<T> : T{};
    *reinterpret_cast<Group*>(to + at) = group;
  }
}

}  // namespace

template <class T>
void canny(const Context& ctx, const ImageFormat& format, const CannyPlan& plan, const T* from, T* to) {
  const kernels::BitMasks masks{format.slices(), format.height, format.width};
  Array<std::uint32_t> mask(ctx, {masks.words()});
  Array<std::uint32_t> edges(ctx, {masks.words()});
  constexpr int usual_radius = 2;
  if (plan.radius == 0) {
    thin_edges<T, 0>(ctx, format, plan, from, mask.data(), edges.data());
  } else if (plan.radius == usual_radius) {
    thin_edges<T, usual_radius>(ctx, format, plan, from, mask.data(), edges.data());
  } else {
    thin_edges<T, any_radius>(ctx, format, plan, from, mask.data(), edges.data());
  }
  grow_seeds(ctx, masks, mask.data(), edges.data());
  const Index pixels = format.slices() * format.height * format.width;
  constexpr int group = 4;
  if (format.width % group == 0) {
    paint_kernel<T, group><<<loop_blocks(ctx, pixels / group), loop_threads, 0, stream_of(ctx)>>>(
        pixels, format.width, masks.words_per_row(), edges.data(), to);
  } else {
    paint_kernel<T, 1><<<loop_blocks(ctx, pixels), loop_threads, 0, stream_of(ctx)>>>(
        pixels, format.width, masks.words_per_row(), edges.data(), to);
  }
  check_launch("canny");
}

#define WHORL_INSTANTIATE(T) \
  template void canny(const Context&, const ImageFormat&, const kernels::CannyPlan&, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
