#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <string>

#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

TEST(Blas1, DotConjugatesTheFirstArgumentAndIgnoresTheThreads) {
  const Context one({.threads = 1});
  const Context three({.threads = 3});
  Array<Complex> x(one, {20000});
  Array<Complex> y(one, {20000});
  fill_random_normal<float>(x, 1);
  fill_random_normal<float>(y, 2);
  std::complex<double> expected = 0;
  for (Index i = 0; i < x.size(); ++i) {
    expected += std::conj(std::complex<double>(x.span()[i])) * std::complex<double>(y.span()[i]);
  }
  const auto value = dot<float>(one, x, y);
  EXPECT_LT(std::abs(value - expected), 1e-9);  // 20000 terms of size 1 in double: 20000 eps
  EXPECT_EQ(value, (dot<float>(three, x, y)));
  EXPECT_NEAR(norm<float>(one, x), std::sqrt(dot<float>(one, x, x).real()), 0);
}

// GNU's OpenMP ends threads that a smaller team has no use for, and a larger one starts new ones: loops of any size must
// have teams of one size. The system says which threads there have been.
TEST(Blas1, LoopsOfManySizesStartNoThreadTwice) {
  constexpr int threads = 5;
  const Context ctx({.threads = threads});
  std::set<std::string> seen;
  const auto look = [&] {
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) seen.insert(task.path().filename());
  };
  look();
  const std::size_t before = seen.size();
  for (int repetition = 0; repetition < 3; ++repetition) {
    for (Index count = Index{1} << 20; count > 100; count /= 2) {
      const Array<Complex> x = zeros<Complex>(ctx, {count});
      Array<Complex> y(ctx, {count});
      axpby<float>(ctx, 1, x, 0, y);
      look();
    }
  }
  EXPECT_LE(seen.size(), before + threads - 1);
}

TEST(Blas1, ArraysOfAnotherDeviceAreRefused) {
  const Context ctx;
  Array<Complex> here(ctx, {3});
  Array<float> real(ctx, {3});
  // The address is not looked at.
  const ArrayRef<Complex> there(here.data(), {3}, Device{DeviceKind::cuda, 0});
  EXPECT_THROW(dot(ctx, here, there), DeviceError);
  EXPECT_THROW(norm(ctx, there), DeviceError);
  EXPECT_THROW(axpby(ctx, 1, there, 1, here), DeviceError);
  EXPECT_THROW(axpby(ctx, 1, here, 1, there), DeviceError);
  EXPECT_THROW(multiply_weights(ctx, real, here, there), DeviceError);
  EXPECT_THROW(to_complex(ctx, real, there), DeviceError);
}

TEST(Blas1, AxpbyDoesNotReadWhatItOverwrites) {
  const Context ctx;
  Array<Complex> x(ctx, {3});
  Array<Complex> y(ctx, {3});
  fill<Complex>(x, {1, 2});
  fill<Complex>(y, {std::nanf(""), 0});
  axpby<float>(ctx, {0, 1}, x, 0, y);
  EXPECT_EQ(y.span()[2], Complex(-2, 1));
  axpby<float>(ctx, 2, x, {0, -1}, y);
  EXPECT_EQ(y.span()[0], Complex(2, 4) + Complex(1, 2));
}

TEST(Blas1, WeightsApplyToTheLastAxis) {
  const Context ctx;
  Array<Complex> x(ctx, {2, 3});
  fill<Complex>(x, {1, -1});
  Array<float> weights(ctx, {3});
  for (int i = 0; i < 3; ++i) weights.span()[i] = float(i);
  multiply_weights<float>(ctx, weights, x, x);
  EXPECT_EQ(x.view<2>()(1, 2), Complex(2, -2));
  Array<float> wrong(ctx, {2});
  EXPECT_THROW(multiply_weights<float>(ctx, wrong, x, x), ShapeError);
}

TEST(Blas1, ShapesMustAgree) {
  const Context ctx;
  Array<Complex> x(ctx, {3});
  Array<Complex> y(ctx, {4});
  EXPECT_THROW(dot<float>(ctx, x, y), ShapeError);
  EXPECT_THROW(axpby<float>(ctx, 1, x, 1, y), ShapeError);
}

}  // namespace
}  // namespace whorl
