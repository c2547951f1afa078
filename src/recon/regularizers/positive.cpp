// Real pixels, none below 0 (Box).
#include "recon/regularizers/term.hpp"
#include "whorl/prox/box.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl::recon {

namespace {

template <class Real>
ProximalPenalty<Real> make_positive(const Shape& series, const Regularizer& what, double unit) {
  return {std::make_shared<const Box<Real>>(series, 0), what.weight * unit};
}

}  // namespace

extern const RegularizerTerm positive_term{
    .kind = RegularizerKind::positive,
    .word = "positive",
    .is_pointwise = true,
    .spans_frames = never,
    .threshold = [](const Regularizer& /*what*/, const Shape& /*series*/) { return 1.0; },
    .arrays = [](const Regularizer& /*what*/, Index /*image_axes*/) { return TermArrays{}; },
    .make = make_positive<float>,
    .make_double = make_positive<double>};

}  // namespace whorl::recon
