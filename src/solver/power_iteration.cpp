#include "whorl/solver/power_iteration.hpp"

#include <cmath>

#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

template <class Real>
double largest_eigenvalue(const Context& ctx, const NormalFunction<Real>& A, const Shape& shape,
                          const PowerIterationOptions& options) {
  using Complex = std::complex<Real>;
  Array<Complex> start(ctx.host(), shape);
  fill_random_normal<Real>(start, options.seed, ctx.threads());
  Array<Complex> x = clone<Complex>(ctx, start);
  Array<Complex> image(ctx, shape);
  axpby<Real>(ctx, 1 / norm<Real>(ctx, x), x, 0, x);
  double eigenvalue = 0;
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    A(ctx, x, image);
    const double next = norm<Real>(ctx, image);
    if (!std::isfinite(next) || next == 0) {
      throw ValueError(
          "power iteration: the operator is zero or gives values that are not finite; check the coil maps");
    }
    axpby<Real>(ctx, 1 / next, image, 0, x);
    const double change = std::abs(next - eigenvalue);
    eigenvalue = next;
    if (change <= options.tolerance * next) break;
  }
  return eigenvalue;
}

template double largest_eigenvalue<float>(const Context&, const NormalFunction<float>&, const Shape&,
                                          const PowerIterationOptions&);
template double largest_eigenvalue<double>(const Context&, const NormalFunction<double>&, const Shape&,
                                           const PowerIterationOptions&);

}  // namespace whorl
