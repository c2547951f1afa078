#include "correct/delays/readout_prediction.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace whorl::detail {

namespace {

constexpr Index readout_folds = 4;
constexpr Index least_foretelling_readouts = 8;
constexpr Index most_foretelling = 1200;
constexpr Index most_foretelling_coils = 3;  // the strongest ones
constexpr Index least_foretelling = 50;
constexpr double foretelling_ridge = 1e-5;  // noise of 0.3 % of the largest samples

double center_distance(const std::array<double, 3>& k) { return std::hypot(k[0], k[1], k[2]); }

// Neighbors of a spoke that is left out are two angles apart: less than a cycle up to here.
double foretold_radius(const Trajectory& trajectory, Index readouts) {
  const double all = center_radius(trajectory.dim());
  if (trajectory.dim() == 3 || readouts < least_foretelling_readouts || !has_spokes(trajectory)) return all;
  return std::min(all, static_cast<double>(readouts) / (2 * std::numbers::pi));
}

std::vector<Index> strongest_coils(ArrayRef<const std::complex<float>> data, const std::vector<Index>& samples) {
  std::vector<std::pair<double, Index>> energies;
  for (Index c = 0; c < data.extent(0); ++c) {
    double energy = 0;
    for (const Index j : samples) energy += std::norm(std::complex<double>(data.data()[c * data.extent(1) + j]));
    energies.emplace_back(-energy, c);
  }
  std::sort(energies.begin(), energies.end());
  std::vector<Index> coils;
  for (std::size_t i = 0; i < energies.size() && std::ssize(coils) < most_foretelling_coils; ++i)
    coils.push_back(energies[i].second);
  return coils;
}

}  // namespace

ReadoutPrediction::ReadoutPrediction(const DelayFrame& frame, const Shape& image) : dim_(frame.trajectory->dim()) {
  const Trajectory& trajectory = *frame.trajectory;
  for (int axis = 0; axis < dim_; ++axis) {
    extent_[static_cast<std::size_t>(axis)] = static_cast<double>(image[-1 - axis]);
  }
  std::vector<Index> near;
  for (Index j = 0; j < trajectory.samples(); ++j) {
    if (center_distance(place(trajectory, j)) <= center_radius(dim_)) near.push_back(j);
  }
  const auto count = static_cast<Index>(near.size());
  if (count < least_foretelling) return;
  const Index used = std::min(count, most_foretelling);
  for (Index i = 0; i < used; ++i) samples_.push_back(near[static_cast<std::size_t>(i * count / used)]);
  const Index length = trajectory.readout_length;
  const Index readouts = trajectory.samples() / length;
  const double radius = foretold_radius(trajectory, readouts);
  const std::vector<Index> coils = strongest_coils(frame.data, samples_);
  values_.resize(used, std::ssize(coils));
  for (Index i = 0; i < used; ++i) {
    const Index j = samples_[static_cast<std::size_t>(i)];
    // A prime, so that single samples of a fold do not follow the readouts' length.
    folds_.push_back((readouts >= least_foretelling_readouts ? j / length : i * 7919 / 13) % readout_folds);
    is_foretold_.push_back(center_distance(place(trajectory, j)) <= radius);
    for (Index c = 0; c < values_.cols(); ++c) {
      values_(i, c) =
          std::complex<double>(frame.data.data()[coils[static_cast<std::size_t>(c)] * frame.data.extent(1) + j]);
    }
    if (is_foretold_.back()) energy_ += values_.row(i).squaredNorm();
  }
}

std::array<double, 3> ReadoutPrediction::place(const Trajectory& trajectory, Index sample) const {
  std::array<double, 3> k{};
  for (int axis = 0; axis < dim_; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    k[a] = trajectory.points.view<2>()(sample, axis) * extent_[a];
  }
  return k;
}

double ReadoutPrediction::left(const Context& ctx, const Trajectory& places) const {
  std::vector<std::array<double, 3>> all;
  for (const Index j : samples_) all.push_back(place(places, j));
  double square = 0;
  for (Index fold = 0; fold < readout_folds; ++fold) {
    std::vector<SampleUse> uses(samples_.size(), SampleUse::fitted);
    double energy = 0;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (folds_[i] != fold) continue;
      uses[i] = is_foretold_[i] ? SampleUse::held : SampleUse::none;
      if (is_foretold_[i]) energy += values_.row(static_cast<Index>(i)).squaredNorm();
    }
    if (energy == 0) continue;
    const CenterFit fit = CenterModel(ctx, dim_, all, uses, foretelling_ridge).fit(values_);
    square += fit.residual * fit.residual * energy;
  }
  return square;
}

}  // namespace whorl::detail
