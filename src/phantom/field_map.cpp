#include <cmath>

#include "phantom/checks.hpp"
#include "phantom/raster.hpp"
#include "whorl/phantom/phantom.hpp"

namespace whorl {
namespace {

// The solid harmonics of MainField at a place.
double harmonics_at(const std::array<double, 9>& weights, const std::array<double, 3>& r) {
  const auto [x, y, z] = r;
  const std::array<double, 9> values{1, x, y, z, x * y, y * z, z * z - (x * x + y * y) / 2, x * z, x * x - y * y};
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += weights[i] * values[i];
  return sum;
}

// The field around a sphere of air in water, along the main field.
double field_of(const AirSphere& sphere, const std::array<double, 3>& r) {
  constexpr double surface = 127.7e6 * 9.05e-6 / 3;
  double square = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) square += std::pow(r[axis] - sphere.center[axis], 2);
  if (square <= sphere.radius * sphere.radius) return 0;
  const double cosine_square = std::pow(r[2] - sphere.center[2], 2) / square;
  return surface * std::pow(sphere.radius / std::sqrt(square), 3) * (3 * cosine_square - 1);
}

}  // namespace

Array<float> field_map(const Context& ctx, const Phantom& phantom, const std::array<Index, 3>& matrix) {
  Array<float> map = detail::raster_of<float>(ctx, phantom, matrix, 1, &Tissue::off_resonance);
  const int dim = detail::matrix_dim(matrix);
  const auto place = [&](std::size_t axis, Index voxel) {
    const Index center = matrix[axis] / 2;
    return static_cast<double>(voxel - center) / (static_cast<double>(matrix[axis]) / 2);
  };
  float* out = map.data();
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index row = 0; row < matrix[1] * matrix[2]; ++row) {
    if (ctx.cancel_requested()) continue;
    for (Index x = 0; x < matrix[0]; ++x) {
      const std::array<double, 3> r{place(0, x), place(1, row % matrix[1]), dim == 3 ? place(2, row / matrix[1]) : 0};
      double field = harmonics_at(phantom.field.harmonics, r);
      for (const AirSphere& sphere : phantom.field.air) field += field_of(sphere, r);
      out[row * matrix[0] + x] += static_cast<float>(field);
    }
  }
  ctx.check_cancel("field map");
  return map;
}

}  // namespace whorl
