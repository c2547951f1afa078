// Gridding's innermost loops by SIMD: along the window's x axis for single coils, over coils if four are interleaved.
// Included once per target by gridding_loops_*.cpp, which define WHORL_REAL, WHORL_DIM and WHORL_SIMD_LOOPS.

#include "hwy/highway.h"

#include "backend/cpu/nufft/gridding_loops.hpp"
#include "whorl/core/integer.hpp"

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

TileLoops<WHORL_REAL, WHORL_DIM> WHORL_SIMD_LOOPS(int /*width*/) { return reference_loops<WHORL_REAL, WHORL_DIM>(); }

#else

// Each file that includes this has its own Real and dim, so the linker must not merge these functions.
namespace {  // NOLINT(misc-anonymous-namespace-in-header)

namespace hn = hwy::HWY_NAMESPACE;
using Real = WHORL_REAL;
using Complex = std::complex<Real>;
constexpr int dim = WHORL_DIM;
using Job = TileJob<Real, dim>;
using Sample = TileSample<Real, dim>;

constexpr int power_of_two(int n) {
  int result = 1;
  while (result < n) result *= 2;
  return result;
}

// The vectors of a row of the window along x: real and imaginary parts alternate, and no lanes are wasted on more.
template <int W>
struct Row {
  using D = hn::CappedTag<Real, power_of_two(2 * W)>;
  using V = hn::Vec<D>;
  static constexpr Index lanes{hn::MaxLanes(D())};
  static constexpr int vectors = divide_up(Index{2} * W, lanes);
};

// One complex number in every pair of lanes.
template <class D>
HWY_INLINE hn::Vec<D> broadcast(D d, const Complex* value) {
  if constexpr (sizeof(Real) == 4) {
    return hn::BitCast(d, hn::Set(hn::Repartition<double, D>(), *reinterpret_cast<const double*>(value)));
  } else {
    return hn::LoadDup128(d, reinterpret_cast<const Real*>(value));
  }
}

// Sum over the pairs of lanes.
template <class D>
HWY_INLINE Complex sum_of_pairs(D d, hn::Vec<D> v) {
  constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));
  if constexpr (lanes * sizeof(Real) > 16) {
    const hn::Half<D> half;
    return sum_of_pairs(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    HWY_ALIGN Real pairs[lanes];
    if constexpr (lanes == 4) v = hn::Add(v, hn::Shuffle1032(v));
    hn::Store(v, d, pairs);
    return {pairs[0], pairs[1]};
  }
}

// Polynomials of all points under the window, by Horner's rule. `coefficients` are [degree + 1][stride]. The loop over the degree is
// as long as the sums themselves where these are short: there it is unrolled for the degree that nearly all windows have.
template <int W, Index stride, class D, int vectors>
HWY_INLINE void evaluate(D d, const Real* coefficients, int degree, Real u, hn::Vec<D> (&values)[vectors]) {
  constexpr Index lanes{hn::MaxLanes(D())};
  constexpr int usual = W + 1;
  const auto position = hn::Set(d, u);
  const Real* row = coefficients + degree * stride;
  WHORL_UNROLL
  for (int v = 0; v < vectors; ++v) values[v] = hn::LoadU(d, row + v * lanes);
  if (W <= widest_padded_window && degree == usual) {
    WHORL_UNROLL
    for (int n = usual - 1; n >= 0; --n) {
      WHORL_UNROLL
      for (int v = 0; v < vectors; ++v) {
        values[v] = hn::MulAdd(values[v], position, hn::LoadU(d, coefficients + n * stride + v * lanes));
      }
    }
    return;
  }
  for (int n = degree; n > 0; --n) {
    row -= stride;
    WHORL_UNROLL
    for (int v = 0; v < vectors; ++v) values[v] = hn::MulAdd(values[v], position, hn::LoadU(d, row + v * lanes));
  }
}

// Window values along x, each twice, in vectors.
template <int W>
HWY_INLINE void window_along_x(const WindowTable<Real>& table, Real u, typename Row<W>::V (&values)[Row<W>::vectors]) {
  constexpr Index stride = WindowTable<Real>::stride_of(2 * W);
  evaluate<W, stride>(typename Row<W>::D(), table.twice.data(), table.degree, u, values);
}

template <int W>
struct Weights {
  using D = hn::CappedTag<Real, power_of_two(W)>;
  static constexpr Index lanes{hn::MaxLanes(D())};
  static constexpr int vectors = divide_up(W, lanes);

  HWY_INLINE void evaluate_at(const WindowTable<Real>& table, Real u) {
    const D d;
    hn::Vec<D> sum[vectors];
    evaluate<W, WindowTable<Real>::stride_of(W)>(d, table.single.data(), table.degree, u, sum);
    WHORL_UNROLL
    for (int v = 0; v < vectors; ++v) hn::StoreU(sum[v], d, value + v * lanes);
  }

  HWY_ALIGN Real value[vectors * lanes];
};

