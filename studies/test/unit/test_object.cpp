#include <gtest/gtest.h>

#include "studies/quantitative_mri/object.hpp"
#include "studies/quantitative_mri/scan.hpp"
#include "support/compare.hpp"
#include "whorl/op/dft.hpp"

namespace whorl::studies::quantitative_mri {
namespace {

using Wide = std::complex<double>;

// The true image against the convolution of voxel means in space, which does not use the k-space: a Gaussian of the
// width, normalized, sampled at the voxels. A voxel's mean instead of its points is one more blur by a box of 1, which
// adds 1/12 to a variance of (5/2.355)^2 = 4.5, or 1.8 %: the width changes by 0.9 %. Edges of the height h are then
// off by 0.009 * 0.24 h at most (the largest of t times the normal density). Contrasts are 1 at most.
TEST(Object, ImageIsTheBlurredPhantom) {
  const Context ctx;
  constexpr Index size = 20;
  constexpr double fwhm = 5;
  const Array<Wide> sharp = Object(0).image(ctx, size);
  const Array<Wide> image = Object(fwhm).image(ctx, size);
  const double spread = fwhm / std::sqrt(8 * std::log(2.0));
  std::vector<double> window;
  double total = 0;
  for (Index i = -10; i <= 10; ++i) {
    window.push_back(std::exp(-static_cast<double>(i * i) / (2 * spread * spread)));
    total += window.back();
  }
  const auto blurred = [&](Index z, Index y, Index x) {
    double sum = 0;
    for (Index c = -10; c <= 10; ++c) {
      for (Index b = -10; b <= 10; ++b) {
        for (Index a = -10; a <= 10; ++a) {
          const Index zz = (z + c + size) % size;
          const Index yy = (y + b + size) % size;
          const Index xx = (x + a + size) % size;
          sum += window[static_cast<std::size_t>(c + 10)] * window[static_cast<std::size_t>(b + 10)] *
                 window[static_cast<std::size_t>(a + 10)] * sharp.view<3>()(zz, yy, xx).real();
        }
      }
    }
    return sum / (total * total * total);
  };
  for (const std::array<Index, 3>& at : {std::array<Index, 3>{10, 10, 10}, {12, 6, 5}, {3, 10, 9}, {15, 14, 12}}) {
    const Wide value = image.view<3>()(at[0], at[1], at[2]);
    EXPECT_NEAR(value.real(), blurred(at[0], at[1], at[2]), 0.0025) << at[0] << " " << at[1] << " " << at[2];
    EXPECT_EQ(value.imag(), 0);
  }
}

// Samples and image are one object: the exact transform of the image gives the samples, where the blur has left nothing
// beyond the grid of k-space. exp(-pi^2 5^2 / (16 ln 2)) = 2e-10 is left at |k| = 1/2 along an axis.
TEST(Object, SamplesAreThoseOfTheImage) {
  const Context ctx;
  constexpr Index size = 24;
  const Object object(5);
  Array<double> points(ctx, {4, 3});
  const std::array<double, 12> k{0, 0, 0, 0.11, -0.07, 0.02, -0.03, 0.15, -0.05, 0.2, 0.01, 0.08};
  std::copy(k.begin(), k.end(), points.data());
  const Array<Wide> samples = object.samples(ctx, size, points);
  const Array<Wide> image = object.image(ctx, size);
  const Dft<double> dft(ctx, points, {size, size, size}, 1);
  Array<Wide> expected(ctx, dft.range());
  dft.forward(ctx, image.ref().reshape(dft.domain()), expected);
  // What of the Gaussian lies outside of the field of view is in the samples and wrapped in the image: the head
  // ends 1.9 voxels from its end, and there 0.2 % of a thin scalp is left.
  EXPECT_LT(test::relative_error(samples, expected), 2e-3);
}

TEST(Scan, HasTheSamplesOfTheChapterAtFullSize) {
  // 5082 spokes of 56 samples; an eighth at half the size, up to rounding.
  EXPECT_EQ(5082 * 56, 284592);
  const Context ctx;
  const SimulatedScan scan = simulate(ctx, {.size = 16, .noise = 0.5});
  EXPECT_EQ(scan.trajectory.readout_length, 7);
  EXPECT_EQ(scan.trajectory.samples(), 79 * 7);
  double largest = 0;
  for (const double value : scan.trajectory.points.span()) largest = std::max(largest, std::abs(value));
  EXPECT_LE(largest, 7.0 / 32);
  // The variance of 553 numbers is known to sqrt(1/553) = 4.3 %; five of these.
  double variance = 0;
  for (Index j = 0; j < scan.trajectory.samples(); ++j) {
    variance += std::norm(scan.data[1].data()[j] - scan.data[0].data()[j]) / static_cast<double>(79 * 7);
  }
  EXPECT_NEAR(variance, 0.25, 0.25 * 0.22);
}

}  // namespace
}  // namespace whorl::studies::quantitative_mri
