// Linear operators of both precisions as one class of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <variant>

#include "whorl/core/context.hpp"
#include "whorl/op/operator.hpp"

namespace whorl::python {

namespace nb = nanobind;

/// whorl.LinearOperator: an operator, and the context that applies it.
struct PyOperator {
  std::variant<Operator<float>, Operator<double>> op;
  Context ctx;

  bool is_double() const { return op.index() == 1; }
  const Shape& domain() const;
  const Shape& range() const;
  const std::string& name() const;
};

/// Calls f(op) with the Operator<Real>.
template <class Function>
decltype(auto) with_operator(const PyOperator& of, const Function& f) {
  return std::visit(f, of.op);
}

template <class Op>
using real_of = typename std::remove_cvref_t<Op>::Complex::value_type;

}  // namespace whorl::python
