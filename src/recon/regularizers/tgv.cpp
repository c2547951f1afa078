// Total generalized variation: linear between edges (GeneralizedVariation).
#include "recon/regularizers/difference_axes.hpp"
#include "recon/regularizers/term.hpp"
#include "whorl/prox/generalized_variation.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl::recon {

namespace {

template <class Real>
ProximalPenalty<Real> make_tgv(const Shape& series, const Regularizer& what, double unit) {
  return {std::make_shared<const GeneralizedVariation<Real>>(series, axes_of(series, what), what.weight * unit,
                                                             what.ratio, cyclic_axes(series, what))};
}

TermArrays tgv_arrays(const Regularizer& what, Index image_axes) {
  const Index axes = count_of_axes(what, image_axes);
  const Index both = axes + axes * (axes + 1) / 2;
  return {.duals = both, .unknowns = axes, .working = both, .differs = true};
}

}  // namespace

extern const RegularizerTerm tgv_term{.kind = RegularizerKind::tgv,
                                      .word = "tgv",
                                      .options = {{{"weight"}, {"unit"}, {"axes"}, {"cyclic"}, {"ratio"}}},
                                      .has_proximal_operator = false,
                                      .spans_frames = has_frame_axis,
                                      .threshold = threshold_of_differences,
                                      .arrays = tgv_arrays,
                                      .make = make_tgv<float>,
                                      .make_double = make_tgv<double>};

}  // namespace whorl::recon
