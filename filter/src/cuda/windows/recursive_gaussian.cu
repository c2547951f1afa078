// One thread per line. The image is transposed for lines along x, so that they lie side by side like those along y.
#include <algorithm>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/kernels/windows/recursive_gaussian.hpp"
#include "filter/src/kernels/windows/separable_taps.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

using namespace kernels;

// Number i of line l is at (l / side * length + i) * side + l % side.
template <class In>
struct LineJob {
  RecursiveWindow window;
  PassRounding rounding;
  Border border;
  In beyond;
  Index lines, side, length, reach;
};

struct Recursion {
  double last[cosines] = {};
  double earlier[cosines] = {};

  __device__ void forward(const RecursiveWindow& window, double number) {
#pragma unroll
    for (int i = 0; i < cosines; ++i) {
      const DecayingCosine& term = window.terms[i];
      const double next = __fma_rn(term.a1, last[i], __fma_rn(term.a2, earlier[i], number));
      earlier[i] = last[i];
      last[i] = next;
    }
  }
  __device__ double add_to(const RecursiveWindow& window, double sum) const {
#pragma unroll
    for (int i = 0; i < cosines; ++i) {
      const DecayingCosine& term = window.terms[i];
      sum = __fma_rn(term.b0, last[i], __fma_rn(term.b1, earlier[i], sum));
    }
    return sum;
  }
};

// One warp per block, so that the few lines are distributed over all multiprocessors.
constexpr int line_threads = 32;
// The count of numbers that are loaded ahead of the recursion.
constexpr int ahead = 24;
constexpr int ahead_outside = 8;

// The recursion over the numbers beyond the end of a line, from far outside on. `number(i)` is the number `i` before
// the line.
template <class Number>
__device__ Recursion begin_outside(const RecursiveWindow& window, Index reach, const Number& number) {
  Recursion recursion;
#pragma unroll 1
  for (Index first = reach; first > 0; first -= ahead_outside) {
    double block[ahead_outside];
#pragma unroll
    for (int k = 0; k < ahead_outside; ++k) block[k] = number(max(first - k, Index{1}));
#pragma unroll
    for (int k = 0; k < ahead_outside; ++k) {
      if (first - k > 0) recursion.forward(window, block[k]);
    }
  }
  return recursion;
}

template <class In, class Out>
__global__ void __launch_bounds__(line_threads)
    line_kernel(const __grid_constant__ LineJob<In> job, const In* __restrict__ from, float* __restrict__ one_side,
                Out* __restrict__ to) {
  const Index line = blockIdx.x * Index{line_threads} + threadIdx.x;
  if (line >= job.lines) return;
  const Index begin = line / job.side * job.length * job.side + line % job.side;
  const auto number = [&](Index i) {
    const Index source = border_index(job.border, i, job.length);
    return static_cast<double>(source < 0 ? job.beyond : from[begin + source * job.side]);
  };
  Recursion causal = begin_outside(job.window, job.reach, [&](Index i) { return number(-i); });
  In next[ahead];
  const auto load = [&](Index first) {
#pragma unroll
    for (int k = 0; k < ahead; ++k) next[k] = from[begin + min(first + k, job.length - 1) * job.side];
  };
  const auto take = [&](Index i, In value) {
    causal.forward(job.window, static_cast<double>(value));
    one_side[begin + i * job.side] = __double2float_rn(causal.add_to(job.window, 0));
  };
  load(0);
  Index first = 0;
  // Unconditional: so the sums of one number run while those of the next begin.
#pragma unroll 1
  for (; first + ahead <= job.length; first += ahead) {
    In block[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) block[k] = next[k];
    load(first + ahead);
#pragma unroll
    for (int k = 0; k < ahead; ++k) take(first + k, block[k]);
  }
#pragma unroll
  for (int k = 0; k < ahead; ++k) {
    if (first + k < job.length) take(first + k, next[k]);
  }

  Recursion anticausal = begin_outside(job.window, job.reach, [&](Index i) { return number(job.length - 1 + i); });
  float next_other[ahead];
  const auto load_both = [&](Index last) {
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      const Index at = begin + max(last - k, Index{0}) * job.side;
      next[k] = from[at];
      next_other[k] = one_side[at];
    }
  };
  const auto take_both = [&](Index i, In value, float other) {
    const auto own = static_cast<double>(value);
    anticausal.forward(job.window, own);
    double sum = anticausal.add_to(job.window, __fma_rn(-job.window.own, own, static_cast<double>(other)));
    if constexpr (!std::is_floating_point_v<Out>) {
      sum = fmin(fmax(floor(__fma_rn(sum, job.rounding.scale, job.rounding.half)), 0.0), job.rounding.largest);
    }
    to[begin + i * job.side] = static_cast<Out>(sum);
  };
  Index last = job.length - 1;
  load_both(last);
