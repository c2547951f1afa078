// What solvers take from Python: operators and functions, and functions that they call after each iteration.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "operators.hpp"
#include "run.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl::python {

/// z = A x by a function of Python, on the host. The array that it gets is its own.
template <class Real>
NormalFunction<Real> function_of(const nb::object& function) {
  // Copies of the function are made and destroyed without the GIL.
  const std::shared_ptr<nb::object> held(new nb::object(function), [](nb::object* object) {
    const nb::gil_scoped_acquire gil;
    delete object;
  });
  return [held](const Context&, ArrayRef<const std::complex<Real>> x, ArrayRef<std::complex<Real>> z) {
    const nb::gil_scoped_acquire gil;
    Array<std::complex<Real>> own(Context(), x.shape());
    copy<std::complex<Real>>(x, own);
    Input result((*held)(to_python(std::move(own))), "the result of A");
    const auto values = result.as<std::complex<Real>>();
    if (values.shape() != z.shape()) {
      throw ShapeError("A returned shape " + to_string(values.shape()) + ", expected " + to_string(z.shape()));
    }
    copy<std::complex<Real>>(values, z);
  };
}

inline IterationCallback callback_of(const nb::object& callback) {
  if (callback.is_none()) return {};
  if (!nb::isinstance<nb::callable>(callback)) {
    throw nb::type_error("callback is no function f(iteration, residual)");
  }
  const std::shared_ptr<nb::object> held(new nb::object(callback), [](nb::object* object) {
    const nb::gil_scoped_acquire gil;
    delete object;
  });
  return IterationCallback([held](int iteration, double residual) {
    const nb::gil_scoped_acquire gil;
    const nb::object result = (*held)(iteration, residual);
    return !result.is(nb::bool_(false));
  });
}

/// The right-hand side b in the precision of A, with the axes of an operator's domain.
template <class Complex>
ArrayRef<const Complex> right_side(nb::handle A, Input& b) {
  const auto right = b.as<Complex>();
  return nb::isinstance<PyOperator>(A) ? with_axes(right, nb::cast<const PyOperator&>(A).domain()) : right;
}

/// A of a solver: its context, and the function in the precision of b.
struct Equation {
  Context ctx;
  bool is_double;
};

inline Equation equation_of(nb::handle A, const Input* b, nb::handle dtype) {
  if (nb::isinstance<PyOperator>(A)) {
    const auto& op = nb::cast<const PyOperator&>(A);
    return {op.ctx, op.is_double()};
  }
  if (!nb::isinstance<nb::callable>(A)) throw nb::type_error("A is neither a LinearOperator nor a function");
  if (b != nullptr && b->device().kind != DeviceKind::cpu) {
    throw Unsupported("functions of Python work on arrays of the host; on a GPU pass a LinearOperator");
  }
  return {context_of(nb::none()), b != nullptr ? b->is_double() : is_double_dtype(dtype)};
}

template <class Real>
NormalFunction<Real> operator_of(nb::handle A) {
  if (nb::isinstance<PyOperator>(A)) return std::get<Operator<Real>>(nb::cast<const PyOperator&>(A).op);
  return function_of<Real>(nb::borrow(A));
}

/// The solution x of an equation with right-hand side b, and the report: solve(ctx, x) starts from x0, or from 0 without one.
template <class Complex, class Solve>
nb::object solution_of(const Equation& equation, const Input& b, const Shape& shape, nb::handle x0,
                       const Solve& solve) {
  Output output(equation.ctx, b.framework(), shape, nb::dtype<Complex>(), nb::none(), "x");
  const ArrayRef<Complex> x = output.as<Complex>();
  std::optional<Input> start;
  if (!x0.is_none()) start.emplace(x0, "x0");
  const auto from = start ? with_axes(start->as<Complex>(), shape) : ArrayRef<const Complex>();
  if (start && from.shape() != shape) {
    throw ShapeError("x0 has shape " + to_string(from.shape()) + ", expected " + to_string(shape));
  }
  SolverReport report = run(equation.ctx, [&](const Context& ctx) {
    if (start) {
      copy<Complex>(ctx, from, x);
    } else {
      fill(ctx, x, Complex{});
    }
    return solve(ctx, x);
  });
  return nb::make_tuple(output.take(), std::move(report));
}

}  // namespace whorl::python
