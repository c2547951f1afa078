#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/parallel.hpp"
#include "fit/fat_signal.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"

namespace whorl {

Array<std::complex<float>> without_fat(const Context& ctx, ArrayRef<const std::complex<float>> echoes,
                                       std::span<const double> times, const std::vector<FatPeak>& peaks,
                                       const WaterFatMaps& maps, const WaterFatOptions& options) {
  using Complex = std::complex<double>;
  const auto count = static_cast<Index>(times.size());
  if (echoes.shape() != maps.field.shape().with_front(count)) {
    throw ShapeError(
        fmt::format("water and fat: echoes of shape {} for {} times and maps {}; expected [echo, (z,) y, x]",
                    to_string(echoes.shape()), count, to_string(maps.field.shape())));
  }
  const Index voxels = maps.field.size();
  auto left = zeros<std::complex<float>>(ctx.host(), echoes.shape());
  Eigen::VectorXcd fat(count);
  for (Index n = 0; n < count; ++n) {
    fat[n] = fat_signal(peaks, options.field_strength, times[static_cast<std::size_t>(n)]);
    if (options.opposite) fat[n] = std::conj(fat[n]);
  }
  const double sign = options.opposite ? 1 : -1;
  constexpr Index together = 256;
  const auto separate = [&](Index v) {
    if (maps.field_error.data()[v] == 0) return;
    Eigen::VectorXcd of_water(count);
    Eigen::VectorXcd of_fat(count);
    Eigen::VectorXcd values(count);
    for (Index n = 0; n < count; ++n) {
      const double t = times[static_cast<std::size_t>(n)];
      const Complex evolution = std::polar(std::exp(-static_cast<double>(maps.r2_star.data()[v]) * t),
                                           sign * 2 * std::numbers::pi * static_cast<double>(maps.field.data()[v]) * t);
      of_water[n] = evolution;
      of_fat[n] = evolution * fat[n];
      values[n] = Complex(echoes.data()[n * voxels + v]);
    }
    // Least squares of both, by the part of fat's course that is orthogonal to water's.
    const double energy = of_water.squaredNorm();
    const Complex common = of_water.dot(of_fat) / energy;
    of_fat -= common * of_water;
    const Complex amount_of_fat = of_fat.dot(values) / of_fat.squaredNorm();
    const Complex amount_of_water = of_water.dot(values) / energy - common * amount_of_fat;
    for (Index n = 0; n < count; ++n) {
      const Complex of_both = amount_of_water + amount_of_fat * fat[n];
      const double size = std::abs(of_both);
      if (size > 0) left.data()[n * voxels + v] = std::complex<float>(values[n] * std::conj(of_both) / size);
    }
  };
  detail::parallel_for(ctx, "water and fat", 0, divide_up(voxels, together), [&](Index part) {
    for (Index v = part * together; v < std::min(voxels, (part + 1) * together); ++v) separate(v);
  });
  return left;
}

}  // namespace whorl
