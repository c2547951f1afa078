#include "studies/mri_q/truth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace whorl::studies::mri_q {

Truth truth_of(const Context& ctx, const Problem& problem, Index most_voxels) {
  const Pointers in = pointers_of(problem);
  const Index count = std::min(most_voxels, in.voxels);
  Truth truth{std::vector<Index>(static_cast<std::size_t>(count)),
              std::vector<std::complex<double>>(static_cast<std::size_t>(count))};
#pragma omp parallel for num_threads(ctx.threads())
  for (Index n = 0; n < count; ++n) {
    const Index i = spread_voxel(n, count, in.voxels);
    const double x = in.x[i];
    const double y = in.y[i];
    const double z = in.z[i];
    std::complex<double> sum;
    for (Index j = 0; j < in.samples; ++j) {
      const double turns = in.kx[j] * x + in.ky[j] * y + in.kz[j] * z;
      const double angle = 2 * std::numbers::pi * (turns - std::round(turns));
      sum += std::norm(std::complex<double>(in.phi[j])) * std::complex<double>(std::cos(angle), std::sin(angle));
    }
    truth.voxels[static_cast<std::size_t>(n)] = i;
    truth.q[static_cast<std::size_t>(n)] = sum;
  }
  return truth;
}

double relative_error(const Truth& truth, ArrayRef<const float> q) {
  const auto parts = q.view<2>();
  double difference = 0;
  double total = 0;
  for (std::size_t n = 0; n < truth.q.size(); ++n) {
    const Index i = truth.voxels[n];
    difference += std::norm(std::complex<double>(parts(0, i), parts(1, i)) - truth.q[n]);
    total += std::norm(truth.q[n]);
  }
  return std::sqrt(difference / total);
}

Acceptance judge(ArrayRef<const float> q, ArrayRef<const float> reference) {
  constexpr double of_largest = 1e-4;
  constexpr double of_its_own = 0.002;
  if (q.size() != reference.size()) {
    throw ShapeError(fmt::format("mri_q: the reference has {} voxels, expected {} as the input has",
                                 reference.size() / 2, q.size() / 2));
  }
  Acceptance result{.numbers = q.size()};
  for (const float value : reference.span()) {
    result.largest_reference = std::max(result.largest_reference, std::abs(double{value}));
  }
  for (std::size_t i = 0; i < q.span().size(); ++i) {
    const double expected = reference.span()[i];
    const double difference = std::abs(q.span()[i] - expected);
    const bool right =
        difference <= of_largest * result.largest_reference || difference < of_its_own * std::abs(expected);
    // Neither holds for NaN.
    if (!right) ++result.outside;
    if (!(difference <= result.largest_difference)) result.largest_difference = difference;
  }
  return result;
}

}  // namespace whorl::studies::mri_q
