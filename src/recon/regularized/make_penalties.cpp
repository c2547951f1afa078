#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "recon/regularizers/term.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl {

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
          "regularizer {}: it holds frames of a slice together, and there is one; use a scan with more frames, or cut "
          "it into frames (--spokes-per-frame)",
          recon::descriptor_of(what).word));
    }
    const recon::RegularizerTerm& term = recon::descriptor_of(what);
    if constexpr (std::is_same_v<Real, float>) {
      penalties.push_back(term.make(series, what, unit));
    } else {
      penalties.push_back(term.make_double(series, what, unit));
    }
  }
  return penalties;
}

#define WHORL_INSTANTIATE(Real)                                                                                   \
  template double largest_magnitude<Real>(const Context&, ArrayRef<const std::complex<Real>>);                    \
  template std::vector<ProximalPenalty<Real>> make_penalties<Real>(const Shape&, const std::vector<Regularizer>&, \
                                                                   double);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)
#undef WHORL_INSTANTIATE

}  // namespace whorl
