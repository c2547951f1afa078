// Total variation in space and in time, of parts of the series (InfimalVariation).
#include "recon/regularizers/difference_axes.hpp"
#include "recon/regularizers/term.hpp"
#include "whorl/prox/infimal_variation.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl::recon {

namespace {

template <class Real>
ProximalPenalty<Real> make_ictv(const Shape& series, const Regularizer& what, double unit) {
  return {std::make_shared<const InfimalVariation<Real>>(
      series, what.weight * unit, InfimalVariationOptions{what.time, what.mix, cyclic_axes(series, what)})};
}

TermArrays ictv_arrays(const Regularizer& what, Index image_axes) {
  const Index both = what.mix > 0 ? 2 * (image_axes + 1) : image_axes + 1;
  return {.duals = both, .unknowns = 1, .working = both + 1, .differs = true};
}

}  // namespace

extern const RegularizerTerm ictv_term{.kind = RegularizerKind::ictv,
                                       .word = "ictv",
                                       .options = {{{"weight"}, {"unit"}, {"cyclic"}, {"time"}, {"mix"}}},
                                       .has_proximal_operator = false,
                                       .has_parts = true,
                                       .spans_frames = always,
                                       .threshold = threshold_of_differences,
                                       .arrays = ictv_arrays,
                                       .make = make_ictv<float>,
                                       .make_double = make_ictv<double>};

}  // namespace whorl::recon