HWY_INLINE Index corner(const Job& job, const Sample& sample) {
  Index place = sample.start[0];
  if constexpr (dim >= 2) place += sample.start[dim == 1 ? 0 : 1] * job.row;
  if constexpr (dim == 3) place += sample.start[dim - 1] * job.plane;
  return 2 * place * job.together;
}

#if WHORL_DIM == 1

template <int W>
void spread(const Job& job, const Complex* values, Index values_stride, Real* tiles, Index tile_stride, Index batch) {
  using R = Row<W>;
  const typename R::D d;
  for (Index s = 0; s < job.count; ++s) {
    const Sample& sample = job.samples[s];
    typename R::V x[R::vectors];
    window_along_x<W>(*job.window, sample.u[0], x);
    for (Index b = 0; b < batch; ++b) {
      Real* first = tiles + b * tile_stride + corner(job, sample);
      const auto value = broadcast(d, values + b * values_stride + s);
      WHORL_UNROLL
      for (int v = 0; v < R::vectors; ++v, first += R::lanes) {
        hn::StoreU(hn::MulAdd(value, x[v], hn::LoadU(d, first)), d, first);
      }
    }
  }
}

template <int W>
void interpolate(const Job& job, const Real* tiles, Index tile_stride, Complex* values, Index values_stride,
                 Index batch) {
  using R = Row<W>;
  const typename R::D d;
  for (Index s = 0; s < job.count; ++s) {
    const Sample& sample = job.samples[s];
    typename R::V x[R::vectors];
    window_along_x<W>(*job.window, sample.u[0], x);
    for (Index b = 0; b < batch; ++b) {
      const Real* const first = tiles + b * tile_stride + corner(job, sample);
      auto sum = hn::Mul(x[0], hn::LoadU(d, first));
      WHORL_UNROLL
      for (int v = 1; v < R::vectors; ++v) sum = hn::MulAdd(x[v], hn::LoadU(d, first + v * R::lanes), sum);
      values[b * values_stride + s] = sum_of_pairs(d, sum);
    }
  }
}

#elif WHORL_DIM == 2

template <int W>
void spread(const Job& job, const Complex* values, Index values_stride, Real* tiles, Index tile_stride, Index batch) {
  using R = Row<W>;
  const typename R::D d;
  const Index pitch = 2 * job.row;
  for (Index s = 0; s < job.count; ++s) {
    const Sample& sample = job.samples[s];
    typename R::V x[R::vectors];
    Weights<W> weight;
    window_along_x<W>(*job.window, sample.u[0], x);
    weight.evaluate_at(*job.window, sample.u[1]);
    for (Index b = 0; b < batch; ++b) {
      Real* const first = tiles + b * tile_stride + corner(job, sample);
      const auto value = broadcast(d, values + b * values_stride + s);
      typename R::V line[R::vectors];
      WHORL_UNROLL
      for (int v = 0; v < R::vectors; ++v) line[v] = hn::Mul(value, x[v]);
      WHORL_UNROLL
      for (int y = 0; y < W; ++y) {
        const auto y_weight = hn::Set(d, weight.value[y]);
        Real* const row = first + y * pitch;
        WHORL_UNROLL
        for (int v = 0; v < R::vectors; ++v) {
          hn::StoreU(hn::MulAdd(y_weight, line[v], hn::LoadU(d, row + v * R::lanes)), d, row + v * R::lanes);
        }
      }
    }
  }
}

template <int W>
void interpolate(const Job& job, const Real* tiles, Index tile_stride, Complex* values, Index values_stride,
                 Index batch) {
  using R = Row<W>;
  const typename R::D d;
  const Index pitch = 2 * job.row;
  for (Index s = 0; s < job.count; ++s) {
    const Sample& sample = job.samples[s];
    typename R::V x[R::vectors];
    Weights<W> weight;
    window_along_x<W>(*job.window, sample.u[0], x);
    weight.evaluate_at(*job.window, sample.u[1]);
    for (Index b = 0; b < batch; ++b) {
      const Real* first = tiles + b * tile_stride + corner(job, sample);
      typename R::V total = hn::Zero(d);
      WHORL_UNROLL
      for (int v = 0; v < R::vectors; ++v) {
        typename R::V even = hn::Mul(hn::Set(d, weight.value[0]), hn::LoadU(d, first + v * R::lanes));
        typename R::V odd = hn::Mul(hn::Set(d, weight.value[1]), hn::LoadU(d, first + pitch + v * R::lanes));
        WHORL_UNROLL
        for (int y = 2; y < W; ++y) {
          auto& sum = y % 2 == 0 ? even : odd;
          sum = hn::MulAdd(hn::Set(d, weight.value[y]), hn::LoadU(d, first + y * pitch + v * R::lanes), sum);
        }
        total = hn::MulAdd(hn::Add(even, odd), x[v], total);
      }
      values[b * values_stride + s] = sum_of_pairs(d, total);
    }
  }
}

#else

