// The singular values of patches over the frames: few time courses at a place (LocallyLowRank).
#include <algorithm>
#include <cmath>

#include "recon/regularizers/term.hpp"
#include "whorl/prox/locally_low_rank.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl::recon {

namespace {

template <class Real>
ProximalPenalty<Real> make_llr(const Shape& series, const Regularizer& what, double unit) {
  return {std::make_shared<const LocallyLowRank<Real>>(
              series, LocallyLowRankOptions{.patch = what.patch, .shifts = what.shift}),
          what.weight * unit};
}

double llr_threshold(const Regularizer& what, const Shape& series) {
  constexpr double of_singular_values = 0.25;
  Index pixels = 1;
  for (int axis = 1; axis < series.rank(); ++axis) pixels *= std::min<Index>(what.patch, series[axis]);
  return of_singular_values * (std::sqrt(static_cast<double>(pixels)) + std::sqrt(static_cast<double>(series[0])));
}

}  // namespace

extern const RegularizerTerm llr_term{
    .kind = RegularizerKind::llr,
    .word = "llr",
    .options = {{{"weight"}, {"unit"}, {"patch"}, {"shift"}}},
    .spans_frames = always,
    .threshold = llr_threshold,
    .arrays = [](const Regularizer& what, Index /*image_axes*/) { return TermArrays{.versions = what.shift}; },
    .make = make_llr<float>,
    .make_double = make_llr<double>};

}  // namespace whorl::recon
