#include "backend/cpu/nufft/gridding_loops.hpp"
#include "whorl/core/integer.hpp"

#include <algorithm>

namespace whorl::backend::cpu {

namespace {

// Window values of a sample along one axis.
template <class Real>
struct Values {
  Values(const WindowTable<Real>& table, Real u) {
    const int stride = WindowTable<Real>::stride_of(table.width);
    const Real* row = table.single.data() + static_cast<std::ptrdiff_t>(table.degree) * stride;
    std::copy_n(row, table.width, value.begin());
    for (int n = table.degree; n > 0; --n) {
      row -= stride;
      for (int l = 0; l < table.width; ++l) value[index(l)] = value[index(l)] * u + row[l];
    }
  }
  Real operator[](int l) const { return value[index(l)]; }
  static std::size_t index(int l) { return static_cast<std::size_t>(l); }

  std::array<Real, kernels::max_window_width> value;
};

// Calls visit(point in the tile, weight) for every point under the window of a sample.
template <class Real, int Dim, class Visit>
void for_each_point(const TileJob<Real, Dim>& job, const TileSample<Real, Dim>& sample, const Visit& visit) {
  const int width = job.window->width;
  const Values<Real> x(*job.window, sample.u[0]);
  const auto row = [&](Index first, Real weight) {
    for (int l = 0; l < width; ++l) visit(first + sample.start[0] + l, weight * x[l]);
  };
  if constexpr (Dim == 1) {
    row(0, 1);
  } else if constexpr (Dim == 2) {
    const Values<Real> y(*job.window, sample.u[1]);
    for (int m = 0; m < width; ++m) row((sample.start[1] + m) * job.row, y[m]);
  } else {
    const Values<Real> y(*job.window, sample.u[1]);
    const Values<Real> z(*job.window, sample.u[2]);
    for (int n = 0; n < width; ++n) {
      for (int m = 0; m < width; ++m) {
        row((sample.start[2] + n) * job.plane + (sample.start[1] + m) * job.row, z[n] * y[m]);
      }
    }
  }
}

template <class Real, int Dim>
void spread(const TileJob<Real, Dim>& job, const std::complex<Real>* values, Index values_stride, Real* tiles,
            Index tile_stride, Index batch) {
  const Index numbers = 2 * job.together;
  for (Index s = 0; s < job.count; ++s) {
    const auto& sample = job.samples[s];
    for (Index b = 0; b < batch; ++b) {
      const auto* value = reinterpret_cast<const Real*>(values + (b * values_stride + s) * job.together);
      Real* tile = tiles + b * tile_stride;
      for_each_point(job, sample, [&](Index point, Real weight) {
        for (Index i = 0; i < numbers; ++i) tile[numbers * point + i] += weight * value[i];
      });
    }
  }
}

template <class Real, int Dim>
void interpolate(const TileJob<Real, Dim>& job, const Real* tiles, Index tile_stride, std::complex<Real>* values,
                 Index values_stride, Index batch) {
  const Index numbers = 2 * job.together;
  for (Index s = 0; s < job.count; ++s) {
    const auto& sample = job.samples[s];
    for (Index b = 0; b < batch; ++b) {
      const Real* tile = tiles + b * tile_stride;
      auto* value = reinterpret_cast<Real*>(values + (b * values_stride + s) * job.together);
      std::fill_n(value, numbers, Real(0));
      for_each_point(job, sample, [&](Index point, Real weight) {
        for (Index i = 0; i < numbers; ++i) value[i] += weight * tile[numbers * point + i];
      });
    }
  }
}

}  // namespace

template <class Real>
WindowTable<Real>::WindowTable(const kernels::WindowPolynomial& window)
    : width(window.width),
      degree(width <= widest_padded_window ? std::max(window.degree, width + 1) : window.degree),
      single(static_cast<std::size_t>(stride_of(width) * (degree + 1))),
      twice(static_cast<std::size_t>(stride_of(2 * width) * (degree + 1))) {
  for (std::ptrdiff_t n = 0; n <= window.degree; ++n) {
    for (std::ptrdiff_t l = 0; l < width; ++l) {
      const auto value = static_cast<Real>(window.coefficients.begin()[n * width + l]);
      single.begin()[n * stride_of(width) + l] = value;
      Real* const both = &twice.begin()[n * stride_of(2 * width) + 2 * l];
      both[0] = both[1] = value;
    }
  }
}

template <class Real, int Dim>
TileLoops<Real, Dim> reference_loops() {
  return {spread<Real, Dim>, interpolate<Real, Dim>};
}

template struct WindowTable<float>;
template struct WindowTable<double>;
template TileLoops<float, 1> reference_loops();
template TileLoops<float, 2> reference_loops();
template TileLoops<float, 3> reference_loops();
template TileLoops<double, 1> reference_loops();
template TileLoops<double, 2> reference_loops();
template TileLoops<double, 3> reference_loops();

}  // namespace whorl::backend::cpu