template <int W>
struct SampleWindow {
  HWY_INLINE SampleWindow(const Job& job, const Sample& sample) {
    window_along_x<W>(*job.window, sample.u[0], x);
    y.evaluate_at(*job.window, sample.u[1]);
    z.evaluate_at(*job.window, sample.u[dim - 1]);
  }
  typename Row<W>::V x[Row<W>::vectors];
  Weights<W> y;
  Weights<W> z;
};

template <int W>
void spread(const Job& job, const Complex* values, Index values_stride, Real* tiles, Index tile_stride, Index batch) {
  using R = Row<W>;
  const typename R::D d;
  const Index pitch = 2 * job.row;
  const Index plane = 2 * job.plane;
  for (Index s = 0; s < job.count; ++s) {
    const Sample& sample = job.samples[s];
    const SampleWindow<W> window(job, sample);
    for (Index b = 0; b < batch; ++b) {
      Real* first = tiles + b * tile_stride + corner(job, sample);
      typename R::V line[R::vectors];
      WHORL_UNROLL
      for (int v = 0; v < R::vectors; ++v) {
        line[v] = hn::Mul(broadcast(d, values + b * values_stride + s), window.x[v]);
      }
      for (int z = 0; z < W; ++z, first += plane) {
        typename R::V plane_line[R::vectors];
        WHORL_UNROLL
        for (int v = 0; v < R::vectors; ++v) plane_line[v] = hn::Mul(hn::Set(d, window.z.value[z]), line[v]);
        WHORL_UNROLL
        for (int y = 0; y < W; ++y) {
          const auto weight = hn::Set(d, window.y.value[y]);
          Real* row = first + y * pitch;
          WHORL_UNROLL
          for (int v = 0; v < R::vectors; ++v) {
            hn::StoreU(hn::MulAdd(weight, plane_line[v], hn::LoadU(d, row + v * R::lanes)), d, row + v * R::lanes);
          }
        }
      }
    }
  }
}

template <int W>
void interpolate(const Job& job, const Real* tiles, Index tile_stride, Complex* values, Index values_stride,
                 Index batch) {
  using R = Row<W>;
  const typename R::D d;
  const Index pitch = 2 * job.row;
  const Index plane = 2 * job.plane;
  for (Index s = 0; s < job.count; ++s) {
    const Sample& sample = job.samples[s];
    const SampleWindow<W> window(job, sample);
    for (Index b = 0; b < batch; ++b) {
      const Real* first = tiles + b * tile_stride + corner(job, sample);
      typename R::V total[R::vectors];
      WHORL_UNROLL
      for (int v = 0; v < R::vectors; ++v) total[v] = hn::Zero(d);
      for (int z = 0; z < W; ++z, first += plane) {
        typename R::V sum[R::vectors];
        WHORL_UNROLL
        for (int v = 0; v < R::vectors; ++v) {
          sum[v] = hn::Mul(hn::Set(d, window.y.value[0]), hn::LoadU(d, first + v * R::lanes));
        }
        WHORL_UNROLL
        for (int y = 1; y < W; ++y) {
          const auto weight = hn::Set(d, window.y.value[y]);
          WHORL_UNROLL
          for (int v = 0; v < R::vectors; ++v) {
            sum[v] = hn::MulAdd(weight, hn::LoadU(d, first + y * pitch + v * R::lanes), sum[v]);
          }
        }
        const auto weight = hn::Set(d, window.z.value[z]);
        WHORL_UNROLL
        for (int v = 0; v < R::vectors; ++v) total[v] = hn::MulAdd(weight, sum[v], total[v]);
      }
      typename R::V all = hn::Mul(total[0], window.x[0]);
      WHORL_UNROLL
      for (int v = 1; v < R::vectors; ++v) all = hn::MulAdd(total[v], window.x[v], all);
      values[b * values_stride + s] = sum_of_pairs(d, all);
    }
  }
}

#endif

#include "backend/cpu/nufft/gridding_coils-inl.hpp"

template <int W>
void spread_any(const Job& job, const Complex* values, Index values_stride, Real* tiles, Index tile_stride,
                Index batch) {
  const auto loop = job.together == 1 ? spread<W> : spread_coils<W>;
  loop(job, values, values_stride, tiles, tile_stride, batch);
}

template <int W>
void interpolate_any(const Job& job, const Real* tiles, Index tile_stride, Complex* values, Index values_stride,
                     Index batch) {
  const auto loop = job.together == 1 ? interpolate<W> : interpolate_coils<W>;
  loop(job, tiles, tile_stride, values, values_stride, batch);
}

template <int... W>
TileLoops<Real, dim> loops_of(int width, std::integer_sequence<int, W...>) {
  TileLoops<Real, dim> found{nullptr, nullptr};
  static_cast<void>(((width == W + 2 ? (found = {spread_any<W + 2>, interpolate_any<W + 2>}, true) : false) || ...));
  return found;
}

}  // namespace

// One source includes this header for each name.
TileLoops<Real, dim> WHORL_SIMD_LOOPS(int width) {  // NOLINT(misc-definitions-in-headers)
  return loops_of(width, std::make_integer_sequence<int, max_simd_width - 1>());
}

#endif

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
