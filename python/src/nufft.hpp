// whorl.Nufft: the transform of which other operators are made.
#pragma once

#include <memory>
#include <variant>

#include "operators.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl::python {

/// Beside the operator, the transform itself.
struct PyNufft : PyOperator {
  std::variant<std::shared_ptr<const Nufft<float>>, std::shared_ptr<const Nufft<double>>> nufft;
};

/// An operator of a class of both precisions, made by make(Real{}, ctx) without the GIL.
template <class Make>
PyOperator made_operator(bool is_double, const Context& ctx, const Make& make) {
  return with_precision(is_double, [&](auto real) {
    using Real = decltype(real);
    return PyOperator{Operator<Real>(run(ctx, [&](const Context& c) { return make(real, c); })), ctx};
  });
}

}  // namespace whorl::python
