// The exact transform of a grid on a GPU, against the CPU's in double.
#include <gtest/gtest.h>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/dft.hpp"

namespace whorl {
namespace {

using Wide = std::complex<double>;

struct Case {
  Shape image;
  Index samples;
  Index coils;
};

// Even, odd and single extents in 2D and 3D; more pixels in a line than a panel of columns has; more samples than a
// block; more than the tables hold, so that there are several runs of them; enough rows for one part and few enough for
// many.
std::vector<Case> cases() {
  return {{{18, 13}, 211, 1},     {{5, 4, 7}, 203, 2},   {{1, 1, 1}, 5, 1},     {{2, 3, 1}, 31, 3},
          {{3, 1, 2}, 31, 2},     {{1, 2, 401}, 107, 1}, {{5, 27, 4}, 107, 5},  {{33, 256}, 515, 1},
          {{20, 33, 34}, 300, 2}, {{9, 8}, 40001, 2},    {{64, 64, 8}, 1031, 1}};
}

template <class Real>
Array<Wide> widen(const Context& ctx, const Array<std::complex<Real>>& from) {
  Array<Wide> to(ctx, from.shape());
  for (std::size_t i = 0; i < from.span().size(); ++i) to.span()[i] = Wide(from.span()[i]);
  return to;
}

// Relative errors of both directions stay below `bound`.
template <class Real>
void check(const Case& which, double tolerance, double bound) {
  SCOPED_TRACE(testing::Message() << to_string(which.image) << ", " << which.samples << " samples, " << which.coils
                                  << " coils");
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  const auto points = test::random_points(host, which.samples, which.image.rank());
  const Dft<Real> dft(ctx, points, which.image, which.coils, {.tolerance = tolerance});
  const Dft<double> oracle(host, points, which.image, which.coils);
  const auto x = test::random_array<Real>(host, dft.domain(), 1);
  const auto y = test::random_array<Real>(host, dft.range(), 2);
  Array<std::complex<Real>> forward(ctx, dft.range());
  Array<std::complex<Real>> adjoint(ctx, dft.domain());
  dft.forward(ctx, clone(ctx, x.ref()), forward);
  dft.adjoint(ctx, clone(ctx, y.ref()), adjoint);
  Array<Wide> expected_forward(host, dft.range());
  Array<Wide> expected_adjoint(host, dft.domain());
  oracle.forward(host, widen(host, x), expected_forward);
  oracle.adjoint(host, widen(host, y), expected_adjoint);
  EXPECT_LT(test::relative_error(to_host(ctx, forward.ref()), expected_forward), bound);
  EXPECT_LT(test::relative_error(to_host(ctx, adjoint.ref()), expected_adjoint), bound);
}

TEST(CudaDft, SingleIsTheDftOfTheCpu) {
  // Numbers as the sum of two halves are right to 2^-22 on both sides, and the product of two low parts is left out:
  // 7e-7. The factor of a row is rounded four times by 2^-24: 2e-7. The tensor cores cut off up to 2^-23 of a sum in
  // each of the 24 additions of a chain, 2.9e-6 where all are as large as can be.
  for (const Case& which : cases()) check<float>(which, 0, 4e-6);
}

TEST(CudaDft, LooseToleranceIsKept) {
  // Both factors are rounded to 11 bits: 2 * 2^-11 where the rounding is largest in every term.
  for (const Case& which : cases()) check<float>(which, 1e-3, 1e-3);
}

TEST(CudaDft, DoubleIsTheDftOfTheCpu) {
  // What the CPU's is held to.
  for (const Case& which : cases()) check<double>(which, 0, 1e-14);
}

TEST(CudaDft, AnyMagnitudeOfTheData) {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  const auto points = test::random_points(host, 100, 2);
  const Dft<float> dft(ctx, points, {12, 10}, 1);
  const auto x = test::random_array<float>(host, dft.domain(), 1);
  Array<std::complex<float>> y(ctx, dft.range());
  dft.forward(ctx, clone(ctx, x.ref()), y);
  const auto expected = to_host(ctx, y.ref());
  // Powers of two change no digit. Halves alone reach from 6e-8 to 65504.
  for (const float scale : {0x1p-90F, 0x1p-20F, 0x1p30F, 0x1p90F}) {
    auto scaled = clone(host, x.ref());
    for (auto& value : scaled.span()) value *= scale;
    dft.forward(ctx, clone(ctx, scaled.ref()), y);
    const auto result = to_host(ctx, y.ref());
    for (Index j = 0; j < 100; ++j) EXPECT_EQ(result.data()[j], scale * expected.data()[j]);
  }
  for (const bool forward : {true, false}) {
    auto from = zeros<std::complex<float>>(ctx, forward ? dft.domain() : dft.range());
    Array<std::complex<float>> to(ctx, forward ? dft.range() : dft.domain());
    forward ? dft.forward(ctx, from, to) : dft.adjoint(ctx, from, to);
    EXPECT_EQ(norm(ctx, to), 0);
  }
}

}  // namespace
}  // namespace whorl
