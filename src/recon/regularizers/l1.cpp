// The magnitudes of the pixels: few that are not 0 (L1).
#include <cmath>

#include "recon/regularizers/term.hpp"
#include "whorl/prox/l1.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl::recon {

namespace {

template <class Real>
ProximalPenalty<Real> make_l1(const Shape& series, const Regularizer& what, double unit) {
  return {std::make_shared<const L1<Real>>(series, what.joint), what.weight * unit};
}

double l1_threshold(const Regularizer& what, const Shape& series) {
  return what.joint ? std::sqrt(static_cast<double>(series[0])) : 1;
}

}  // namespace

extern const RegularizerTerm l1_term{
    .kind = RegularizerKind::l1,
    .word = "l1",
    .options = {{{"weight"}, {"unit"}, {"joint"}}},
    .is_pointwise = true,
    .spans_frames = [](const Regularizer& what) { return what.joint; },
    .threshold = l1_threshold,
    .arrays = [](const Regularizer& /*what*/, Index /*image_axes*/) { return TermArrays{}; },
    .make = make_l1<float>,
    .make_double = make_l1<double>};

}  // namespace whorl::recon
