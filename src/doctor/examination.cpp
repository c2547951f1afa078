#include "doctor/examination.hpp"

#include <algorithm>
#include <cmath>

#include "doctor/noise_level.hpp"
#include "math/decompositions.hpp"
#include "whorl/calib/noise.hpp"

namespace whorl::doctor {

namespace {

constexpr Index most_samples = 3000;
constexpr Index most_virtual_coils = 3;
constexpr double consistent_part = 0.02;
constexpr double most_noise = 0.25;  // relative: where signal should be; more is no signal
constexpr double explained_part = 0.75;
constexpr double least_statistic = 60;  // of a change that leaves noise: chance stays below 20 in many trials

double length_of(const std::array<double, 3>& k) { return std::hypot(k[0], k[1], k[2]); }

}  // namespace

double explained(double before, double after) {
  return before > 0 ? std::clamp(1 - std::pow(after / before, 2), 0.0, 1.0) : 0;
}

void Examination::apply(const Context& ctx, const Finding& finding) {
  finding.mend(ctx, scan_);
  nominal_fit_.reset();
  noise_power_.reset();
  virtual_coils_.reset();
}

std::array<double, 3> Examination::place_in(const Trajectory& trajectory, Index sample) const {
  const auto k = trajectory.points.view<2>();
  std::array<double, 3> place{};
  for (Index axis = 0; axis < k.extent(1); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    place[a] = k(sample, axis) * static_cast<double>(scan_.matrix[a]);
  }
  return place;
}

std::vector<Index> Examination::samples_within(const Place& place, double radius) const {
  std::vector<Index> near;
  for (Index j = 0; j < frame().trajectory->samples(); ++j) {
    if (length_of(place(j)) <= radius) near.push_back(j);
  }
  const auto count = static_cast<Index>(near.size());
  if (count <= most_samples) return near;
  std::vector<Index> some;
  for (Index i = 0; i < most_samples; ++i) some.push_back(near[static_cast<std::size_t>(i * count / most_samples)]);
  return some;
}

const detail::Matrix<double>& Examination::virtual_coils(const Context&) {
  if (virtual_coils_) return *virtual_coils_;
  const auto near = samples_within([this](Index j) { return nominal(j); }, detail::center_radius(scan_.dim()));
  const auto data = frame().data.view<2>();
  detail::Matrix<double> values(scan_.coils, static_cast<Index>(near.size()));
  for (std::size_t i = 0; i < near.size(); ++i) {
    for (Index c = 0; c < scan_.coils; ++c) values(c, static_cast<Index>(i)) = std::complex<double>(data(c, near[i]));
  }
  const detail::Matrix<double> gram = values * values.adjoint();
  virtual_coils_ = detail::eigenpairs(gram).vectors.rightCols(std::min(scan_.coils, most_virtual_coils));
  return *virtual_coils_;
}

detail::CenterSamples Examination::center_samples(const Context& ctx, const std::vector<Index>& samples,
                                                  const Place& place) {
  detail::CenterSamples center{scan_.dim(), {}, {}};
  const auto data = frame().data.view<2>();
  detail::Matrix<double> values(static_cast<Index>(samples.size()), scan_.coils);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    center.places.push_back(place(samples[i]));
    for (Index c = 0; c < scan_.coils; ++c)
      values(static_cast<Index>(i), c) = std::complex<double>(data(c, samples[i]));
  }
  center.values = values * virtual_coils(ctx).conjugate();
  return center;
}

detail::CenterFit Examination::fit(const Context& ctx, const Place& place) {
  const double radius = detail::center_radius(scan_.dim());
  return detail::fit_center(ctx, center_samples(ctx, samples_within(place, radius), place));
}

const detail::CenterFit& Examination::nominal_fit(const Context& ctx) {
  if (!nominal_fit_) nominal_fit_ = fit(ctx, [this](Index j) { return nominal(j); });
  return *nominal_fit_;
}

const std::vector<double>& Examination::noise_power(const Context&) {
  if (noise_power_) return *noise_power_;
  noise_power_ = noise_of_data(scan_, frame());
  if (scan_.noise.size() == 0) return *noise_power_;
  // Noise at another sample time has another bandwidth.
  const double scale = dwell_scale(scan_.noise_dwell_us, scan_.dwell_us).value_or(1);
  const auto noise = scan_.noise.view<2>();
  for (Index c = 0; c < scan_.coils; ++c) {
    double& power = (*noise_power_)[static_cast<std::size_t>(c)];
    if (power > 0) continue;
    for (Index j = 0; j < noise.extent(1); ++j) power += std::norm(std::complex<double>(noise(c, j)));
    power *= scale / static_cast<double>(noise.extent(1));
  }
  return *noise_power_;
}

double Examination::relative_noise(const Context& ctx) {
  const std::vector<double>& power = noise_power(ctx);
  if (std::all_of(power.begin(), power.end(), [](double p) { return p == 0; })) return 0;
  const detail::Matrix<double>& coils = virtual_coils(ctx);
  double noise = 0;
  for (Index c = 0; c < scan_.coils; ++c) noise += power[static_cast<std::size_t>(c)] * coils.row(c).squaredNorm();
  const Place place = [this](Index j) { return nominal(j); };
  const detail::CenterSamples center =
      center_samples(ctx, samples_within(place, detail::center_radius(scan_.dim())), place);
  const double signal = center.values.squaredNorm() / static_cast<double>(std::max<Index>(1, center.values.rows()));
  return signal > 0 ? std::sqrt(noise / signal) : 0;
}

bool Examination::is_consistent(const Context& ctx, double residual) {
  return residual <= std::max(consistent_part, 2 * std::min(relative_noise(ctx), most_noise));
}

bool Examination::explains(const Context& ctx, double before, const detail::CenterFit& after) {
  if (after.grid == 0 || !(after.residual < before)) return false;
  const double part = explained(before, after.residual);
  if (part >= explained_part) return true;
  const double ratio = std::pow(before / after.residual, 2) - 1;
  return after.residual <= 1.5 * relative_noise(ctx) && ratio * static_cast<double>(after.held) >= least_statistic;
}

}  // namespace whorl::doctor
