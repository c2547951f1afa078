// Several threads use one plan at once, and get the bits that one thread gets.
#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sharing/at_once.hpp"
#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/phantom_scan.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/math/fft.hpp"
#include "whorl/op/block_diagonal.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/gridding.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/operator.hpp"
#include "whorl/op/position_dft.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/op/signal_evolution.hpp"
#include "whorl/op/weighted_differences.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/solver/conjugate_gradient.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

constexpr int thread_count = 4;
const Shape image{24, 20};
constexpr Index coils = 3;
constexpr Index samples = 1500;

bool same_bits(const Context& ctx, const Array<Complex>& a, const Array<Complex>& b) {
  const Array<Complex> left = to_host(ctx, a);
  const Array<Complex> right = to_host(ctx, b);
  return left.shape() == right.shape() && std::equal(left.span().begin(), left.span().end(), right.span().begin());
}

struct Applied {
  Array<Complex> forward, adjoint, normal;  // on the host
};

// x and y are on the host, so that contexts of any thread bring them to the device.
Applied apply(const Context& ctx, const Operator<float>& A, const Array<Complex>& x, const Array<Complex>& y) {
  const Array<Complex> x_here = clone(ctx, x);
  const Array<Complex> y_here = clone(ctx, y);
  Array<Complex> forward(ctx, A.range());
  Array<Complex> adjoint(ctx, A.domain());
  Array<Complex> normal(ctx, A.domain());
  A.forward(ctx, x_here, forward);
  A.adjoint(ctx, y_here, adjoint);
  A.normal(ctx, x_here, normal);
  return {to_host(ctx, forward), to_host(ctx, adjoint), to_host(ctx, normal)};
}

struct Case {
  const char* name;
  std::function<Operator<float>(const Context&)> make;
};

Nufft<float> nufft(const Context& ctx, NormalMethod normal) {
  return {ctx, test::random_points(ctx, samples, 2), image, coils, NufftOptions{.oversampling = 2, .normal = normal}};
}

Array<Complex> maps(const Context& ctx) { return test::random_array<float>(ctx, image.with_front(coils), 5); }

const std::vector<Case>& cases() {
  static const std::vector<Case> list{
      {"Nufft", [](const Context& ctx) -> Operator<float> { return nufft(ctx, NormalMethod::pair); }},
      {"Nufft with a convolution",
       [](const Context& ctx) -> Operator<float> { return nufft(ctx, NormalMethod::toeplitz); }},
      {"SenseNufft",
       [](const Context& ctx) -> Operator<float> {
         return SenseNufft<float>(nufft(ctx, NormalMethod::pair), maps(ctx));
       }},
      {"SenseNufft with a convolution",
       [](const Context& ctx) -> Operator<float> {
         return SenseNufft<float>(nufft(ctx, NormalMethod::toeplitz), maps(ctx));
       }},
      {"Sense", [](const Context& ctx) -> Operator<float> { return Sense<float>(maps(ctx)); }},
      {"Nufft * Sense", [](const Context& ctx) { return nufft(ctx, NormalMethod::pair) * Sense<float>(maps(ctx)); }},
      {"Gridding",
       [](const Context& ctx) -> Operator<float> {
         return Gridding<float>(ctx, test::random_points(ctx, samples, 2), {40, 36},
                                Window(WindowKind::kaiser_bessel, 4, 2), coils);
       }},
      {"Dft",
       [](const Context& ctx) -> Operator<float> {
         return Dft<float>(ctx, test::random_points(ctx, 150, 2), image, coils);
       }},
      {"PositionDft",
       [](const Context& ctx) -> Operator<float> {
         return PositionDft<float>(ctx, test::random_points(ctx, 150, 3), test::random_points(ctx, 200, 3, 12), coils);
       }},
      {"WeightedDifferences",
       [](const Context& ctx) -> Operator<float> {
         return WeightedDifferences<float>(ctx, image, test::random_weights<float>(ctx, image.with_front(2), 3));
       }},
      {"SignalEvolution",
       [](const Context& ctx) -> Operator<float> {
         return SignalEvolution<float>(
             nufft(ctx, NormalMethod::pair),
             {test::random_array<float>(ctx, image.with_front(2), 6), test::random_array<float>(ctx, {2, samples}, 7)});
       }},
      {"a stack of sums and multiples", [](const Context& ctx) {
         const Operator<float> S = Sense<float>(maps(ctx));
         return stack(Operator<float>(BlockDiagonal<float>(S, 2)),
                      2 * Operator<float>(BlockDiagonal<float>(S + -0.5 * S, 2)));
       }}};
  return list;
}

