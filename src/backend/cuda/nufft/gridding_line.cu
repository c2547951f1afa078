// Gridding of grids that have one axis: the samples are sorted by the cell of the grid that their window begins in, so
// that what reaches a grid point is one stretch of them, or two across the period's end.
#include "backend/cuda/nufft/gridding_line.hpp"

#include <vector>

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/nufft/gridding_sort.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int line_threads = 256;
constexpr int warps = line_threads / 32;

template <class Real>
struct LineTables {
  const SortedSample<Real, 1>* samples;
  const int* cell_first;     // [points + 1]
  const Real* coefficients;  // [degree + 1][width]
  int width;
  int degree;
  int points;
  int sample_count;
};

// The window's polynomials are in shared memory, as each thread of a warp may read another cell of them.
template <class Real>
__device__ const Real* shared_coefficients(const LineTables<Real>& tables) {
  extern __shared__ double memory[];
  Real* const rows = reinterpret_cast<Real*>(memory);
  for (int i = static_cast<int>(threadIdx.x); i < (tables.degree + 1) * tables.width; i += line_threads) {
    rows[i] = tables.coefficients[i];
  }
  __syncthreads();
  return rows;
}

template <class Real>
__device__ Real window_value(const LineTables<Real>& tables, const Real* rows, int cell, Real u) {
  Real value = rows[tables.degree * tables.width + cell];
  for (int n = tables.degree - 1; n >= 0; --n) value = value * u + rows[n * tables.width + cell];
  return value;
}

// A warp adds what reaches a grid point, its lanes sample after sample, in double, whatever crowds there. The order
// is that of the lanes, so that each run gives the same bits.
template <class Real>
__global__ void __launch_bounds__(line_threads)
    spread_line(LineTables<Real> tables, const Complex2<Real>* __restrict__ values,
                Complex2<Real>* __restrict__ grids) {
  const Real* const rows = shared_coefficients(tables);
  const Index point = static_cast<Index>(blockIdx.x) * warps + threadIdx.x / 32;
  if (point >= tables.points) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Complex2<Real>* const from = values + static_cast<Index>(blockIdx.y) * tables.sample_count;
  double re = 0;
  double im = 0;
  const auto add = [&](int begin, int end) {
    for (int s = tables.cell_first[begin] + lane; s < tables.cell_first[end]; s += 32) {
      const SortedSample<Real, 1> sample = tables.samples[s];
      int cell = static_cast<int>(point) - sample.start[0];
      if (cell < 0) cell += tables.points;
      const Complex2<Real> value = from[sample.index];
      // On a grid that is narrower than the window, cells meet the point several times.
      Real weight = 0;
      for (; cell < tables.width; cell += tables.points) weight += window_value(tables, rows, cell, sample.u[0]);
      re += static_cast<double>(weight * value.x);
      im += static_cast<double>(weight * value.y);
    }
  };
  const int first = static_cast<int>(point) - tables.width + 1;
  if (tables.width >= tables.points) {
    add(0, tables.points);
  } else if (first < 0) {
    add(first + tables.points, tables.points);
    add(0, static_cast<int>(point) + 1);
  } else {
    add(first, static_cast<int>(point) + 1);
  }
  for (int step = 16; step > 0; step /= 2) {
    re += __shfl_down_sync(0xffffffffU, re, step);
    im += __shfl_down_sync(0xffffffffU, im, step);
  }
  if (lane == 0) {
    grids[static_cast<Index>(blockIdx.y) * tables.points + point] = {static_cast<Real>(re), static_cast<Real>(im)};
  }
}

