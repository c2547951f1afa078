#include "recon/lambda/least_change.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "solver/lanczos.hpp"

namespace whorl::recon {

namespace {

constexpr const char* operation = "choice of lambda";
constexpr int per_decade = 4;
constexpr double falls = 0.25;     // c of the object falls at least as this power of lambda
constexpr double risen = 1.25;     // times the least
constexpr double unexplained = 2;  // times that of the shells
constexpr double near = 2;         // times the least lambda: nothing is gained below
constexpr double settled = 0.5;    // bound of the error of c, relative to it

// x = (T + l)^-1 x for the matrix of the recurrence. Returns whether rounding left it positive definite.
template <class Real>
bool solve_shifted(const detail::Lanczos<Real>& lanczos, double l, std::vector<double>& x) {
  const std::vector<double>& alpha = lanczos.alpha();
  const std::vector<double>& beta = lanczos.beta();
  std::vector<double> pivot(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double factor = i == 0 ? 0 : beta[i - 1] / pivot[i - 1];
    pivot[i] = alpha[i] + l - (i == 0 ? 0 : factor * beta[i - 1]);
    if (!(pivot[i] > 0)) return false;
    if (i > 0) x[i] -= factor * x[i - 1];
  }
  for (std::size_t i = x.size(); i-- > 0;) {
    if (i + 1 < x.size()) x[i] -= beta[i] * x[i + 1];
    x[i] /= pivot[i];
  }
  return true;
}

struct Change {
  double value = 0;  // c(l)
  double error = 0;  // at most
};

// By the rows of the matrix so far; none where rounding prevails. With y = (T + l)^-1 e_1 and z = (T + l)^-1 y the last
// elements give the residuals of both systems, beta y_n and beta z_n, and (A^H A + l)^-1 is at most 1/l.
template <class Real>
std::optional<Change> change_at(const detail::Lanczos<Real>& lanczos, double l) {
  std::vector<double> x(lanczos.alpha().size());
  x.front() = 1;
  if (!solve_shifted(lanczos, l, x)) return std::nullopt;
  double error = std::abs(x.back()) / l;
  if (!solve_shifted(lanczos, l, x)) return std::nullopt;
  error += std::abs(x.back());
  double energy = 0;
  for (const double value : x) energy += value * value;
  return Change{l * lanczos.start_norm() * std::sqrt(energy), lanczos.start_norm() * lanczos.beta().back() * error};
}

// c(l) of an object with the power of the shells that is sampled with their density.
double explained_change(const std::vector<PowerShell>& shells, double l) {
  double energy = 0;
  for (const PowerShell& shell : shells) {
    const double part = l * shell.density() / std::pow(shell.density() + l, 2);
    energy += shell.points * shell.power() * part * part;
  }
  return std::sqrt(energy);
}

// Goes on with the recurrence until c(l) has settled.
template <class Real>
class SettledChange {
 public:
  SettledChange(const LinearOperator<Real>& A, Array<std::complex<Real>> b, const Context& ctx, int steps)
      : A_(A), lanczos_(ctx, std::move(b)), steps_(steps) {}

  std::optional<double> at(const Context& ctx, double l) {
    if (steps() == 0) step(ctx);
    for (;;) {
      const std::optional<Change> found = change_at(lanczos_, l);
      if (!found) return std::nullopt;
      if (found->error <= settled * found->value || steps() >= steps_) return found->value;
      step(ctx);
    }
  }

  int steps() const { return static_cast<int>(lanczos_.alpha().size()); }

 private:
  void step(const Context& ctx) {
    ctx.check_cancel(operation);
    lanczos_.step(
        ctx,
        [&](const Context& c, ArrayRef<const std::complex<Real>> x, ArrayRef<std::complex<Real>> z) {
          A_.normal(c, x, z);
        },
        operation);
  }

  const LinearOperator<Real>& A_;
  detail::Lanczos<Real> lanczos_;
  int steps_;
};

}  // namespace

template <class Real>
LeastChange least_change(const Context& ctx, const LinearOperator<Real>& A, Array<std::complex<Real>> b,
                         const std::vector<PowerShell>& shells, double eigenvalue, double least, int steps) {
  if (norm<Real>(ctx, b) == 0) return {least, false, 0};
  SettledChange<Real> change(A, std::move(b), ctx, steps);
  double smallest = 0;
  double ratio = 1;  // of c to that of the shells, at least
  double best = least;
  for (int i = 0;; ++i) {
    const double lambda = std::pow(10.0, -static_cast<double>(i) / per_decade);
    if (lambda < near * least) return {least, false, change.steps()};
    const double l = lambda * eigenvalue;
    const std::optional<double> found = change.at(ctx, l);
    if (!found) return {least, false, change.steps()};
    const double c = *found;
    const double explained = explained_change(shells, l);
    const bool is_explained = c <= unexplained * ratio * explained;
    ratio = std::min(ratio, c / explained);
    const double steady = c / std::pow(lambda, falls);
    if (i == 0 || is_explained || steady < smallest) {
      smallest = steady;
      best = lambda;
    } else if (steady > risen * smallest) {
      return {best, true, change.steps()};
    }
  }
}

template LeastChange least_change<float>(const Context&, const LinearOperator<float>&, Array<std::complex<float>>,
                                         const std::vector<PowerShell>&, double, double, int);
template LeastChange least_change<double>(const Context&, const LinearOperator<double>&, Array<std::complex<double>>,
                                          const std::vector<PowerShell>&, double, double, int);

}  // namespace whorl::recon
