#include "recon/lambda/power_shells.hpp"

#include <cmath>
#include <numbers>

#include "calib/channels.hpp"

namespace whorl::recon {

template <class Real>
std::vector<PowerShell> power_shells(const Context& ctx, const Trajectory& trajectory, const Shape& image,
                                     ArrayRef<const std::complex<Real>> data, double noise) {
  const auto coils = data.extent(0);
  const detail::RowMajorMatrix<double> identity = detail::RowMajorMatrix<double>::Identity(coils, coils);
  const Array<double> energies = to_host(ctx, detail::sample_energies<Real>(ctx, identity, data));
  const Index inside = std::max<Index>(*std::max_element(image.begin(), image.end()) / 2, 1);
  std::vector<PowerShell> shells(static_cast<std::size_t>(inside) + 1);
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
    PowerShell& shell = shells[static_cast<std::size_t>(std::min(static_cast<Index>(radius), inside))];
    ++shell.samples;
    shell.energy += energies.data()[j] - noise;
  }
  // Spokes end at |k| = 1/2. Samples at the inner edge of the corners tell nothing of them: a fifth of the grid in 2D,
  // half of it in 3D.
  if (farthest < static_cast<double>(inside) + 0.5) {
    PowerShell& last = shells[static_cast<std::size_t>(inside) - 1];
    last.samples += shells.back().samples;
    last.energy += shells.back().energy;
    shells.back().samples = 0;
  }
  return shells;
}

template std::vector<PowerShell> power_shells<float>(const Context&, const Trajectory&, const Shape&,
                                                     ArrayRef<const std::complex<float>>, double);
template std::vector<PowerShell> power_shells<double>(const Context&, const Trajectory&, const Shape&,
                                                      ArrayRef<const std::complex<double>>, double);

}  // namespace whorl::recon
