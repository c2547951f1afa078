// Solvers that take proximal functions, and LSQR.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "operators.hpp"
#include "options.hpp"
#include "run.hpp"
#include "solve/equations.hpp"
#include "solve/prox.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/solver/admm.hpp"
#include "whorl/solver/fista.hpp"
#include "whorl/solver/largest_eigenvalue.hpp"
#include "whorl/solver/lsqr.hpp"
#include "whorl/solver/primal_dual.hpp"

namespace whorl::python {

namespace {

template <class Real>
Real precision_of(const QuadraticFunction<Real>&);

// A term weight g(W x), of a ProximalFunction g, a pair (g, weight) or a triple (g, weight, W).
template <class Real>
struct Term {
  ProximalPointer<Real> g;
  double weight = 1;
  Operator<Real> op{};  // none: the identity
  double norm = 1;
};

template <class Real>
Term<Real> term_of(nb::handle item) {
  const auto parts = nb::isinstance<nb::tuple>(item) ? nb::borrow<nb::tuple>(item) : nb::make_tuple(nb::borrow(item));
  if (parts.size() == 0 || parts.size() > 3 || !nb::isinstance<PyProximal>(parts[0])) {
    throw nb::type_error("a term is a ProximalFunction g, (g, weight), or (g, weight, W) for weight * g(W x)");
  }
  Term<Real> term;
  const auto* g = std::get_if<ProximalPointer<Real>>(&nb::cast<const PyProximal&>(parts[0]).function);
  if (g == nullptr) throw ValueError("a proximal function has another dtype than the equation");
  term.g = *g;
  if (parts.size() > 1) term.weight = nb::cast<double>(parts[1]);
  if (!(term.weight > 0))
    throw ValueError("a term has the weight " + std::to_string(term.weight) + ", expected more than 0");
  if (parts.size() > 2 && !parts[2].is_none()) {
    const auto* op = std::get_if<Operator<Real>>(&nb::cast<const PyOperator&>(parts[2]).op);
    if (op == nullptr) throw ValueError("an operator W has another dtype than the equation");
    term.op = *op;
  }
  return term;
}

// By Moreau's identity.
template <class Real>
DualTerm<Real> dual_term(const Term<Real>& term) {
  using Complex = std::complex<Real>;
  const auto applied = [term](const Context& ctx, ArrayRef<const Complex> x) {
    Array<Complex> z(ctx, term.g->domain());
    if (term.op) {
      term.op.forward(ctx, x.reshape(term.op.domain()), z.ref().reshape(term.op.range()));
    } else {
      copy<Complex>(ctx, x.reshape(z.shape()), z);
    }
    return z;
  };
  return {.range = term.g->domain(),
          .norm = term.norm,
          .step =
              [term, applied](const Context& ctx, double sigma, Index pass, ArrayRef<const Complex> x,
                              ArrayRef<Complex> y) {
                const DualStepSums sums = term.g->dual_step(ctx, sigma, applied(ctx, x), y, term.weight, pass);
                return typename DualTerm<Real>::Sums{sums.value, sums.change};
              },
          .add_adjoint =
              [term](const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> sum) {
                if (!term.op) return axpby<Real>(ctx, 1, y, 1, sum.reshape(y.shape()));
                Array<Complex> part(ctx, term.op.domain());
                term.op.adjoint(ctx, y.reshape(term.op.range()), part);
                axpby<Real>(ctx, 1, part, 1, sum.reshape(part.shape()));
              },
          .add_normal =
              [term](const Context& ctx, double factor, ArrayRef<const Complex> x, ArrayRef<Complex> sum) {
                if (!term.op) return axpby<Real>(ctx, factor, x, 1, sum);
                Array<Complex> part(ctx, term.op.domain());
                term.op.normal(ctx, x.reshape(term.op.domain()), part);
                axpby<Real>(ctx, factor, part, 1, sum.reshape(part.shape()));
              }};
}

template <class Real>
double bound_on_norm(const Context& ctx, const Term<Real>& term, const Shape& x) {
  if (!term.op) {
    if (term.g->domain().size() != x.size()) {
      throw ShapeError("a term of arrays " + to_string(term.g->domain()) + ", and x has shape " + to_string(x));
    }
    return 1;
  }
  if (term.op.domain().size() != x.size() || term.op.range().size() != term.g->domain().size()) {
    throw ShapeError("a term of arrays " + to_string(term.g->domain()) + " and an operator " +
                     to_string(term.op.domain()) + " -> " + to_string(term.op.range()) + ", and x has shape " +
                     to_string(x));
  }
  const LargestEigenvalue found = largest_eigenvalue<Real>(ctx, term.op.normal(), term.op.domain(), {});
  return std::sqrt(found.value + found.residual);
}

// The options of all proximal solvers.
template <class Options>
OptionTable<Options> shared_options(const char* name) {
  return OptionTable<Options>(name)
      .integer("iterations", &Options::iterations, OptionRange::at_least(0), "", "Iterations at most")
      .real("tolerance", &Options::tolerance, OptionRange::at_least(0), "",
            "Stop when the sum of the primal and the dual residual is at most this");
}

const OptionTable<ProximalSolverOptions>& fista_table() {
  static const OptionTable<ProximalSolverOptions> table = shared_options<ProximalSolverOptions>("fista");
  return table;
}

const OptionTable<AdmmOptions>& admm_table() {
  static const OptionTable<AdmmOptions> table =
      shared_options<AdmmOptions>("admm")
          .real("rho", &AdmmOptions::rho, OptionRange::more_than(0), "",
                "The first penalty parameter; it follows the residuals")
          .real("relaxation", &AdmmOptions::relaxation, {1, 1.999}, "",
                "x and the dual variables move by this times the iteration's change; about 1.6 saves iterations")
          .integer("inner-iterations", &AdmmOptions::inner_iterations, OptionRange::at_least(1), "",
                   "Of conjugate gradient, at most")
          .real("inner-tolerance", &AdmmOptions::inner_tolerance, OptionRange::more_than(0), "",
                "Of its residual, relative to the right-hand side");
  return table;
}

const OptionTable<PrimalDualOptions>& primal_dual_table() {
  static const OptionTable<PrimalDualOptions> table =
      shared_options<PrimalDualOptions>("primal dual")
          .real("sigma", &PrimalDualOptions::sigma, OptionRange::more_than(0), "",
                "The first dual step; it follows the residuals");
  return table;
}

// min <x, H x> / 2 - Re <b, x> + constant + terms, by solve(ctx, f, terms, x, callback).
template <class Solve>
nb::object minimize(nb::handle H, nb::handle b_object, nb::handle terms_object, nb::handle x0, double constant,
                    const nb::object& callback, bool needs_bound, const Solve& solve) {
  Input b(b_object, "b");
  const Equation equation = equation_of(H, &b, nb::none());
  return with_precision(equation.is_double, [&](auto real) -> nb::object {
    using Real = decltype(real);
    using Complex = std::complex<Real>;
    const auto right = right_side<Complex>(H, b);
    const auto function = operator_of<Real>(H);
    const IterationCallback told = callback_of(callback);
    std::vector<Term<Real>> terms;
    if (nb::isinstance<nb::list>(terms_object)) {
      for (const nb::handle item : terms_object) terms.push_back(term_of<Real>(item));
    } else {
      terms.push_back(term_of<Real>(terms_object));
    }
    return solution_of<Complex>(equation, b, right.shape(), x0, [&](const Context& ctx, ArrayRef<Complex> x) {
      QuadraticFunction<Real> f{.H = function, .b = right, .constant = constant};
      if (needs_bound) {
        const LargestEigenvalue found = largest_eigenvalue<Real>(ctx, function, right.shape(), {});
        f.largest = found.value + found.residual;
      }
      for (Term<Real>& term : terms) term.norm = bound_on_norm(ctx, term, right.shape());
      return solve(ctx, f, terms, x, told);
    });
  });
}

template <class Real>
std::vector<DualTerm<Real>> dual_terms(const std::vector<Term<Real>>& terms) {
  std::vector<DualTerm<Real>> made;
  for (const Term<Real>& term : terms) made.push_back(dual_term(term));
  return made;
}

constexpr const char* equation_text =
    "H is an operator, such as E.normal, or a function of NumPy arrays; b is E.H @ d. With `constant`, |d|^2 / 2, the\n"
    "report's costs are those of |E x - d|^2 / 2 and the terms. A term is a ProximalFunction g, a pair (g, weight), "
    "or\n"
    "(g, weight, W) for weight * g(W x) with an operator W. callback(iteration, residual) is called after each\n"
    "iteration; False stops. Returns x and the report.\n\n"
    "Shapes  b, x0 and x the same\n"
    "Raises  ShapeError, ValueError (values that are not finite), Cancelled\n";

template <class Options, class Run>
void bind_solver_of(Module& m, const char* name, const OptionTable<Options>& table, const char* text,
                    const char* source, bool needs_bound, const Run& solve) {
  def<"(H: LinearOperator | Function, b: object, terms: object, x0: object = None, *, options, constant: float = 0.0, "
      "callback: Callback | None = None) -> tuple[Any, SolverReport]">(
      m, name,
      [needs_bound, solve](nb::handle H, nb::handle b, nb::handle terms, nb::handle x0, double constant,
                           const nb::object& callback, const Options& chosen) {
        return minimize(H, b, terms, x0, constant, callback, needs_bound,
                        [&](const Context& ctx, const auto& f, const auto& made, auto x, const auto& told) {
                          return solve(ctx, f, made, x, chosen, told);
                        });
      },
      std::string(text) + equation_text + "Source  " + source, options_of<Options>({}, table));
}

void bind_solvers(Module& m) {
  bind_solver_of(
      m, "fista", fista_table(),
      "Minimizes <x, H x> / 2 - Re <b, x> + weight * g(x) by an accelerated proximal gradient method: one term, "
      "without "
      "W.\n\n",
      "Beck and Teboulle, SIAM J Imaging Sci 2 (2009) 183", true,
      [](const Context& ctx, const auto& f, const auto& terms, auto x, const auto& options, const auto& told) {
        using Real = decltype(precision_of(f));
        using Complex = std::complex<Real>;
        if (terms.size() != 1 || terms.front().op) {
          throw ValueError("fista: takes one term, without an operator; use admm or primal_dual for others");
        }
        const Term<Real>& only = terms.front();
        const Shape& domain = only.g->domain();
        const ProximalStep<Real> step{[&](const Context& c, double t, Index pass, ArrayRef<Complex> at) {
                                        return only.weight *
                                               only.g->prox_and_value(c, t * only.weight, at.reshape(domain), pass);
                                      },
                                      [&](const Context& c, ArrayRef<const Complex> at) {
                                        return only.weight * only.g->value(c, at.reshape(domain));
                                      },
                                      only.g->has_versions()};
        return fista<Real>(ctx, f, step, x, options, told);
      });
  bind_solver_of(
      m, "admm", admm_table(),
      "Minimizes <x, H x> / 2 - Re <b, x> + sum weight * g(W x) by the alternating direction method of "
      "multipliers.\n\n",
      "Boyd et al., Found Trends Mach Learn 3 (2011) 1", false,
      [](const Context& ctx, const auto& f, const auto& terms, auto x, const auto& options, const auto& told) {
        using Real = decltype(precision_of(f));
        return admm<Real>(ctx, f, dual_terms<Real>(terms), x, options, told);
      });
  bind_solver_of(
      m, "primal_dual", primal_dual_table(),
      "Minimizes <x, H x> / 2 - Re <b, x> + sum weight * g(W x) by the primal-dual hybrid gradient method.\n\n",
      "Condat, J Optim Theory Appl 158 (2013) 460", true,
      [](const Context& ctx, const auto& f, const auto& terms, auto x, const auto& options, const auto& told) {
        using Real = decltype(precision_of(f));
        return primal_dual<Real>(ctx, f, dual_terms<Real>(terms), x, options, told);
      });
}

void bind_lsqr(Module& m) {
  def<"lsqr(A: LinearOperator, b: object, *, damping: float = 0.0, iterations: int = 100, tolerance: "
      "float = 1e-06, callback: Callback | None = None) -> tuple[Any, SolverReport]">(
      m,
      [](const PyOperator& A, nb::handle b_object, double damping, int iterations, double tolerance,
         const nb::object& callback) {
        Input b(b_object, "b");
        const LsqrOptions options{.iterations = iterations, .tolerance = tolerance, .damping = damping};
        return with_operator(A, [&](const auto& op) -> nb::object {
          using Real = real_of<decltype(op)>;
          using Complex = std::complex<Real>;
          const auto right = with_axes(b.as<Complex>(), op.range());
          const IterationCallback told = callback_of(callback);
          Output output(A.ctx, b.framework(), op.domain(), nb::dtype<Complex>(), nb::none(), "x");
          const ArrayRef<Complex> x = output.as<Complex>();
          SolverReport report = run(
              A.ctx, [&](const Context& ctx) { return lsqr<Real>(ctx, op, op.adjoint(), right, x, options, told); });
          return nb::make_tuple(output.take(), std::move(report));
        });
      },
      R"(Solves min |A x - b|^2 + damping^2 |x|^2 from x = 0; returns x and the report.

The report's residuals are those of the normal equations; it stops at `tolerance` of them.

Shapes  b A.range, x A.domain
Raises  ShapeError, ValueError (values that are not finite, iterations or a tolerance below 0), TypeError, Cancelled
Source  Paige and Saunders, ACM Trans Math Softw 8 (1982) 43)");
}

}  // namespace

void bind_proximal_solvers(Module& m) {
  bind_solvers(m);
  bind_lsqr(m);
}

}  // namespace whorl::python
