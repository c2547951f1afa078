// The innermost loops of gridding, for one tile. Compiled once per width, so that the compiler unrolls them.
#pragma once

#include <algorithm>
#include <array>
#include <complex>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// A sample in its tile: the first grid point of its window, counted from the tile's corner, and the place of the
/// sample between grid points as the polynomial's argument u in [-1, 1].
template <class Real, int Dim>
struct TileSample {
  std::array<std::int32_t, Dim> start;  // x first
  std::array<Real, Dim> u;
  std::int32_t index;  // of the sample in the trajectory
};

/// Widest window whose loops are unrolled; wider ones share loops with a width known at run time.
inline constexpr int max_unrolled_width = 16;
inline constexpr int max_buffer_width = 64;

/// Samples and the polynomials of the window.
template <class Real, int Dim>
struct TileJob {
  const TileSample<Real, Dim>* samples;
  Index count;
  const Real* coefficients;  // [degree + 1][width]
  int degree;
  int width;
  std::array<Index, Dim> extent;  // of the tile with its halo, x first
};

template <class Real, int Width>
struct WindowValues {
  static constexpr int capacity = Width > 0 ? Width : max_buffer_width;

  void evaluate(const Real* coefficients, int degree, int run_time_width, Real u) {
    const int width = Width > 0 ? Width : run_time_width;
    const Real* row = coefficients + static_cast<std::ptrdiff_t>(degree) * width;
    for (int l = 0; l < width; ++l) values[l] = row[l];
    for (int n = degree - 1; n >= 0; --n) {
      row -= width;
      for (int l = 0; l < width; ++l) values[l] = values[l] * u + row[l];
    }
  }

  alignas(64) Real values[capacity];
};

/// The window of a sample along each axis; along x each value stands twice, for the real and the imaginary part.
template <class Real, int Dim, int Width>
struct SampleWindow {
  using Values = WindowValues<Real, Width>;

  SampleWindow(const TileJob<Real, Dim>& job, const TileSample<Real, Dim>& sample) {
    const int width = Width > 0 ? Width : job.width;
    for (int axis = 0; axis < Dim; ++axis) {
      axes[axis].evaluate(job.coefficients, job.degree, width, sample.u[static_cast<std::size_t>(axis)]);
    }
    for (int l = 0; l < width; ++l) twice[2 * l] = twice[2 * l + 1] = axes[0].values[l];
  }

  Values axes[Dim];
  alignas(64) Real twice[2 * Values::capacity];
};

/// Adds a batch of samples to a batch of tiles. `values` are [batch][sample of the trajectory], `tiles` are
/// [batch][tile with halo], as pairs of real numbers.
template <class Real, int Dim, int Width>
void spread_tile(const TileJob<Real, Dim>& job, const std::complex<Real>* values, Index values_stride, Real* tiles,
                 Index tile_size, Index batch) {
  const int width = Width > 0 ? Width : job.width;
  const Index pitch = 2 * job.extent[0];
  for (Index s = 0; s < job.count; ++s) {
    const auto& sample = job.samples[s];
    const SampleWindow<Real, Dim, Width> window(job, sample);
    for (Index b = 0; b < batch; ++b) {
      const std::complex<Real> value = values[b * values_stride + sample.index];
      alignas(64) Real line[2 * WindowValues<Real, Width>::capacity];
      for (int l = 0; l < width; ++l) {
        line[2 * l] = value.real() * window.twice[2 * l];
        line[2 * l + 1] = value.imag() * window.twice[2 * l + 1];
      }
      Real* corner = tiles + 2 * b * tile_size + 2 * sample.start[0] + sample.start[1] * pitch;
      if constexpr (Dim == 2) {
        for (int y = 0; y < width; ++y) {
          Real* row = corner + y * pitch;
          const Real weight = window.axes[1].values[y];
          for (int l = 0; l < 2 * width; ++l) row[l] += weight * line[l];
        }
      } else {
        const Index plane = pitch * job.extent[1];
        corner += sample.start[2] * plane;
        for (int z = 0; z < width; ++z) {
          for (int y = 0; y < width; ++y) {
            Real* row = corner + z * plane + y * pitch;
            const Real weight = window.axes[2].values[z] * window.axes[1].values[y];
            for (int l = 0; l < 2 * width; ++l) row[l] += weight * line[l];
          }
        }
      }
    }
  }
}

/// Reads a batch of samples from a batch of tiles.
template <class Real, int Dim, int Width>
void interpolate_tile(const TileJob<Real, Dim>& job, const Real* tiles, Index tile_size, std::complex<Real>* values,
                      Index values_stride, Index batch) {
  const int width = Width > 0 ? Width : job.width;
  const Index pitch = 2 * job.extent[0];
  for (Index s = 0; s < job.count; ++s) {
    const auto& sample = job.samples[s];
    const SampleWindow<Real, Dim, Width> window(job, sample);
    for (Index b = 0; b < batch; ++b) {
      alignas(64) Real line[2 * WindowValues<Real, Width>::capacity];
      std::fill(line, line + 2 * width, Real(0));
      const Real* corner = tiles + 2 * b * tile_size + 2 * sample.start[0] + sample.start[1] * pitch;
      if constexpr (Dim == 2) {
        for (int y = 0; y < width; ++y) {
          const Real* row = corner + y * pitch;
          const Real weight = window.axes[1].values[y];
          for (int l = 0; l < 2 * width; ++l) line[l] += weight * row[l];
        }
      } else {
        const Index plane = pitch * job.extent[1];
        corner += sample.start[2] * plane;
        for (int z = 0; z < width; ++z) {
          for (int y = 0; y < width; ++y) {
            const Real* row = corner + z * plane + y * pitch;
            const Real weight = window.axes[2].values[z] * window.axes[1].values[y];
            for (int l = 0; l < 2 * width; ++l) line[l] += weight * row[l];
          }
        }
      }
      Real real = 0;
      Real imag = 0;
      for (int l = 0; l < width; ++l) {
        real += line[2 * l] * window.twice[2 * l];
        imag += line[2 * l + 1] * window.twice[2 * l + 1];
      }
      values[b * values_stride + sample.index] = {real, imag};
    }
  }
}

}  // namespace whorl::backend::cpu
