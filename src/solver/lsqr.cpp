#include "whorl/solver/lsqr.hpp"

#include <fmt/format.h>

#include <cmath>

#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

void check_lsqr_options(const LsqrOptions& options) {
  if (options.iterations < 0 || !(options.tolerance >= 0) || !(options.damping >= 0)) {
    throw ValueError(fmt::format("lsqr: {} iterations, tolerance {}, damping {}; expected 0 or more of each",
                                 options.iterations, options.tolerance, options.damping));
  }
}

// The norm, of which the array is divided unless it is 0.
template <class Real>
double normalize_vector(const Context& ctx, ArrayRef<std::complex<Real>> v) {
  const double length = norm<Real>(ctx, v);
  if (!std::isfinite(length)) {
    throw ValueError("lsqr: the operator gave a value that is not finite; check the magnitude of the data");
  }
  if (length > 0) axpby<Real>(ctx, 1 / length, v, 0, v);
  return length;
}

}  // namespace

// Names as in the paper: beta u and alpha v of the bidiagonalization, phi and rho of the rotations.
template <Precision Real>
SolverReport lsqr(const Context& ctx, const std::type_identity_t<NormalFunction<Real>>& A,
                  const std::type_identity_t<NormalFunction<Real>>& A_adjoint, ArrayRef<const std::complex<Real>> b,
                  ConvertedRef<std::complex<Real>> x, const LsqrOptions& options, const IterationCallback& callback) {
  using Complex = std::complex<Real>;
  check_lsqr_options(options);
  if (overlap<Complex, Complex>(b, x)) {
    throw ValueError("lsqr: b and x overlap in memory; x needs an array of its own");
  }
  SolverReport report;
  fill<Complex>(ctx, x, 0);
  Array<Complex> u = clone<Complex>(ctx, b);
  Array<Complex> v(ctx, x.shape());
  Array<Complex> of_v(ctx, b.shape());
  Array<Complex> of_u(ctx, x.shape());
  double beta = normalize_vector<Real>(ctx, u);
  A_adjoint(ctx, u, v);
  double alpha = normalize_vector<Real>(ctx, v);
  const double start = alpha * beta;  // |A^H b|
  report.residuals.push_back(start > 0 ? 1 : 0);
  Array<Complex> w = clone<Complex>(ctx, v.ref());
  double phi_bar = beta;
  double rho_bar = alpha;
  while (report.iterations < options.iterations && report.residuals.back() > options.tolerance) {
    A(ctx, v, of_v);
    axpby<Real>(ctx, 1, of_v, -alpha, u);
    beta = normalize_vector<Real>(ctx, u);
    A_adjoint(ctx, u, of_u);
    axpby<Real>(ctx, 1, of_u, -beta, v);
    alpha = normalize_vector<Real>(ctx, v);
    const double damped = std::hypot(rho_bar, options.damping);
    phi_bar *= rho_bar / damped;
    const double rho = std::hypot(damped, beta);
    const double cosine = damped / rho;
    const double sine = beta / rho;
    const double phi = cosine * phi_bar;
    axpby<Real>(ctx, phi / rho, w, 1, x);
    axpby<Real>(ctx, 1, v, -sine * alpha / rho, w);
    rho_bar = -cosine * alpha;
    phi_bar *= sine;
    ++report.iterations;
    report.residuals.push_back(alpha * std::abs(sine * phi) / start);
    if (callback && !callback(report.iterations, report.residuals.back())) {
      report.stop_reason = StopReason::callback;
      return report;
    }
  }
  if (report.residuals.back() <= options.tolerance) report.stop_reason = StopReason::tolerance;
  return report;
}

#define WHORL_INSTANTIATE(Real)                                                                              \
  template SolverReport lsqr<Real>(const Context&, const NormalFunction<Real>&, const NormalFunction<Real>&, \
                                   ArrayRef<const std::complex<Real>>, ArrayRef<std::complex<Real>>,         \
                                   const LsqrOptions&, const IterationCallback&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)
#undef WHORL_INSTANTIATE

}  // namespace whorl