// A thread takes a sample; neighbors read neighboring points.
template <class Real>
__global__ void __launch_bounds__(line_threads)
    interpolate_line(LineTables<Real> tables, const Complex2<Real>* __restrict__ grids,
                     Complex2<Real>* __restrict__ values) {
  const Real* const rows = shared_coefficients(tables);
  const Index s = static_cast<Index>(blockIdx.x) * line_threads + threadIdx.x;
  if (s >= tables.sample_count) return;
  const SortedSample<Real, 1> sample = tables.samples[s];
  const Complex2<Real>* const grid = grids + static_cast<Index>(blockIdx.y) * tables.points;
  Complex2<Real> sum = {0, 0};
  int point = sample.start[0];
  for (int cell = 0; cell < tables.width; ++cell) {
    const Real weight = window_value(tables, rows, cell, sample.u[0]);
    sum.x += weight * grid[point].x;
    sum.y += weight * grid[point].y;
    if (++point == tables.points) point = 0;
  }
  values[static_cast<Index>(blockIdx.y) * tables.sample_count + sample.index] = sum;
}

// Bins of one cell.
BinGrid cells_of(Index points) {
  const int n = static_cast<int>(points);
  return {{n, 1, 1}, 0, {n, 1, 1}};
}

template <class Real>
class LinePlan final : public kernels::GriddingPlan<Real> {
 public:
  using Complex = std::complex<Real>;

  LinePlan(const Context& ctx, const kernels::GriddingGeometry& geometry)
      : points_(geometry.grid.extent[2]),
        width_(geometry.window.width),
        degree_(geometry.window.degree),
        sorted_(ctx, geometry, cells_of(points_)) {
    const std::vector<Real> rows(geometry.window.coefficients.begin(), geometry.window.coefficients.end());
    coefficients_ = upload(ctx, std::span<const Real>(rows));
  }

  void spread(const Context& ctx, const Complex* values, Complex* grids, Index batch) const override {
    if (batch == 0) return;
    launch(ctx, "gridding: spread_line", spread_line<Real>,
           {grid_of(divide_up(points_, warps), batch), line_threads, shared_bytes()}, tables(), as_device(values),
           as_device(grids));
  }

  void interpolate(const Context& ctx, const Complex* grids, Complex* values, Index batch) const override {
    if (batch == 0 || sorted_.samples.size() == 0) return;
    launch(ctx, "gridding: interpolate_line", interpolate_line<Real>,
           {grid_of(divide_up(sorted_.samples.size(), line_threads), batch), line_threads, shared_bytes()}, tables(),
           as_device(grids), as_device(values));
  }

 private:
  std::size_t shared_bytes() const { return static_cast<std::size_t>((degree_ + 1) * width_) * sizeof(Real); }

  LineTables<Real> tables() const {
    return {sorted_.samples.data(),
            sorted_.bin_first.data(),
            coefficients_.data(),
            width_,
            degree_,
            static_cast<int>(points_),
            static_cast<int>(sorted_.samples.size())};
  }

  Index points_;
  int width_;
  int degree_;
  SortedSamples<Real, 1> sorted_;
  Array<Real> coefficients_;
};

}  // namespace

template <class Real>
std::shared_ptr<const kernels::GriddingPlan<Real>> make_line_gridding(const Context& ctx,
                                                                      const kernels::GriddingGeometry& geometry) {
  return std::make_shared<const LinePlan<Real>>(ctx, geometry);
}

kernels::GriddingMemory line_gridding_memory(Index samples, Index points, Index real_bytes) {
  const Index sample_bytes = real_bytes == sizeof(float) ? static_cast<Index>(sizeof(SortedSample<float, 1>))
                                                         : static_cast<Index>(sizeof(SortedSample<double, 1>));
  // While the samples are sorted: bin and index of each, twice, and once more for the radix sort.
  constexpr auto sorting = static_cast<Index>(3 * (sizeof(unsigned) + sizeof(int)));
  return {samples * sample_bytes + (points + 1) * static_cast<Index>(sizeof(int)), samples * sorting, 0, 0};
}

template std::shared_ptr<const kernels::GriddingPlan<float>> make_line_gridding(const Context&,
                                                                                const kernels::GriddingGeometry&);
template std::shared_ptr<const kernels::GriddingPlan<double>> make_line_gridding(const Context&,
                                                                                 const kernels::GriddingGeometry&);

}  // namespace whorl::backend::cuda
