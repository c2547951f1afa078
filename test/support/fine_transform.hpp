// An oracle for the k-space of phantoms: the exact DFT of a raster that is much finer than the image.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <span>

#include "whorl/core/context.hpp"
#include "whorl/phantom/phantom.hpp"

namespace whorl::test {

/// 1/sqrt(voxels) integral f(r) s(r) exp(-2 pi i k.r) dr by a raster of `fine` cells per pixel, each the mean of
/// subsamples^dim points. The sensitivity s [z, y, x] of the fine raster may be empty: 1. The averaging over the cells
/// damps the spectrum by a product of sinc, which is undone.
inline Array<std::complex<double>> fine_transform(const Context& ctx, const Phantom& phantom,
                                                  const std::array<Index, 3>& matrix, ArrayRef<const double> points,
                                                  Index fine, int subsamples,
                                                  std::span<const std::complex<double>> sensitivity = {}) {
  const bool volume = matrix[2] > 1;
  const std::array<Index, 3> cells{matrix[0] * fine, matrix[1] * fine, volume ? matrix[2] * fine : 1};
  const Array<double> raster = rasterize<double>(ctx, phantom, cells, subsamples);
  const auto scale = static_cast<double>(fine);
  const auto k = points.view<2>();
  Array<std::complex<double>> result(ctx, {k.extent(0)});
  for (Index sample = 0; sample < k.extent(0); ++sample) {
    std::array<double, 3> position{};
    double damping = 1;
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      position[d] = k(sample, axis) / scale;
      const double x = std::numbers::pi * position[d];
      if (x != 0) damping *= std::sin(x) / x;
    }
    std::complex<double> sum = 0;
    for (Index z = 0; z < cells[2]; ++z) {
      for (Index y = 0; y < cells[1]; ++y) {
        for (Index x = 0; x < cells[0]; ++x) {
          const Index cell = (z * cells[1] + y) * cells[0] + x;
          std::complex<double> value = raster.data()[cell];
          if (value == 0.0) continue;
          if (!sensitivity.empty()) value *= sensitivity[static_cast<std::size_t>(cell)];
          const double cycles = position[0] * static_cast<double>(x - cells[0] / 2) +
                                position[1] * static_cast<double>(y - cells[1] / 2) +
                                position[2] * static_cast<double>(z - cells[2] / 2);
          sum += value * std::polar(1.0, -2 * std::numbers::pi * cycles);
        }
      }
    }
    const double voxels = static_cast<double>(matrix[0] * matrix[1] * matrix[2]);
    result.data()[sample] = sum / (damping * std::pow(scale, volume ? 3 : 2) * std::sqrt(voxels));
  }
  return result;
}

}  // namespace whorl::test
