// Iterative solvers: for operators, and for functions of Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "operators.hpp"
#include "options.hpp"
#include "run.hpp"
#include "solve/equations.hpp"
#include "whorl/recon/least_squares_from.hpp"
#include "whorl/recon/option_tables.hpp"
#include "whorl/solver/conjugate_gradient.hpp"
#include "whorl/solver/largest_eigenvalue.hpp"

namespace whorl::python {

namespace {

const OptionTable<ConjugateGradientOptions>& conjugate_gradient_table() {
  using Options = ConjugateGradientOptions;
  static const OptionTable<Options> table =
      OptionTable<Options>("conjugate gradient")
          .integer("iterations", &Options::iterations, OptionRange::at_least(0), "", "Iterations at most")
          .real("tolerance", &Options::tolerance, OptionRange::at_least(0), "", "Stop when |b - A x| <= tolerance |b|")
          .real("error", &Options::error, OptionRange::at_least(0), "",
                "Also stop when the estimate of sqrt(e^H A e), e the error of x, is below this; 0: no estimate");
  return table;
}

const OptionTable<LargestEigenvalueOptions>& eigenvalue_table() {
  using Options = LargestEigenvalueOptions;
  static const OptionTable<Options> table =
      OptionTable<Options>("largest eigenvalue")
          .real("tolerance", &Options::tolerance, OptionRange::more_than(0), "",
                "Of the residual, relative to the eigenvalue")
          .integer("iterations", &Options::iterations, OptionRange::at_least(1), "", "Applications of A, at most")
          .integer("seed", &Options::seed, {}, "", "Of the random start");
  return table;
}

void bind_report(Module& m) {
  Class<SolverReport>(
      m, "SolverReport",
      "How a solver went: the second of the two things that solvers return.\n\n"
      "Lists begin with the start and go on with each iteration; those that a solver does not compute are empty.")
      .def_ro("iterations", &SolverReport::iterations, "How many there were.")
      .def_ro("residuals", &SolverReport::residuals,
              "|b - A x| / |b|: of the start (1 for x = 0), then after each iteration. Of proximal solvers the sum\n"
              "of the primal and the dual residual")
      .def_ro("costs", &SolverReport::costs, "Of proximal solvers: the function that is minimized, at the same places")
      .def_ro("primal_residuals", &SolverReport::primal_residuals, "Of proximal solvers")
      .def_ro("dual_residuals", &SolverReport::dual_residuals, "Of proximal solvers")
      .def_ro("operator_applications", &SolverReport::operator_applications,
              "Of proximal solvers: how often H was applied")
      .def_prop_ro(
          "stop_reason", [](const SolverReport& self) { return to_string(self.stop_reason); },
          "Why it stopped, in words: 'reached the tolerance', 'reached the limit of iterations', ...")
      .def("__repr__", [](const SolverReport& self) {
        return "<whorl.SolverReport: " + std::to_string(self.iterations) + " iterations, " +
               to_string(self.stop_reason) + ">";
      });
  Class<LargestEigenvalue>(
      m, "LargestEigenvalue",
      "The largest eigenvalue of an operator: what largest_eigenvalue finds. float() gives its value.")
      .def_ro("value", &LargestEigenvalue::value, "Not above the largest eigenvalue, but for rounding.")
      .def_ro("residual", &LargestEigenvalue::residual, "An eigenvalue lies within this of the value.")
      .def_ro("iterations", &LargestEigenvalue::iterations, "How often A was applied.")
      .def("__float__", [](const LargestEigenvalue& self) { return self.value; });
}

void bind_conjugate_gradient(Module& m) {
  def<"conjugate_gradient(A: LinearOperator | Function, b: object, x0: object = None, *, options, "
      "callback: Callback | None = None) -> tuple[Any, SolverReport]">(
      m,
      [](nb::handle A, nb::handle b_object, nb::handle x0, const nb::object& callback,
         const ConjugateGradientOptions& chosen) {
        Input b(b_object, "b");
        const Equation equation = equation_of(A, &b, nb::none());
        return with_precision(equation.is_double, [&](auto real) {
          using Complex = std::complex<decltype(real)>;
          const auto right = right_side<Complex>(A, b);
          const auto function = operator_of<decltype(real)>(A);
          const IterationCallback told = callback_of(callback);
          return solution_of<Complex>(equation, b, right.shape(), x0, [&](const Context& ctx, ArrayRef<Complex> x) {
            return conjugate_gradient(ctx, function, right, x, chosen, told);
          });
        });
      },
      R"(Solves A x = b for Hermitian positive semi-definite A; returns x and the report.

A is an operator, such as E.normal for the least squares problem of E, or a function that takes a NumPy
array and returns A x. callback(iteration, residual) is called after each iteration; False stops.

Shapes  b, x0 and x the same; x0: the start, 0 without it
Raises  ShapeError, ValueError (a value of A x that is not finite)
Source  Hestenes and Stiefel, J. Res. Natl. Bur. Stand. 49 (1952) 409)",
      options_of<ConjugateGradientOptions>({}, conjugate_gradient_table()));
}

void bind_eigenvalue(Module& m) {
  def<"largest_eigenvalue(A: LinearOperator | Function, shape: Shape | None = None, *, options, dtype: "
      "object = 'complex64') -> LargestEigenvalue">(
      m,
      [](nb::handle A, nb::handle shape_object, nb::handle dtype, const LargestEigenvalueOptions& chosen) {
        const Equation equation = equation_of(A, nullptr, dtype);
        if (shape_object.is_none() && !nb::isinstance<PyOperator>(A)) {
          throw nb::type_error("largest_eigenvalue: a function A needs shape, that of its arrays");
        }
        const Shape shape =
            shape_object.is_none() ? nb::cast<const PyOperator&>(A).domain() : shape_from(shape_object, "shape");
        return with_precision(equation.is_double, [&](auto real) {
          using Real = decltype(real);
          const auto function = operator_of<Real>(A);
          return run(equation.ctx,
                     [&](const Context& ctx) { return largest_eigenvalue<Real>(ctx, function, shape, chosen); });
        });
      },
      R"(The largest eigenvalue of a Hermitian positive semi-definite A, by Lanczos' recurrence.

A as in conjugate_gradient; a function needs the shape and the dtype of its arrays.

Shapes  shape: that of the arrays of A, for an operator its domain
Raises  ValueError (values that are not finite, A = 0), ShapeError (an A that changes the shape), TypeError (a
        function without shape), Cancelled)",
      options_of<LargestEigenvalueOptions>({}, eigenvalue_table()));
}

