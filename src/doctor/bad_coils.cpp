// Coils without signal, and coils that are copies of others.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "doctor/check.hpp"

namespace whorl::doctor {

namespace {

constexpr double center_reach = 4;   // cycles per field of view: where coils have most signal
constexpr double dead_ratio = 4;     // energy over the noise's
constexpr double alive_ratio = 400;  // of the best coil: that the scan has signal at all
constexpr double edge = 0.8;         // of the largest radius
constexpr double sure = 0.99;
constexpr double copy_limit = 1e-6;  // 1 - correlation^2: rounding of float leaves 1e-13, another coil more than 1e-4

// Takes the coils of a list out of data, noise and maps.
Array<std::complex<float>> without(const Context& ctx, const Array<std::complex<float>>& all,
                                   const std::vector<Index>& coils) {
  std::vector<Index> kept;
  for (Index c = 0; c < all.extent(0); ++c) {
    if (std::find(coils.begin(), coils.end(), c) == coils.end()) kept.push_back(c);
  }
  Array<std::complex<float>> some(ctx.host(), all.shape().tail().with_front(static_cast<Index>(kept.size())));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    copy<std::complex<float>>(all.slice(kept[i]), some.slice(static_cast<Index>(i)));
  }
  return some;
}

void leave_out(const Context& ctx, Scan& scan, const std::vector<Index>& coils) {
  for (ScanFrame& frame : scan.frames) frame.data = without(ctx, frame.data, coils);
  if (scan.noise.size() > 0) scan.noise = without(ctx, scan.noise, coils);
  if (scan.coil_maps.size() > 0) scan.coil_maps = without(ctx, scan.coil_maps, coils);
  scan.coils -= static_cast<Index>(coils.size());
}

Finding finding(const std::string& check, const std::string& what, const std::vector<Index>& coils) {
  return {.check = check,
          .what = what,
          .value = static_cast<double>(coils.size()),
          .unit = "coils",
          .confidence = sure,
          .remedy = "whorl doctor --fix",
          .mend_text = fmt::format("coil {} left out", fmt::join(coils, ", ")),
          .mend = [coils](const Context& ctx, Scan& scan) { leave_out(ctx, scan, coils); }};
}

// The energies of the coils near the center, and their products: [coil, coil].
detail::Matrix<double> gram_near_center(const Examination& examination) {
  const Index coils = examination.scan().coils;
  const auto near = examination.samples_within([&](Index j) { return examination.nominal(j); }, center_reach);
  const auto data = examination.frame().data.view<2>();
  detail::Matrix<double> values(coils, static_cast<Index>(near.size()));
  for (std::size_t i = 0; i < near.size(); ++i) {
    for (Index c = 0; c < coils; ++c) values(c, static_cast<Index>(i)) = std::complex<double>(data(c, near[i]));
  }
  return values * values.adjoint() / static_cast<double>(std::max<std::size_t>(1, near.size()));
}

// Where nothing else tells the noise: the median energy at the edge of k-space, which is not below that of the noise.
double energy_at_edge(const Examination& examination, Index coil) {
  const Trajectory& trajectory = *examination.frame().trajectory;
  const auto data = examination.frame().data.view<2>();
  std::vector<double> radii;
  for (Index j = 0; j < trajectory.samples(); ++j) {
    const auto k = examination.nominal(j);
    radii.push_back(std::hypot(k[0], k[1], k[2]));
  }
  const double farthest = *std::max_element(radii.begin(), radii.end());
  std::vector<double> energies;
  for (std::size_t j = 0; j < radii.size(); ++j) {
    if (radii[j] >= edge * farthest) {
      energies.push_back(std::norm(std::complex<double>(data(coil, static_cast<Index>(j)))));
    }
  }
  const auto middle = energies.begin() + static_cast<std::ptrdiff_t>(energies.size() / 2);
  std::nth_element(energies.begin(), middle, energies.end());
  return *middle;
}

}  // namespace

// A dead coil has no more energy in the center of k-space than noise has, where another has much; or one value
// everywhere, such as 0.
Findings find_dead_coils(const Context& ctx, Examination& examination) {
  const Scan& scan = examination.scan();
  if (scan.coils < 2) return {};
  const std::vector<double> noise = examination.noise_power(ctx);
  const detail::Matrix<double> gram = gram_near_center(examination);
  std::vector<double> ratios;
  for (Index c = 0; c < scan.coils; ++c) {
    const double known = noise[static_cast<std::size_t>(c)];
    const double beside = known > 0 ? known : energy_at_edge(examination, c);
    const double energy = gram(c, c).real();
    ratios.push_back(energy == 0 ? 0 : energy / beside);
  }
  const double best = *std::max_element(ratios.begin(), ratios.end());
  std::vector<Index> dead;
  for (Index c = 0; c < scan.coils; ++c) {
    const bool is_weak = best > alive_ratio && ratios[static_cast<std::size_t>(c)] < dead_ratio;
    if (is_weak || is_constant(scan, c)) dead.push_back(c);
  }
  if (dead.empty()) return {};
  return {
      finding("dead coil",
              fmt::format("coil {} has noise alone in the center of k-space, or nothing (energy below {:g} times that "
                          "of noise, or one value everywhere; another coil has {:.3g} times)",
                          fmt::join(dead, ", "), dead_ratio, best),
              dead)};
}

// A copy is a multiple of another coil, with the same noise.
Findings find_copied_coils(const Context&, Examination& examination) {
  const Index coils = examination.scan().coils;
  if (coils < 2) return {};
  const detail::Matrix<double> gram = gram_near_center(examination);
  std::vector<Index> copies;
  std::string pairs;
  for (Index b = 1; b < coils; ++b) {
    for (Index a = 0; a < b; ++a) {
      const double energies = gram(a, a).real() * gram(b, b).real();
      if (!(energies > 0) || 1 - std::norm(gram(a, b)) / energies > copy_limit) continue;
      copies.push_back(b);
      pairs += fmt::format("{}coil {} is one of coil {}", pairs.empty() ? "" : ", ", b, a);
      break;
    }
  }
  if (copies.empty()) return {};
  return {finding("copied coil", fmt::format("copies, noise included: {}", pairs), copies)};
}

}  // namespace whorl::doctor
