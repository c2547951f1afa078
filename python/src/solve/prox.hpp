// Proximal functions of both precisions as one class of Python.
#pragma once

#include <memory>
#include <variant>

#include "whorl/prox/proximal_function.hpp"

namespace whorl::python {

template <class Real>
using ProximalPointer = std::shared_ptr<const ProximalFunction<Real>>;

/// whorl.prox.ProximalFunction, in either precision.
struct PyProximal {
  std::variant<ProximalPointer<float>, ProximalPointer<double>> function;

  bool is_double() const { return function.index() == 1; }
  const Shape& domain() const {
    return std::visit([](const auto& g) -> const Shape& { return g->domain(); }, function);
  }
};

}  // namespace whorl::python
