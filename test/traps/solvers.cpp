// What solvers do not take. test/traps/check_traps.py compiles this file.
#include <complex>

#include "whorl/op/operator.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl {

using Complex = std::complex<float>;

void traps(const Context& ctx, const Sense<float>& sense, const Operator<float>& A, ArrayRef<const Complex> b,
           Array<Complex>& x, Array<std::complex<double>>& other) {
  conjugate_gradient(ctx, sense, b, x);                                          // error: no matching|convert
  conjugate_gradient(ctx, A.normal(), b, zeros<Complex>(ctx, {3}));              // error: convert|no matching
  conjugate_gradient(ctx, A.normal(), b, other);                                 // error: convert|no matching
  conjugate_gradient(ctx, A.normal(), b, x, {}, [](int, double) { return 1; });  // error: convert|no matching
  conjugate_gradient(ctx, A.normal(), b, x, {}, [](int) { return true; });       // error: convert|no matching
}

void calls(const Context& ctx, const Operator<float>& A, const Array<Complex>& b, Array<Complex>& x) {
  conjugate_gradient(ctx, A.normal(), b, x);
  conjugate_gradient(ctx, A.normal(), b, x.ref(), {.iterations = 3}, [](int, double) {});
  conjugate_gradient(ctx, A.normal() + 0.1 * A.normal(), b.ref(), x, {.tolerance = 1e-3},
                     [](int iteration, double residual) { return iteration < 5 && residual > 0.1; });
  conjugate_gradient(
      ctx, [&](const Context& c, ArrayRef<const Complex> in, ArrayRef<Complex> out) { copy(c, in, out); }, b, x);
}

}  // namespace whorl