#pragma unroll 1
  for (; last + 1 >= ahead; last -= ahead) {
    In block[ahead];
    float other[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      block[k] = next[k];
      other[k] = next_other[k];
    }
    load_both(last - ahead);
#pragma unroll
    for (int k = 0; k < ahead; ++k) take_both(last - k, block[k], other[k]);
  }
#pragma unroll
  for (int k = 0; k < ahead; ++k) {
    if (last - k >= 0) take_both(last - k, next[k], next_other[k]);
  }
}

template <class In, class Out>
void filter_lines(const Context& ctx, double sigma, Border border, In beyond, Index length, Index side, Index numbers,
                  const In* from, float* one_side, Out* to) {
  const LineJob<In> job{
      recursive_window(sigma), pass_rounding<In, Out>(), border, beyond, numbers / length, side, length,
      recursive_reach(sigma)};
  const auto blocks = static_cast<unsigned>(divide_up(job.lines, line_threads));
  launch(ctx, "recursive_gaussian", line_kernel<In, Out>, {blocks, line_threads}, job, from, one_side, to);
}

constexpr int tile = 32;
constexpr int tile_rows = 8;

// Matrices of rows x columns, one after the other, become columns x rows.
template <class T>
__global__ void transpose_kernel(Index rows, Index columns, Index tiles, const T* __restrict__ from,
                                 T* __restrict__ to) {
  __shared__ T block[tile][tile + 1];
  const Index down = divide_up(rows, tile);
  const Index across = divide_up(columns, tile);
  for (Index at = blockIdx.x; at < tiles; at += gridDim.x) {
    const Index matrix = at / (down * across) * rows * columns;
    const Index y = at / across % down * tile;
    const Index x = at % across * tile;
    for (int i = threadIdx.y; i < tile; i += tile_rows) {
      if (y + i < rows && x + threadIdx.x < columns) {
        block[i][threadIdx.x] = from[matrix + (y + i) * columns + x + threadIdx.x];
      }
    }
    __syncthreads();
    for (int i = threadIdx.y; i < tile; i += tile_rows) {
      if (x + i < columns && y + threadIdx.x < rows) {
        to[matrix + (x + i) * rows + y + threadIdx.x] = block[threadIdx.x][i];
      }
    }
    __syncthreads();
  }
}

template <class T>
void transpose(const Context& ctx, Index matrices, Index rows, Index columns, const T* from, T* to) {
  const Index tiles = matrices * (divide_up(rows, tile)) * (divide_up(columns, tile));
  constexpr Index most_blocks = 1 << 20;
  launch(ctx, "transpose", transpose_kernel<T>, {grid_of(std::min(tiles, most_blocks)), dim3(tile, tile_rows)}, rows,
         columns, tiles, from, to);
}

template <class T>
void recursive_gaussian(const Context& ctx, const ImageFormat& format, double sigma, FilteredAxes axes,
                        const BorderOptions& border, const T* from, T* to) {
  using Between = BetweenPasses<T>;
  const Index numbers = format.shape().size();
  const T beyond = border_number<T>(border);
  Array<float> one_side(ctx, {numbers});
  if (!axes.x) {
    filter_lines(ctx, sigma, border.border, beyond, format.height, format.row(), numbers, from, one_side.data(), to);
    return;
  }
  Array<Between> between(ctx, {numbers});
  Array<Between> turned(ctx, {numbers});
  filter_lines(ctx, sigma, border.border, beyond, format.height, format.row(), numbers, from, one_side.data(),
               between.data());
  transpose(ctx, format.slices(), format.height, format.row(), between.data(), turned.data());
  const auto scale = static_cast<float>(pass_rounding<T, Between>().scale);
  Array<T> result(ctx, {numbers});
  filter_lines(ctx, sigma, border.border, static_cast<Between>(static_cast<float>(beyond) * scale), format.width,
               format.height * count_of(format.channels), numbers, turned.data(), one_side.data(), result.data());
  transpose(ctx, format.slices(), format.row(), format.height, result.data(), to);
}

}  // namespace

void register_recursive_gaussian() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::recursive_gaussian<T>.set(DeviceKind::cuda, recursive_gaussian<T>);
  });
}

}  // namespace whorl::backend::cuda
