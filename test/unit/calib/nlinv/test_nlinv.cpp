#include "whorl/calib/nlinv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "calib/joint_model.hpp"
#include "nlinv/nlinv_phantom.hpp"
#include "support/compare.hpp"
#include "support/device.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {
namespace {

TEST(Nlinv, Explore) {
  const Context ctx = test::device_context(2);
  for (const bool brain : {false, true}) {
    for (const Index spokes : {25, 41}) {
  const Index n = 128;
  const Phantom object = brain ? brain_phantom(2) : shepp_logan(2, PhantomContrast::modified);
  auto trajectory = std::make_shared<Trajectory>(radial_trajectory(ctx.host(), spokes, 2 * n, SpokeOrder::golden_angle));
  const Scan scan = phantom_scan(ctx.host(), object, test::make_trajectory_scan(trajectory, {n, n, 1}), {.coils = 8, .noise_standard_deviation = 0.01});
  const Nufft<float> nufft(ctx, trajectory->points, {n, n}, 8, {.tolerance = 1e-3, .normal = NormalMethod::toeplitz});
  for (const double tol : {0.1, 0.01}) {
  for (int steps = 6; steps <= 14; steps += 2) {
    Nlinv<float> nlinv(ctx, {n, n}, 8, {.steps = steps, .tolerance = tol});
    const NlinvReport report = nlinv.solve(ctx, nufft, clone<std::complex<float>>(ctx, scan.frames[0].data.ref()));
    int cg = 0;
    for (const auto& s : report.steps) cg += s.iterations;
    printf("brain %d spokes %d tol %g steps %d cg %d misfit %.4f error %.4f\n", brain, static_cast<int>(spokes), tol, steps, cg, report.misfit,
           test::image_error(ctx, nlinv.image(ctx), object, 8));
    if (steps == 14) for (const auto& s : report.steps) printf("  alpha %g misfit %.4f cg %d\n", s.alpha, s.misfit, s.iterations);
  }}
  }}
}

}  // namespace
}  // namespace whorl
