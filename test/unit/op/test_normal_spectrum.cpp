// The spectrum of F^H F as a thing of its own: exact against the dense matrix, by NUFFT against the exact one, and
// given to a transform.
#include "whorl/op/normal_spectrum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/op/dft.hpp"

namespace whorl {
namespace {

using Wide = std::complex<double>;

struct Case {
  Shape image;
  Index samples;
};

std::vector<Case> cases() { return {{{7, 12}, 90}, {{13, 6}, 41}, {{5, 4, 7}, 70}, {{1, 9}, 30}}; }

// Offset of a pixel from the center along x, y and z.
std::array<double, 3> position(const Shape& image, Index pixel) {
  std::array<double, 3> r{};
  for (int axis = image.rank() - 1, d = 0; axis >= 0; --axis, ++d) {
    const Index n = image[axis];
    r[static_cast<std::size_t>(d)] = static_cast<double>(pixel % n - n / 2);
    pixel /= n;
  }
  return r;
}

// F^H F x by its dense matrix: entry (r, s) is 1/pixels * sum_j exp(2 pi i k_j (r - s)).
Array<Wide> dense_normal(const Context& ctx, const Array<double>& points, const Shape& image, const Array<Wide>& x) {
  Array<Wide> z = zeros<Wide>(ctx, x.shape());
  const auto k = points.view<2>();
  const Index pixels = image.size();
  for (Index r = 0; r < pixels; ++r) {
    for (Index s = 0; s < pixels; ++s) {
      const auto to = position(image, r);
      const auto from = position(image, s);
      Wide entry;
      for (Index j = 0; j < k.extent(0); ++j) {
        double turns = 0;
        for (Index d = 0; d < k.extent(1); ++d) {
          turns += k(j, d) * (to[static_cast<std::size_t>(d)] - from[static_cast<std::size_t>(d)]);
        }
        entry += std::polar(1.0, 2 * std::numbers::pi * turns);
      }
      for (Index c = 0; c < x.extent(0); ++c) {
        z.data()[c * pixels + r] += entry / static_cast<double>(pixels) * x.data()[c * pixels + s];
      }
    }
  }
  return z;
}

template <class Real>
Array<std::complex<Real>> narrowed(const Context& ctx, const Array<Wide>& from) {
  Array<std::complex<Real>> to(ctx.host(), from.shape());
  for (std::size_t i = 0; i < from.span().size(); ++i) to.span()[i] = std::complex<Real>(from.span()[i]);
  return clone<std::complex<Real>>(ctx, to);
}

template <class Real>
Array<std::complex<Real>> normal_of(const Context& ctx, const LinearOperator<Real>& transform,
                                    const Array<std::complex<Real>>& x) {
  Array<std::complex<Real>> z(ctx, transform.domain());
  transform.normal(ctx, x, z);
  return z;
}

template <class Real>
double error_of_exact(const Context& ctx, const Case& which) {
  constexpr Index coils = 2;
  const Context host = ctx.host();
  const auto points = test::random_points(host, which.samples, which.image.rank());
  const auto x = test::random_array<double>(host, which.image.with_front(coils), 3);
  const auto normal = exact_normal<Real>(ctx, points, which.image);
  const Dft<Real> dft(ctx, points, which.image, coils, {}, normal);
  const auto got = normal_of<Real>(ctx, dft, narrowed<Real>(ctx, x));
  return test::relative_error(ctx, got, dense_normal(host, points, which.image, x));
}

// Sums of some ten thousand terms at most, pairwise or in double, and three transforms of some hundred points: a few
// roundings of 1.1e-16 or 6e-8 each, and on a GPU float's sums of halves, some 5e-7 (whorl/op/dft.hpp).
TEST(NormalSpectrum, ExactAgainstTheDenseMatrix) {
  const Context ctx = test::device_context();
  for (const Case& which : cases()) {
    SCOPED_TRACE(to_string(which.image));
    EXPECT_LT(error_of_exact<double>(ctx, which), 1e-14);
    EXPECT_LT(error_of_exact<float>(ctx, which), 1e-6);
  }
}

// Both are given to the same transform, so that nothing but the spectra differs. The impulse's image keeps the
// tolerance in relative l2 over the doubled grid; the energy of F^H F x is a fraction of that of the impulse's image
// times x, no less than a half for random samples and pixels.
template <class Real>
void expect_near(const Context& ctx, const Shape& image, double tolerance) {
  SCOPED_TRACE(to_string(image));
  const auto points = test::random_points(ctx.host(), 500, image.rank());
  const auto x = test::random_array<Real>(ctx, image.with_front(3), 5);
  const NufftOptions options{.tolerance = tolerance};
  const Nufft<Real> nufft(ctx, points, image, 3, options, nufft_normal<Real>(ctx, points, image, options));
  const Nufft<Real> exact(ctx, points, image, 3, options, exact_normal<Real>(ctx, points, image));
  const auto expected = normal_of<Real>(ctx, exact, x);
  EXPECT_LE(test::relative_error(ctx, normal_of<Real>(ctx, nufft, x), expected), 2 * tolerance);
  EXPECT_GT(test::relative_error(ctx, normal_of<Real>(ctx, nufft, x), expected), 0);
}

TEST(NormalSpectrum, NufftAgainstExact) {
  const Context ctx = test::device_context();
  expect_near<float>(ctx, {24, 33}, 1e-3);
  expect_near<float>(ctx, {9, 14, 11}, 1e-4);
  expect_near<double>(ctx, {24, 33}, 1e-8);
}

// A spectrum that is given serves as the one that a transform makes for itself does, to the last bit.
TEST(NormalSpectrum, GivenAsMade) {
  const Context ctx = test::device_context();
  const Shape image{20, 27};
  const auto points = test::random_points(ctx.host(), 300, 2);
  const auto x = test::random_array<float>(ctx, image.with_front(3), 5);
  NufftOptions options{.tolerance = 1e-4, .oversampling = 1.5, .normal = NormalMethod::toeplitz};
  const Nufft<float> own(ctx, points, image, 3, options);
  const auto spectrum = nufft_normal<float>(ctx, points, image, options);
  // From the host, as a file is read, and for another number of coils at first.
  const NormalSpectrum<float> read{image, to_host<const float>(ctx, spectrum.values)};
  options.normal = NormalMethod::pair;
  const Nufft<float> one(ctx, points, image, 1, options, read);
  const Nufft<float> given(one, 3);
  EXPECT_EQ(test::relative_error(ctx, normal_of<float>(ctx, given, x), normal_of<float>(ctx, own, x)), 0);
}

TEST(NormalSpectrum, OfAnotherImageIsRefused) {
  const Context ctx;
  const auto points = test::random_points(ctx, 20, 2);
  auto normal = nufft_normal<float>(ctx, points, {8, 9});
  EXPECT_EQ(normal.values.shape(), normal_grid({8, 9}));
  EXPECT_THROW(Nufft<float>(ctx, points, {9, 8}, 1, {}, normal), ShapeError);
  EXPECT_THROW(Dft<float>(ctx, points, {9, 8}, 1, {}, normal), ShapeError);
  normal.values.reshape({normal.values.size(), 1});
  EXPECT_THROW(Dft<float>(ctx, points, {8, 9}, 1, {}, normal), ShapeError);
  EXPECT_THROW(exact_normal<float>(ctx, points, {8, 9, 4}), ShapeError);
}

class Recorder : public ProgressSink {
 public:
  void begin(std::string_view stage, Index total) override {
    stages.emplace_back(stage);
    total_ = total;
  }
  void update(Index done, std::string_view /*detail*/) override {
    EXPECT_GT(done, last);
    EXPECT_LE(done, total_);
    last = done;
    if (cancel != nullptr && done > total_ / 3) cancel->request_cancel();
  }
  void end() override {}

  std::vector<std::string> stages;
  Index last = 0;
  const Context* cancel = nullptr;

 private:
  Index total_ = 0;
};

// 110 * 110 pixels make 218 * 218 points or more of the grid: 2^31 terms, the least that is a stage.
TEST(NormalSpectrum, LongExactSumsTellOfThemselvesAndCanBeStopped) {
  const auto recorder = std::make_shared<Recorder>();
  const Context ctx({.threads = 2, .progress = recorder});
  const Shape image{110, 110};
  const Index samples = (Index{1} << 31) / normal_grid(image).size() + 1;
  recorder->cancel = &ctx;
  EXPECT_THROW(exact_normal<float>(ctx, test::random_points(ctx, samples, 2), image), Cancelled);
  ASSERT_EQ(recorder->stages.size(), 1U);
  EXPECT_EQ(recorder->stages[0], "exact sum of 2.1e+09 terms");
  EXPECT_LT(recorder->last, samples / 2);
}

}  // namespace
}  // namespace whorl
