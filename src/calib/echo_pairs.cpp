#include "calib/echo_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace whorl {

namespace {

constexpr double turn = 2 * std::numbers::pi;
constexpr double same_spacing = 1e-6;  // relative

}  // namespace

EchoPairs::EchoPairs(const Context& ctx, ArrayRef<const std::complex<float>> echoes, std::span<const double> times) {
  const auto count = times.size();
  const Index coils = echoes.extent(1);
  const Index voxels = echoes.size() / (static_cast<Index>(count) * coils);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
  for (const std::size_t echo : order) times_.push_back(times[echo]);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) pairs.emplace_back(i, j);
  }
  const auto spacing = [&](const auto& pair) { return times_[pair.second] - times_[pair.first]; };
  std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) { return spacing(a) < spacing(b); });
  for (const auto& pair : pairs) spacings_.push_back(spacing(pair));

  products_.resize(static_cast<std::size_t>(voxels) * pairs.size());
  energies_.resize(static_cast<std::size_t>(voxels) * count);
  magnitude_.resize(static_cast<std::size_t>(voxels));
  const auto value = [&](std::size_t echo, Index coil, Index voxel) {
    return std::complex<double>(echoes.data()[(static_cast<Index>(order[echo]) * coils + coil) * voxels + voxel]);
  };
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index v = 0; v < voxels; ++v) {
    double total = 0;
    for (std::size_t e = 0; e < count; ++e) {
      double energy = 0;
      for (Index c = 0; c < coils; ++c) energy += std::norm(value(e, c, v));
      energies_[static_cast<std::size_t>(v) * count + e] = static_cast<float>(energy);
      total += energy;
    }
    magnitude_[static_cast<std::size_t>(v)] = std::sqrt(total);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      std::complex<double> sum = 0;
      for (Index c = 0; c < coils; ++c) sum += std::conj(value(pairs[p].first, c, v)) * value(pairs[p].second, c, v);
      products_[at(v, p)] = std::complex<float>(sum);
    }
  }
}

std::vector<std::complex<double>> EchoPairs::products_of_shortest() const {
  std::vector<std::complex<double>> sums(magnitude_.size());
  for (std::size_t v = 0; v < sums.size(); ++v) {
    for (std::size_t p = 0; p < spacings_.size() && spacings_[p] <= (1 + same_spacing) * shortest(); ++p) {
      sums[v] += std::complex<double>(products_[at(static_cast<Index>(v), p)]);
    }
  }
  return sums;
}

EchoPairs::Slope EchoPairs::slope(Index voxel, double f, double longest) const {
  Slope slope;
  for (std::size_t p = 0; p < spacings_.size() && spacings_[p] <= (1 + same_spacing) * longest; ++p) {
    const std::complex<double> product(products_[at(voxel, p)]);
    const double rate = turn * spacings_[p];
    const double u = std::remainder(std::arg(product) + rate * f, turn);
    const double weight = std::abs(product);
    slope.first += weight * rate * std::sin(u);
    slope.curvature += weight * rate * rate * (std::abs(u) > 1e-4 ? std::sin(u) / u : 1);
  }
  return slope;
}

double EchoPairs::agreement(std::span<const Index> voxels, std::span<const double> field, double more) const {
  double sum = 0;
  double total = 0;
  for (const Index v : voxels) {
    for (std::size_t p = 0; p < spacings_.size(); ++p) {
      const std::complex<double> product(products_[at(v, p)]);
      const double f = field[static_cast<std::size_t>(v)] + more;
      sum += std::abs(product) * std::cos(std::arg(product) + turn * spacings_[p] * f);
      total += std::abs(product);
    }
  }
  return total > 0 ? sum / total : 0;
}

double EchoPairs::spread(Index voxel) const {
  const float* energies = energies_.data() + static_cast<std::size_t>(voxel) * times_.size();
  double weight = 0;
  double first = 0;
  for (std::size_t e = 0; e < times_.size(); ++e) {
    weight += static_cast<double>(energies[e]);
    first += static_cast<double>(energies[e]) * times_[e];
  }
  double second = 0;
  for (std::size_t e = 0; e < times_.size(); ++e) {
    second += static_cast<double>(energies[e]) * std::pow(times_[e] - first / weight, 2);
  }
  return second > 0 ? 1 / (turn * std::sqrt(second)) : 0;
}

}  // namespace whorl
