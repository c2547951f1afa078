// Least squares with terms that have proximal operators, in whorl's convention for weights.
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "whorl/prox/infimal_function.hpp"
#include "whorl/prox/proximal_function.hpp"
#include "whorl/recon/least_squares.hpp"
#include "whorl/recon/regularizer.hpp"
#include "whorl/solver/proximal_problem.hpp"
#include "whorl/solver/solver_states.hpp"

namespace WHORL_PUBLIC whorl {

struct RegularizedOptions {
  int iterations = 100;     ///< at most
  double tolerance = 1e-4;  ///< of the sum of the primal and the dual residual (whorl/solver/proximal_problem.hpp)
  double lambda = 0;        ///< weight of the model's quadratic penalties
  RegularizedSolver solver = RegularizedSolver::automatic;
  double change = 0;  ///< stop where an iteration changes x by at most this, relative to |x|; 0: do not
  /// Precondition ADMM's inner systems by a circulant matrix, with one more application of A^H A. For coil maps whose sum of
  /// squares is 1, or 0 as ESPIRiT's outside of the object; others take more iterations.
  bool precondition = true;
  /// For a b that differs little from that of `start`: what counts is the difference of the images, which converges sooner
  /// with a smaller rho of ADMM that stays, and with fewer inner steps.
  bool nearby = false;
};

/// weight * g(x).
template <class Real>
struct WeightedFunction {
  std::shared_ptr<const ProximalFunction<Real>> g;
  double weight = 1;
};

/// A term: weight * g(x) of a function with a proximal operator, or h(W (x, w)), which has its weight in itself. Its
/// arrays have as many elements as x, or as each of the images of x.
template <class Real>
class ProximalPenalty {
 public:
  using Infimal = std::shared_ptr<const InfimalFunction<Real>>;

  ProximalPenalty(std::shared_ptr<const ProximalFunction<Real>> g, double weight)
      : term_(WeightedFunction<Real>{std::move(g), weight}) {}
  // NOLINTNEXTLINE(google-explicit-constructor): such a function is a term
  ProximalPenalty(Infimal h) : term_(std::move(h)) {}

  /// Null where it is not of that kind.
  const WeightedFunction<Real>* weighted() const { return std::get_if<WeightedFunction<Real>>(&term_); }
  const InfimalFunction<Real>* infimal() const {
    const Infimal* const h = std::get_if<Infimal>(&term_);
    return h == nullptr ? nullptr : h->get();
  }
  const Shape& domain() const { return weighted() != nullptr ? weighted()->g->domain() : infimal()->domain(); }
  /// Number of further unknowns w for each of the images of x.
  Index unknowns() const { return weighted() != nullptr ? 0 : infimal()->auxiliary().size(); }

 private:
  std::variant<WeightedFunction<Real>, Infimal> term_;
};

/// State of a solve beside x, from which a solve of a similar problem may start.
template <class Real>
struct RegularizedStart {
  DualStart<Real> duals{};               ///< of ADMM and the primal-dual solver
  Array<std::complex<Real>> unknowns{};  ///< those of terms with further unknowns
};

/// The largest magnitude of an array. For b = A^H d / s it is the unit of weights.
template <Precision Real>
WHORL_PUBLIC double largest_magnitude(const Context& ctx, ArrayRef<const std::complex<Real>> b);

/// The terms of regularizers for a series of images, each with weight * unit.
///
/// Shapes  series [frame, z, y, x], z = 1 in 2D
/// Throws  ValueError (differences along an axis of one element, joint frames if there is only one), Unsupported (llr)
template <Precision Real>
WHORL_PUBLIC std::vector<ProximalPenalty<Real>> make_penalties(const Shape& series,
                                                               const std::vector<Regularizer>& regularizers,
                                                               double unit);

/// Starting from the given x, minimizes
///
///   |A x - d|^2 / (2 s) + lambda / 2 sum_t w_t |W_t x|^2 + sum_p weight_p g_p(x)
///
/// for b = A^H d / s. Constraints among the g_p hold exactly at the end. The costs of the report are those of this
/// function if `constant`, which is added to them, is |d|^2 / (2 s).
///
/// Terms with further unknowns (tgv, ictv, low-rank-sparse) are minimized over these too, from 0; residuals are then those of all unknowns.
///
/// `callback` is called after each iteration, with x as it is then.
/// With `start` it starts from there as well, where that is not empty, and leaves its own. With `states` the solver goes
/// on from a kept state, if there is one.
///
/// Several problems of one A are solved as one where A is `repeated` and the penalties are those of one image: each applies
/// to each image. They have their steps and their stop in common, so their images differ by what their b differ.
///
/// Shapes    b and x A.domain(), as many elements as the penalties' domain or a whole number of times as many
/// Progress  one stage of the title, one step per iteration
/// Throws    ShapeError, ValueError (options out of range, values that are not finite), Cancelled
template <Precision Real>
WHORL_PUBLIC SolverReport
regularized_least_squares(const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
                          const std::vector<ProximalPenalty<Real>>& penalties, const RegularizedOptions& options,
                          ArrayRef<const std::complex<Real>> b, double constant, ConvertedRef<std::complex<Real>> x,
                          RegularizedStart<Real>* start = nullptr, SolverStates<Real>* states = nullptr,
                          const IterationCallback& callback = {});

}  // namespace whorl
