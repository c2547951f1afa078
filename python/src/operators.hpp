// Linear operators of both precisions as one class of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "whorl/core/array.hpp"
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

/// The axes in front of an array of one shape, in one that has further axes: those of a batch. Axes of length 1 in front may be
/// left out, and samples may have two axes [spoke, readout]. None: it is no such array.
std::optional<std::vector<Index>> batch_axes(const Shape& given, const Shape& one);

/// An array with the axes of `one`, where it has them but for a batch; else as it is.
template <class T>
ArrayRef<const T> with_axes(ArrayRef<const T> given, const Shape& one) {
  const auto batch = batch_axes(given.shape(), one);
  return batch && batch->empty() ? given.reshape(one) : given;
}

template <class Op>
using real_of = typename std::remove_cvref_t<Op>::Complex::value_type;

}  // namespace whorl::python