template <class Real>
std::vector<QuadraticPenalty<Real>> penalties_of(nb::handle object) {
  std::vector<QuadraticPenalty<Real>> penalties;
  for (const nb::handle item : object) {
    const auto pair =
        nb::isinstance<nb::tuple>(item) ? nb::borrow<nb::tuple>(item) : nb::make_tuple(nb::borrow(item), 1.0);
    if (pair.size() != 2) throw nb::type_error("penalties: expected operators or pairs (operator, weight)");
    QuadraticPenalty<Real> penalty;
    if (!pair[0].is_none()) {
      const auto* op = std::get_if<Operator<Real>>(&nb::cast<const PyOperator&>(pair[0]).op);
      if (op == nullptr) throw ValueError("penalties: an operator has another dtype than A");
      penalty.op = *op;
    }
    penalty.weight = nb::cast<double>(pair[1]);
    penalties.push_back(std::move(penalty));
  }
  return penalties;
}

void bind_least_squares(Module& m) {
  def<"least_squares(A: LinearOperator, data: object, x0: object = None, *, options, penalties: "
      "collections.abc.Iterable[LinearOperator | None | tuple[LinearOperator | None, float]] | None = "
      "None, eigenvalue: float | None = None, callback: Callback | None = None) -> tuple[Any, "
      "SolverReport]">(
      m,
      [](const PyOperator& A, nb::handle data_object, nb::handle x0, nb::handle penalties, nb::handle eigenvalue,
         const nb::object& callback, const LeastSquaresOptions& chosen) {
        Input data(data_object, "data");
        return with_operator(A, [&](const auto& op) {
          using Real = real_of<decltype(op)>;
          using Complex = std::complex<Real>;
          const auto d = with_axes(data.as<Complex>(), op.range());
          RegularizedModel<Real> model{op, eigenvalue.is_none() ? 0 : nb::cast<double>(eigenvalue)};
          if (!penalties.is_none()) model.penalties = penalties_of<Real>(penalties);
          const IterationCallback told = callback_of(callback);
          const Equation equation{A.ctx, A.is_double()};
          return solution_of<Complex>(equation, data, op.domain(), x0, [&](const Context& ctx, ArrayRef<Complex> x) {
            if (model.eigenvalue == 0) model.eigenvalue = normal_eigenvalue(ctx, op);
            return least_squares_from<Real>(ctx, "least squares", model, d, chosen, x, told);
          });
        });
      },
      R"(The regularized least squares image: the x that minimizes |A x - d|^2 + lambda s sum_t w_t |W_t x|^2,
with s the largest eigenvalue of A^H A, so that lambda means the same for any operator and gain.

penalties: operators W or pairs (W, w), of norm at most 1; None in place of W is the identity; without
them |x|^2. eigenvalue: s, if it is known (normal_eigenvalue). callback(iteration, residual) is called after
each iteration; False stops. Returns x and the report.

Shapes  data A.range, x A.domain; x0: the start, 0 without it
Raises  ShapeError, ValueError (options out of range, an eigenvalue that is not positive, values that are not finite,
        an operator of another dtype), TypeError, Cancelled
Source  Pruessmann et al., Magn Reson Med 46 (2001) 638)",
      options_of<LeastSquaresOptions>());
  m.def(
      "normal_eigenvalue",
      [](const PyOperator& A) {
        return with_operator(A, [&](const auto& op) {
          return run(A.ctx, [&](const Context& ctx) { return normal_eigenvalue(ctx, op); });
        });
      },
      nb::arg("A"),
      "The largest eigenvalue of A^H A, from below, to about 0.1 %.\n\n"
      "Raises  ValueError (an operator that is zero or gives values that are not finite), Cancelled");
}

}  // namespace

void bind_solver(Module& m) {
  bind_report(m);
  bind_conjugate_gradient(m);
  bind_eigenvalue(m);
  bind_least_squares(m);
}

}  // namespace whorl::python
