// Sums of many samples in one cell of the grid, in single precision.
#include <gtest/gtest.h>

#include <cmath>

#include "exact_matrix.hpp"
#include "support/device.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl {
namespace {

constexpr double tolerance = 2e-6;
constexpr Index samples = 60000;

// The adjoint of ones at `samples` equal positions, relative to its exact value, which is their number times the image
// of one.
//
// A row of the transform is right to the tolerance, the sum of as many equal rows then too. What comes on top are the
// roundings of sums: of n equal numbers in a row, at most n - 1 of 2^-24 each, where a longer sum is made of such sums
// in double (and a few roundings more). One after the other, these samples would lose 1e-4 and more.
void expect_sums(const Shape& image, const std::vector<double>& position, Index coils) {
  const Context ctx = test::device_context();
  const bool on_cpu = ctx.device() == ctx.host().device();
  // CPU: 32 samples of a cell. GPU: a part of a crowded tile, 256 samples in 2D and 512 in 3D.
  const double summed = on_cpu ? 32 : image.rank() == 2 ? 256 : 512;
  const double allowed = tolerance + (summed + 3) * std::exp2(-24);
  Array<double> points(ctx.host(), {samples, image.rank()});
  for (Index i = 0; i < points.size(); ++i) {
    points.data()[i] = position.at(static_cast<std::size_t>(i % image.rank()));
  }
  Array<std::complex<float>> ones(ctx.host(), {coils, samples});
  std::fill(ones.span().begin(), ones.span().end(), std::complex<float>(1, 0.7F));
  const Nufft<float> nufft(ctx, points, image, coils, {.tolerance = tolerance, .oversampling = 2});
  Array<std::complex<float>> gridded(ctx, nufft.domain());
  nufft.adjoint(ctx, clone<std::complex<float>>(ctx, ones), gridded);
  const auto host = to_host<const std::complex<float>>(ctx, gridded);

  Array<double> one(ctx.host(), {1, image.rank()});
  std::copy_n(points.data(), image.rank(), one.data());
  const test::ExactMatrix exact(one, image);
  const auto all = static_cast<double>(samples) * std::complex<double>(1, 0.7F);
  for (Index c = 0; c < coils; ++c) {
    double error = 0;
    for (Index i = 0; i < image.size(); ++i) {
      error += std::norm(std::complex<double>(host.data()[c * image.size() + i]) - all * exact.adjoint()(i, 0));
    }
    EXPECT_LE(std::sqrt(error), allowed * std::abs(all)) << "coil " << c;
  }
}

TEST(NufftSums, EqualSamplesIn2d) {
  expect_sums({40, 36}, {0, 0}, 1);
  expect_sums({40, 36}, {0.213, -0.31}, 5);
}

TEST(NufftSums, EqualSamplesIn3d) {
  expect_sums({20, 16, 18}, {0, 0, 0}, 1);
  expect_sums({20, 16, 18}, {0.01, 0.213, -0.31}, 5);
}

}  // namespace
}  // namespace whorl
