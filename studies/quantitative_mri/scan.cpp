#include "studies/quantitative_mri/scan.hpp"

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
constexpr std::uint64_t noise_seed = 1;

Trajectory kooshball(const Context& ctx, Index size) {
  const double part = static_cast<double>(size) / full_size;
  Trajectory trajectory =
      kooshball_trajectory(ctx, std::llround(full_spokes * part * part), std::llround(full_readout * part));
  for (double& k : trajectory.points.span()) k *= full_readout / full_size;
  return trajectory;
}

}  // namespace

SimulatedScan simulate(const Context& ctx, const Options& options) {
  const Object object(options.blur);
  SimulatedScan scan;
  scan.size = options.size;
  scan.trajectory = kooshball(ctx, options.size);
  scan.weights = radial_density<double>(ctx, scan.trajectory);
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
