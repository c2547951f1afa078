#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "recon/regularized/own_term.hpp"
#include "whorl/core/error.hpp"
#include "whorl/prox/box.hpp"
#include "whorl/prox/generalized_variation.hpp"
#include "whorl/prox/infimal_variation.hpp"
#include "whorl/prox/l1.hpp"
#include "whorl/prox/locally_low_rank.hpp"
#include "whorl/prox/low_rank_sparse.hpp"
#include "whorl/prox/wavelet_l1.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl {

namespace {

DifferenceAxes named_axes(const Shape& series, const Regularizer& what, const std::string& names) {
  const auto named = [&](char axis) { return names.find(axis) != std::string::npos; };
  const DifferenceAxes axes{named('t'), named('z'), named('y'), named('x')};
  if (axes.z && series[1] == 1) {
    throw ValueError(fmt::format("regularizer '{}': differences along z of images in 2D; leave z out", to_text(what)));
  }
  return axes;
}

DifferenceAxes axes_of_regularizer(const Shape& series, const Regularizer& what) {
  return what.axes.empty() ? DifferenceAxes{false, series[1] > 1, true, true} : named_axes(series, what, what.axes);
}

DifferenceAxes cyclic_axes(const Shape& series, const Regularizer& what) {
  return named_axes(series, what, what.cyclic);
}

template <class Real>
std::shared_ptr<const ProximalFunction<Real>> function_of(const Shape& series, const Regularizer& what) {
  switch (what.kind) {
    case RegularizerKind::wavelet:
      return std::make_shared<const WaveletL1<Real>>(
          series, WaveletL1Options{.wavelet = {.taps = what.taps, .levels = what.levels},
                                   .joint = what.joint,
                                   .shifts = what.shift,
                                   .approximation = what.approximation});
    case RegularizerKind::l1:
      return std::make_shared<const L1<Real>>(series, what.joint);
    case RegularizerKind::llr:
      return std::make_shared<const LocallyLowRank<Real>>(
          series, LocallyLowRankOptions{.patch = what.patch, .shifts = what.shift});
    case RegularizerKind::positive:
      return std::make_shared<const Box<Real>>(series, 0);
    case RegularizerKind::tv:
    case RegularizerKind::tgv:
    case RegularizerKind::ictv:
    case RegularizerKind::low_rank_sparse:
    case RegularizerKind::own:
      break;
  }
  return nullptr;
}

bool has_proximal_operator(const Regularizer& what) { return what.kind != RegularizerKind::tv && !what.has_unknowns(); }

bool is_pointwise(RegularizerKind kind) { return kind == RegularizerKind::l1 || kind == RegularizerKind::positive; }

template <class Real>
ProximalPenalty<Real> penalty_of(const Shape& series, const Regularizer& what, double unit) {
  const double weight = what.weight * unit;
  switch (what.kind) {
    case RegularizerKind::tv:
      return {.total_variation = std::make_shared<const TotalVariation<Real>>(series, axes_of_regularizer(series, what),
                                                                              weight, cyclic_axes(series, what))};
    case RegularizerKind::tgv:
      return {.infimal = std::make_shared<const GeneralizedVariation<Real>>(
                  series, axes_of_regularizer(series, what), weight, what.ratio, cyclic_axes(series, what))};
    case RegularizerKind::ictv:
      return {.infimal = std::make_shared<const InfimalVariation<Real>>(
                  series, weight, InfimalVariationOptions{what.time, what.mix, cyclic_axes(series, what)})};
    case RegularizerKind::low_rank_sparse:
      return {.infimal = std::make_shared<const LowRankSparse<Real>>(
                  series, weight,
                  LowRankSparseOptions{.sparse = what.sparse,
                                       .transform = what.transform,
                                       .patch = what.matrix == LowRankMatrix::patches ? what.patch : 0,
                                       .two_grids = what.shift})};
    case RegularizerKind::own:
      if constexpr (std::is_same_v<Real, float>) {
        return {.function = std::make_shared<const OwnTerm>(series, what.function, unit), .weight = what.weight};
      }
      throw Unsupported("regularizer '" + to_text(what) + "': a function of float for images of double");
    default:
      return {.function = function_of<Real>(series, what), .weight = weight};
  }
}

}  // namespace

template <Precision Real>
double largest_magnitude(const Context& ctx, ArrayRef<const std::complex<Real>> b) {
  const bool on_host = b.device().kind == DeviceKind::cpu;
  const Array<std::complex<Real>> copy =
      on_host ? Array<std::complex<Real>>() : to_host<const std::complex<Real>>(ctx, b);
  double largest = 0;
  for (const std::complex<Real> value : on_host ? b.span() : copy.ref().span()) {
    largest = std::max(largest, static_cast<double>(std::norm(value)));
  }
  return std::sqrt(largest);
}

template <Precision Real>
std::vector<ProximalPenalty<Real>> make_penalties(const Shape& series, const std::vector<Regularizer>& regularizers,
                                                  double unit) {
  std::vector<ProximalPenalty<Real>> penalties;
  for (const Regularizer& what : regularizers) {
    if (what.spans_frames() && series[0] == 1) {
      throw ValueError(fmt::format(
          "regularizer '{}': it holds frames of a slice together, and there is one; use a scan with more frames",
          to_text(what)));
    }
    penalties.push_back(penalty_of<Real>(series, what, unit));
  }
  return penalties;
}

RegularizedSolver solver_for(RegularizedSolver wanted, const std::vector<Regularizer>& regularizers, bool has_support) {
  const bool takes_fista = regularizers.size() == 1 && has_proximal_operator(regularizers.front()) &&
                           (!has_support || is_pointwise(regularizers.front().kind));
  if (wanted == RegularizedSolver::automatic) return takes_fista ? RegularizedSolver::fista : RegularizedSolver::admm;
  if (wanted == RegularizedSolver::fista && !takes_fista) {
    throw ValueError(
        "regularized least squares: fista takes one regularizer, wavelet, l1, llr or positive, and with a support one "
        "l1 or "
        "positive; use admm or pdhg for others");
  }
  return wanted;
}

std::string to_string(RegularizedSolver solver) {
  switch (solver) {
    case RegularizedSolver::automatic:
      return "auto";
    case RegularizedSolver::fista:
      return "fista";
    case RegularizedSolver::admm:
      return "admm";
    case RegularizedSolver::primal_dual:
      return "pdhg";
  }
  return "unknown";
}

#define WHORL_INSTANTIATE(Real)                                                                                   \
  template double largest_magnitude<Real>(const Context&, ArrayRef<const std::complex<Real>>);                    \
  template std::vector<ProximalPenalty<Real>> make_penalties<Real>(const Shape&, const std::vector<Regularizer>&, \
                                                                   double);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)
#undef WHORL_INSTANTIATE

}  // namespace whorl