void expect_the_bits_of_one_thread(const Case& what, const std::function<Context()>& context_of_a_thread) {
  SCOPED_TRACE(what.name);
  const Context ctx = test::device_context();
  const Operator<float> A = what.make(ctx);
  const Array<Complex> x = test::random_array<float>(ctx.host(), A.domain(), 8);
  const Array<Complex> y = test::random_array<float>(ctx.host(), A.range(), 9);
  const Applied expected = apply(ctx, A, x, y);
  std::vector<int> wrong(thread_count);
  test::at_once(thread_count, [&](int thread) {
    const Context own = context_of_a_thread();
    const Operator<float> shared = A;  // a handle of this thread
    for (int repetition = 0; repetition < 2; ++repetition) {
      const Applied found = apply(own, shared, x, y);
      wrong[static_cast<std::size_t>(thread)] += same_bits(own.host(), found.forward, expected.forward) ? 0 : 1;
      wrong[static_cast<std::size_t>(thread)] += same_bits(own.host(), found.adjoint, expected.adjoint) ? 0 : 1;
      wrong[static_cast<std::size_t>(thread)] += same_bits(own.host(), found.normal, expected.normal) ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong, std::vector<int>(thread_count));
}

TEST(Threads, ApplyOneOperatorWithContextsOfTheirOwn) {
  for (const Case& what : cases()) expect_the_bits_of_one_thread(what, [] { return test::device_context(); });
}

TEST(Threads, ShareAContextOnACpu) {
  const Context ctx = test::device_context();
  if (ctx.device().kind != DeviceKind::cpu) GTEST_SKIP() << "a context on a GPU belongs to one thread at a time";
  for (const Case& what : cases()) expect_the_bits_of_one_thread(what, [&] { return ctx; });
}

TEST(Threads, MakePlansAndSolveAtOnce) {
  const Context ctx = test::device_context();
  const Operator<float> A = SenseNufft<float>(nufft(ctx, NormalMethod::toeplitz), maps(ctx));
  const Array<Complex> b = test::random_array<float>(ctx.host(), A.domain(), 8);
  const auto solve = [&](const Context& own, const Operator<float>& op) {
    const Array<Complex> right = clone(own, b);
    Array<Complex> x = zeros<Complex>(own, op.domain());
    conjugate_gradient(own, op.normal(), right, x, {.iterations = 5, .tolerance = 0});
    return to_host(own, x);
  };
  const Array<Complex> expected = solve(ctx, A);
  std::vector<int> wrong(thread_count);
  test::at_once(thread_count, [&](int thread) {
    const Context own = test::device_context();
    const Operator<float> planned_here = SenseNufft<float>(nufft(own, NormalMethod::toeplitz), maps(own));
    int& count = wrong[static_cast<std::size_t>(thread)];
    count += same_bits(own.host(), solve(own, A), expected) ? 0 : 1;
    count += same_bits(own.host(), solve(own, planned_here), expected) ? 0 : 1;
  });
  EXPECT_EQ(wrong, std::vector<int>(thread_count));
}

TEST(Threads, TransformByOneFftPlan) {
  const Context ctx = test::device_context();
  const auto plan = make_fft_plan<float>(ctx, {12, 10});
  const Array<Complex> x = test::random_array<float>(ctx.host(), {4, 12, 10}, 4);
  const auto transform = [&](const Context& own, Index batch) {
    Array<Complex> grids = clone(own, x);
    plan->execute(own, FftDirection::forward, grids.data(), batch);
    return to_host(own, grids);
  };
  const Array<Complex> expected[] = {transform(ctx, 1), transform(ctx, 2), transform(ctx, 3), transform(ctx, 4)};
  std::vector<int> wrong(thread_count);
  test::at_once(thread_count, [&](int thread) {
    const Context own = test::device_context();
    for (Index i = 0; i < 8; ++i) {
      const Index batch = (i + thread) % 4 + 1;
      wrong[static_cast<std::size_t>(thread)] +=
          same_bits(own.host(), transform(own, batch), expected[batch - 1]) ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong, std::vector<int>(thread_count));
}

// A scan of 24 x 24 pixels in 2 coils with its coil maps from ESPIRiT.
TEST(Threads, ReconstructAtOnce) {
  const Context ctx = test::device_context();
  const auto trajectory =
      std::make_shared<const Trajectory>(radial_trajectory(ctx.host(), 38, 24, SpokeOrder::uniform));
  const Scan scan = test::make_phantom_scan(ctx.host(), trajectory, {24, 24, 1}, {.coils = 2});
  const Reconstruction expected = reconstruct(ctx, scan, {.cg_sense = {.iterations = 5}});
  std::vector<int> wrong(thread_count);
  test::at_once(thread_count, [&](int thread) {
    const Context own = test::device_context();
    const Reconstruction found = reconstruct(own, scan, {.cg_sense = {.iterations = 5}});
    wrong[static_cast<std::size_t>(thread)] += same_bits(own.host(), found.images, expected.images) ? 0 : 1;
  });
  EXPECT_EQ(wrong, std::vector<int>(thread_count));
}

}  // namespace
}  // namespace whorl
