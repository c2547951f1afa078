#include <cmath>
#include <numbers>
#include <vector>

#include "phantom/checks.hpp"
#include "whorl/phantom/ellipsoid.hpp"

namespace whorl {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;

// 2 pi J1(x) / x, the transform of the unit disk.
double disk_transform(double x) { return x == 0 ? std::numbers::pi : two_pi * ::j1(x) / x; }

// 4 pi (sin x - x cos x) / x^3, the transform of the unit ball. Below 0.1 the difference cancels and the Taylor series
// is used, whose next term, x^8 / 4e6, is below the rounding of double.
double ball_transform(double x) {
  if (std::abs(x) < 0.1) {
    const double square = x * x;
    return 2 * two_pi * (1.0 / 3 - square * (1.0 / 30 - square * (1.0 / 840 - square / 45360)));
  }
  return 2 * two_pi * (std::sin(x) - x * std::cos(x)) / (x * x * x);
}

// An ellipsoid in pixels, ready to be transformed. Semi-axes and angle are those of the field of view's own
// coordinates; an unequal matrix stretches them, so the ellipsoid is kept as the linear map of the unit ball.
struct Stretched {
  double xx, xy, yx, yy, z;      // k in the coordinates of the unit ball: (xx kx + yx ky, xy kx + yy ky, z kz)
  std::array<double, 3> center;  // pixels
  double weight;                 // intensity * volume of the map / sqrt(voxels)
};

std::vector<Stretched> stretch(std::span<const Ellipsoid> ellipsoids, const std::array<Index, 3>& matrix, int dim) {
  std::array<double, 3> half{};
  double voxels = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    half[axis] = static_cast<double>(matrix[axis]) / 2;
    voxels *= static_cast<double>(matrix[axis]);
  }
  std::vector<Stretched> result;
  for (const Ellipsoid& ellipsoid : ellipsoids) {
    const double cosine = std::cos(ellipsoid.angle);
    const double sine = std::sin(ellipsoid.angle);
    Stretched s{};
    s.xx = half[0] * cosine * ellipsoid.semi_axes[0];
    s.yx = half[1] * sine * ellipsoid.semi_axes[0];
    s.xy = -half[0] * sine * ellipsoid.semi_axes[1];
    s.yy = half[1] * cosine * ellipsoid.semi_axes[1];
    s.weight = ellipsoid.intensity * half[0] * half[1] * ellipsoid.semi_axes[0] * ellipsoid.semi_axes[1];
    s.center = {half[0] * ellipsoid.center[0], half[1] * ellipsoid.center[1], half[2] * ellipsoid.center[2]};
    if (dim == 3) {
      s.z = half[2] * ellipsoid.semi_axes[2];
      s.weight *= s.z;
    }
    s.weight /= std::sqrt(voxels);
    result.push_back(s);
  }
  return result;
}

}  // namespace

Array<std::complex<double>> ellipsoid_samples(const Context& ctx, std::span<const Ellipsoid> ellipsoids,
                                              const std::array<Index, 3>& matrix, ArrayRef<const double> points) {
  const int dim = detail::matrix_dim(matrix);
  detail::check_ellipsoids(ellipsoids);
  detail::check_points(points, dim);
  const std::vector<Stretched> stretched = stretch(ellipsoids, matrix, dim);
  const auto k = points.view<2>();
  Array<std::complex<double>> samples(ctx, {points.extent(0)});
  std::complex<double>* out = samples.data();
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index sample = 0; sample < k.extent(0); ++sample) {
    const double kx = k(sample, 0);
    const double ky = k(sample, 1);
    const double kz = dim == 3 ? k(sample, 2) : 0;
    std::complex<double> sum = 0;
    for (const Stretched& s : stretched) {
      const double x = two_pi * std::sqrt(std::pow(s.xx * kx + s.yx * ky, 2) + std::pow(s.xy * kx + s.yy * ky, 2) +
                                          std::pow(s.z * kz, 2));
      const double phase = -two_pi * (kx * s.center[0] + ky * s.center[1] + kz * s.center[2]);
      sum += std::polar(1.0, phase) * (s.weight * (dim == 3 ? ball_transform(x) : disk_transform(x)));
    }
    out[sample] = sum;
  }
  return samples;
}

}  // namespace whorl
