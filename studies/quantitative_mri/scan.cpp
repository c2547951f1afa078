#include "studies/quantitative_mri/scan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "studies/quantitative_mri/object.hpp"
#include "whorl/core/random.hpp"
#include "whorl/density/radial_density.hpp"
#include "whorl/trajectory/kooshball.hpp"

namespace whorl::studies::quantitative_mri {

namespace {

constexpr double full_size = 128;
constexpr double full_spokes = 5082;
constexpr double full_readout = 56;
// Reach of the trajectory's own spokes, which end at 1/2.
constexpr double full_reach = 0.5;
constexpr std::uint64_t noise_seed = 1;

}  // namespace

Trajectory kooshball(const Context& ctx, Index size, Index samples, double reach, bool center) {
  const double part = static_cast<double>(size) / full_size;
  const Index readout = std::llround(full_readout * part);
  const Index spokes =
      samples == 0 ? std::llround(full_spokes * part * part) : std::max<Index>(1, (samples + readout / 2) / readout);
  Trajectory trajectory = kooshball_trajectory(ctx, spokes, readout);
  const auto k = trajectory.points.view<2>();
  for (Index first = 0; first < trajectory.samples(); first += trajectory.readout_length) {
    for (Index axis = 0; axis < 3; ++axis) {
      const double half_step = center ? 0 : (k(first + 1, axis) - k(first, axis)) / 2;
      for (Index i = first; i < first + trajectory.readout_length; ++i) {
        k(i, axis) = (k(i, axis) + half_step) * reach / full_reach;
      }
    }
  }
  return trajectory;
}

SimulatedScan simulate(const Context& ctx, const Options& options) {
  const Object object(options.blur);
  SimulatedScan scan;
  scan.size = options.size;
  scan.trajectory = kooshball(ctx, options.size, 0, options.reach, options.center);
  scan.weights = radial_density<double>(ctx, scan.trajectory, {options.size, options.size, options.size});
  scan.data.push_back(object.samples(ctx, options.size, scan.trajectory.points));
  Array<std::complex<double>> noisy(ctx, scan.data.front().shape());
  fill_random_normal<double>(noisy, noise_seed);
  for (Index j = 0; j < noisy.size(); ++j) {
    noisy.data()[j] = scan.data.front().data()[j] + options.noise * noisy.data()[j];
  }
  scan.data.push_back(std::move(noisy));
  scan.truth = object.image(ctx, options.size);
  scan.reference = object.reference(ctx, options.size);
  return scan;
}

}  // namespace whorl::studies::quantitative_mri
