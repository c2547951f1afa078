#include "recon/iterative_recon.hpp"

#include <fmt/format.h>

#include "whorl/math/blas1.hpp"
#include "whorl/op/compose.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/solver/conjugate_gradient.hpp"
#include "whorl/solver/power_iteration.hpp"

namespace whorl::recon {

SolverReport cg_sense(const Context& ctx, const std::string& title, const ScanFrame& frame,
                      ArrayRef<const std::complex<float>> maps, const Nufft<float>& nufft, const ReconOptions& options,
                      double* eigenvalue, StageClock& clock, ArrayRef<std::complex<float>> image) {
  using Complex = std::complex<float>;
  const Sense<float> sense(maps);
  const Composition<float> encoding(nufft, sense);
  if (*eigenvalue == 0) {
    *eigenvalue = clock.time("largest eigenvalue", [&] {
      return largest_eigenvalue<float>(
          ctx,
          [&](const Context& c, ArrayRef<const Complex> x, ArrayRef<Complex> z) {
            c.check_cancel("largest eigenvalue");
            encoding.normal(c, x, z);
          },
          encoding.domain());
    });
  }
  return clock.time("conjugate gradient", [&] {
    // With A = s A', d = n d', x = (n/s) x': solve (A'^H A' + lambda) x' = A'^H d'. CG does not see the scale of the
    // whole equation, so that of the data is left in it: (A^H A / s^2 + lambda) x = A^H d / s^2.
    Array<Complex> right_hand_side(ctx, encoding.domain());
    encoding.adjoint(ctx, frame.data, right_hand_side);
    axpby<float>(ctx, 1 / *eigenvalue, right_hand_side, 0, right_hand_side);
    const auto normal = [&](const Context& c, ArrayRef<const Complex> x, ArrayRef<Complex> z) {
      encoding.normal(c, x, z);
      axpby<float>(c, options.lambda, x, 1 / *eigenvalue, z);
    };
    fill<Complex>(image, 0);
    ProgressStage stage(ctx, title, options.iterations);
    return conjugate_gradient<float>(
        ctx, normal, right_hand_side, image, {.iterations = options.iterations, .tolerance = options.tolerance},
        [&](int, double residual) { stage.advance(1, fmt::format("residual {:.2e}", residual)); });
  });
}

}  // namespace whorl::recon
