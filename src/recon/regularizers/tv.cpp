// Total variation: few edges (TotalVariation).
#include "recon/regularizers/difference_axes.hpp"
#include "recon/regularizers/term.hpp"
#include "whorl/prox/total_variation.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl::recon {

namespace {

template <class Real>
ProximalPenalty<Real> make_tv(const Shape& series, const Regularizer& what, double unit) {
  return {std::make_shared<const TotalVariation<Real>>(series, axes_of(series, what), what.weight * unit,
                                                       cyclic_axes(series, what))};
}

TermArrays tv_arrays(const Regularizer& what, Index image_axes) {
  return {
      .duals = count_of_axes(what, image_axes), .working = 0, .differs = what.axes != "t", .joins = what.axes == "t"};
}

}  // namespace

extern const RegularizerTerm tv_term{.kind = RegularizerKind::tv,
                                     .word = "tv",
                                     .options = {{{"weight"}, {"unit"}, {"axes"}, {"cyclic"}}},
                                     .has_proximal_operator = false,
                                     .spans_frames = has_frame_axis,
                                     .threshold = threshold_of_differences,
                                     .arrays = tv_arrays,
                                     .make = make_tv<float>,
                                     .make_double = make_tv<double>};

}  // namespace whorl::recon
