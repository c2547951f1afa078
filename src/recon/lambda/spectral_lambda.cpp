#include "whorl/recon/spectral_lambda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "calib/channels.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

struct Shell {
  double points = 0;   // of the Cartesian grid
  double samples = 0;  // on the trajectory
  double energy = 0;   // of these, of all coils, less the noise
};

// Shells of equal thickness up to the ellipsoid |2 k| = 1 inscribed to k-space, and one for the corners beyond it.
std::vector<Shell> shells_of(const Trajectory& trajectory, const Shape& image, const Array<double>& energies,
                             double energy_unit, Index coils) {
  const Index inside = std::max<Index>(*std::max_element(image.begin(), image.end()) / 2, 1);
  std::vector<Shell> shells(static_cast<std::size_t>(inside) + 1);
  const int dim = image.rank();
  const double ball = dim == 2 ? std::numbers::pi / 4 : std::numbers::pi / 6;  // of the box around it
  for (Index b = 0; b < inside; ++b) {
    const double inner = static_cast<double>(b) / static_cast<double>(inside);
    const double outer = static_cast<double>(b + 1) / static_cast<double>(inside);
    shells[static_cast<std::size_t>(b)].points =
        ball * static_cast<double>(image.size()) * (std::pow(outer, dim) - std::pow(inner, dim));
  }
  shells.back().points = (1 - ball) * static_cast<double>(image.size());
  double farthest = 0;  // in thicknesses of a shell
  const auto k = trajectory.points.view<2>();
  for (Index j = 0; j < k.extent(0); ++j) {
    double square = 0;
    for (Index axis = 0; axis < k.extent(1); ++axis) square += k(j, axis) * k(j, axis);
    const double radius = 2 * std::sqrt(square) * static_cast<double>(inside);
    farthest = std::max(farthest, radius);
    Shell& shell = shells[static_cast<std::size_t>(std::min(static_cast<Index>(radius), inside))];
    ++shell.samples;
    shell.energy += energy_unit * energies.data()[j] - static_cast<double>(coils);
  }
  // Spokes end at |k| = 1/2. Samples at the inner edge of the corners tell nothing of them: a fifth of the grid in 2D,
  // half of it in 3D.
  if (farthest < static_cast<double>(inside) + 0.5) {
    Shell& last = shells[static_cast<std::size_t>(inside) - 1];
    last.samples += shells.back().samples;
    last.energy += shells.back().energy;
    shells.back().samples = 0;
  }
  return shells;
}

// The expected squared error of the image where lambda s is `weight`.
double expected_error(const std::vector<Shell>& shells, double weight) {
  double error = 0;
  for (const Shell& shell : shells) {
    if (shell.samples == 0) continue;  // the same for every lambda
    const double power = std::max(0.0, shell.energy / shell.samples);
    const double density = shell.samples / shell.points;
    error += shell.points * (weight * weight * power + density) / std::pow(density + weight, 2);
  }
  return error;
}

}  // namespace

template <Precision Real>
LambdaChoice spectral_lambda(const Context& ctx, const Trajectory& trajectory, const Shape& image_shape,
                             ArrayRef<const std::complex<Real>> data, double eigenvalue, double unit) {
  if (data.rank() != 2 || data.extent(1) != trajectory.samples() || trajectory.dim() != image_shape.rank()) {
    throw ShapeError(
        fmt::format("choice of lambda: data {} for a trajectory of {} samples in {} dimensions and an image "
                    "{}; expected [coil, sample] of these samples, and as many dimensions",
                    to_string(data.shape()), trajectory.samples(), trajectory.dim(), to_string(image_shape)));
  }
  if (!(eigenvalue > 0)) {
    throw ValueError(fmt::format("choice of lambda: a largest eigenvalue of {}, expected a positive one", eigenvalue));
  }
  const auto coils = data.extent(0);
  const detail::RowMajorMatrix<double> identity = detail::RowMajorMatrix<double>::Identity(coils, coils);
  const Array<double> energies = to_host(ctx, detail::sample_energies<Real>(ctx, identity, data));
  const std::vector<Shell> shells = shells_of(trajectory, image_shape, energies, unit * unit, coils);
  double signal = 0;
  for (const Shell& shell : shells) {
    if (shell.samples > 0) signal += shell.points * std::max(0.0, shell.energy / shell.samples);
  }
  // R is smooth over log lambda: steps of a fortieth of a decade change it by less than 0.1 % near its minimum.
  constexpr int steps_per_decade = 40;
  constexpr int lowest = -8;
  constexpr int decades = 9;
  LambdaChoice choice;
  choice.method = LambdaMethod::spectrum;
  double least = 0;
  for (int i = 0; i <= decades * steps_per_decade; ++i) {
    const double lambda = std::pow(10.0, lowest + static_cast<double>(i) / steps_per_decade);
    const double error = expected_error(shells, lambda * eigenvalue);
    if (i > 0 && error >= least) continue;
    least = error;
    choice.lambda = lambda;
  }
  if (!(signal > 0)) {
    choice.reason = fmt::format("Lambda {:.2e}, the largest: the data have no energy above the noise", choice.lambda);
    return choice;
  }
  const auto voxels = static_cast<double>(image_shape.size());
  choice.reason = fmt::format(
      "Lambda {:.2e} from the power spectrum of the data (a voxel has {:.3g} times the energy of the noise in a "
      "sample)",
      choice.lambda, signal / voxels);
  return choice;
}

template LambdaChoice spectral_lambda<float>(const Context&, const Trajectory&, const Shape&,
                                             ArrayRef<const std::complex<float>>, double, double);
template LambdaChoice spectral_lambda<double>(const Context&, const Trajectory&, const Shape&,
                                              ArrayRef<const std::complex<double>>, double, double);

}  // namespace whorl
