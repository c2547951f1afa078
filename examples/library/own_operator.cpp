// An operator of one's own, in sums with the library's and in the library's solver.
//
// Solves (A^H A + lambda D^H D) x = A^H d for a NUFFT A and differences D between neighbors along x.
#include <iostream>

#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/operator.hpp"
#include "whorl/solver/conjugate_gradient.hpp"
#include "whorl/trajectory/radial.hpp"

namespace {

using Complex = std::complex<float>;

/// y[c, i, j] = x[c, i, j] - x[c, i, j - 1], where the pixel before the first is the last. Shapes and devices are checked
/// before these functions are called.
class Differences final : public whorl::LinearOperator<float> {
 public:
  explicit Differences(const whorl::Shape& shape) : LinearOperator(shape, shape, "Differences") {}

 private:
  void do_forward(const whorl::Context& /*ctx*/, whorl::ArrayRef<const Complex> x,
                  whorl::ArrayRef<Complex> y) const override {
    subtract_neighbor(x, y, -1);
  }
  void do_adjoint(const whorl::Context& /*ctx*/, whorl::ArrayRef<const Complex> y,
                  whorl::ArrayRef<Complex> x) const override {
    subtract_neighbor(y, x, 1);
  }

  static void subtract_neighbor(whorl::ArrayRef<const Complex> from, whorl::ArrayRef<Complex> to, whorl::Index step) {
    const whorl::Index n = from.extent(-1);
    for (whorl::Index row = 0; row < from.size() / n; ++row) {
      for (whorl::Index j = 0; j < n; ++j) {
        to.data()[row * n + j] = from.data()[row * n + j] - from.data()[row * n + (j + step + n) % n];
      }
    }
  }
};

void solve() {
  const whorl::Context ctx;
  const whorl::Index n = 64;
  const whorl::Trajectory spokes = whorl::radial_trajectory(ctx, 60, 2 * n, whorl::SpokeOrder::uniform);
  const whorl::Operator<float> A = whorl::Nufft<float>(ctx, spokes.points, {n, n}, 1);
  const whorl::Operator<float> D = Differences(A.domain());

  // An operator that is not the adjoint of the other half gives wrong images, without an error: <D x, y> = <x, D^H y>.
  whorl::Array<Complex> x(ctx, D.domain());
  whorl::Array<Complex> y(ctx, D.range());
  whorl::Array<Complex> Dx(ctx, D.range());
  whorl::Array<Complex> Dy(ctx, D.domain());
  whorl::fill_random_normal(x, 1);
  whorl::fill_random_normal(y, 2);
  D.forward(ctx, x, Dx);
  D.adjoint(ctx, y, Dy);
  std::cout << "difference of the inner products: " << std::abs(whorl::dot(ctx, y, Dx) - whorl::dot(ctx, Dy, x))
            << '\n';

  whorl::Array<Complex> data(ctx, A.range());
  A.forward(ctx, x, data);
  whorl::Array<Complex> right_side(ctx, A.domain());
  A.adjoint(ctx, data, right_side);
  auto solution = whorl::zeros<Complex>(ctx, A.domain());
  const whorl::SolverReport report =
      whorl::conjugate_gradient(ctx, A.normal() + 0.01 * D.normal(), right_side, solution, {.iterations = 20},
                                [](int iteration, double residual) {
                                  std::cout << "iteration " << iteration << ": residual " << residual << '\n';
                                  return residual > 1e-3;  // false: enough
                                });
  std::cout << report.iterations << " iterations\n";
}

}  // namespace

int main() {
  try {
    solve();
  } catch (const whorl::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
