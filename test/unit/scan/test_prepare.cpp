#include "whorl/scan/prepare.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.hpp"
#include "support/small_scan.hpp"
#include "whorl/calib/noise.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

// A scan whose coils are loud to different degrees, with maps: the first sample of the first frame stands for all.
Scan scan_with_maps(const Context& ctx) {
  Scan scan = test::make_small_scan(ctx);
  for (auto& sample : scan.noise.slice(1).span()) sample *= 8.0F;
  for (auto& sample : scan.noise.slice(2).span()) sample += scan.noise.data()[&sample - scan.noise.slice(2).data()];
  scan.coil_maps = test::random_array<float>(ctx, {3, 1, 16, 20}, 77);
  return scan;
}

TEST(Prewhiten, NoiseAndMapsGoWithTheData) {
  const Context ctx;
  Scan scan = scan_with_maps(ctx);
  // The data of the first frame are made those of the maps, so that they have to stay equal.
  for (Index c = 0; c < 3; ++c) {
    for (Index j = 0; j < 60; ++j) {
      scan.frames[0].data.view<2>()(c, j) = scan.coil_maps.data()[c * 320 + j];
    }
  }
  Notes notes;
  prewhiten(ctx, scan, notes);
  EXPECT_EQ(notes.size(), 1U);
  for (Index c = 0; c < 3; ++c) {
    for (Index j = 0; j < 60; ++j) {
      EXPECT_EQ(scan.frames[0].data.view<2>()(c, j), scan.coil_maps.data()[c * 320 + j]);
    }
  }
  const auto covariance = noise_covariance<float>(ctx, scan.noise).matrix;
  for (Index a = 0; a < 3; ++a) {
    for (Index b = 0; b < 3; ++b) {
      // Rounding of the float noise, times the condition of the covariance (about 100).
      EXPECT_LT(std::abs(covariance.view<2>()(a, b) - (a == b ? 1.0 : 0.0)), 1e-4) << a << " " << b;
    }
  }
}

TEST(CompressCoils, NoiseAndMapsGoWithTheData) {
  const Context ctx;
  Scan scan = scan_with_maps(ctx);
  // Coil 2 is coil 0 twice: two virtual coils hold all.
  for (ScanFrame& frame : scan.frames) {
    for (Index j = 0; j < 60; ++j) frame.data.view<2>()(2, j) = 2.0F * frame.data.view<2>()(0, j);
  }
  const Scan before = scan_with_maps(ctx);
  Notes notes;
  const auto compression = compress_coils(ctx, scan, {.virtual_coils = 2}, notes);
  EXPECT_NEAR(compression.energy_kept, 1, 1e-6);
  EXPECT_EQ(scan.coils, 2);
  EXPECT_EQ(scan.frames.back().data.shape(), (Shape{2, 60}));
  ASSERT_EQ(scan.noise.shape(), (Shape{2, 40}));
  ASSERT_EQ(scan.coil_maps.shape(), (Shape{2, 1, 16, 20}));
  for (Index v = 0; v < 2; ++v) {
    std::complex<double> noise = 0;
    std::complex<double> map = 0;
    for (Index c = 0; c < 3; ++c) {
      const auto weight = compression.matrix.view<2>()(v, c);
      noise += weight * std::complex<double>(before.noise.view<2>()(c, 7));
      map += weight * std::complex<double>(before.coil_maps.data()[c * 320 + 11]);
    }
    EXPECT_LT(std::abs(std::complex<double>(scan.noise.view<2>()(v, 7)) - noise), 1e-5);
    EXPECT_LT(std::abs(std::complex<double>(scan.coil_maps.data()[v * 320 + 11]) - map), 1e-5);
  }
}

TEST(CompressCoils, AScanWithoutDataIsRefused) {
  const Context ctx;
  Scan scan = test::make_small_scan(ctx);
  scan.frames.clear();
  Notes notes;
  EXPECT_THROW(compress_coils(ctx, scan, {.virtual_coils = 1}, notes), ValueError);
  EXPECT_THROW(prewhiten(ctx, scan, notes), ValueError);
}

}  // namespace
}  // namespace whorl
