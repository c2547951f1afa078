#include "recon/encoding/calibrate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "recon/encoding/central_samples.hpp"
#include "support/compare.hpp"
#include "unit/recon/test_scan.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/shepp_logan.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl {
namespace {

TEST(CalibrationRegion, IsTheCartesianCenterOfKSpace) {
  const Context ctx({.threads = 2});
  const Scan scan = test::make_test_scan(ctx, {.coils = 3, .spokes = 120});
  constexpr Index extent = 16;
  const auto region = recon::calibration_region(ctx, scan.frames[0], scan.image_shape(), extent);
  ASSERT_EQ(region.shape(), (Shape{3, extent, extent}));

  // Positions are the same in the phantom's exact k-space: one cycle per field of view apart.
  Array<double> points(ctx, {extent * extent, 2});
  for (Index j = 0; j < extent * extent; ++j) {
    points.data()[2 * j] = double(j % extent - extent / 2) / 48;
    points.data()[2 * j + 1] = double(j / extent - extent / 2) / 40;
  }
  auto expected = phantom_coil_samples<double>(ctx, shepp_logan(2, PhantomContrast::modified),
                                               make_phantom_coils(ctx, scan.matrix, 3), points);
  double difference = 0;
  double total = 0;
  for (Index c = 0; c < 3; ++c) {
    for (Index y = 2; y < extent - 2; ++y) {
      for (Index x = 2; x < extent - 2; ++x) {
        const auto wanted = expected.data()[(c * extent + y) * extent + x];
        difference += std::norm(std::complex<double>(region.data()[(c * extent + y) * extent + x]) - wanted);
        total += std::norm(wanted);
      }
    }
  }
  // Least squares leaves what the image of extent^2 pixels can not hold: the tails of frequencies outside the region,
  // which leak into the two outermost rows above all.
  EXPECT_LT(std::sqrt(difference / total), 0.05);
}

TEST(CalibrationRegion, NeedsSamplesInTheCenter) {
  const Context ctx;
  Scan scan = test::make_test_scan(ctx, {.coils = 2, .spokes = 3});
  auto shifted = std::make_shared<Trajectory>();
  shifted->points = clone(ctx, scan.frames[0].trajectory->points.ref());
  for (auto& k : shifted->points.span()) k = 0.4 + 0.1 * k;
  scan.frames[0].trajectory = shifted;
  EXPECT_THROW(recon::calibration_region(ctx, scan.frames[0], scan.image_shape(), 16), ValueError);
}

Trajectory lines(const Context& ctx, const std::vector<int>& ky, const std::vector<int>& kz = {}) {
  constexpr int samples = 32;
  const Index dim = kz.empty() ? 2 : 3;
  Trajectory made;
  made.points =
      Array<double>(ctx, {static_cast<Index>(ky.size() * std::max<std::size_t>(kz.size(), 1)) * samples, dim});
  double* point = made.points.data();
  for (std::size_t z = 0; z < std::max<std::size_t>(kz.size(), 1); ++z) {
    for (const int y : ky) {
      for (int x = -samples / 2; x < samples / 2; ++x) {
        *point++ = x / 32.0;
        *point++ = y / 64.0;
        if (dim == 3) *point++ = kz[z] / 8.0;
      }
    }
  }
  return made;
}

std::vector<int> every(int step, int half) {
  std::vector<int> lines;
  for (int i = -half; i < half; ++i) {
    if (i % step == 0) lines.push_back(i);
  }
  return lines;
}

// Counted by hand, of the 13 points of the grid within 2 of the center: lines 1 and -1 have three each, lines 2 and -2 one.
TEST(CentralSamples, TellWhichPartOfTheCenterIsWithoutThem) {
  const Context ctx;
  const Shape plane{64, 32};
  const auto part = [&](const Trajectory& of, const Shape& image) {
    return recon::part_without_samples(ctx, of, image);
  };
  EXPECT_EQ(part(lines(ctx, every(1, 32)), plane), 0);
  EXPECT_DOUBLE_EQ(part(lines(ctx, every(2, 32)), plane), 6.0 / 13);
  EXPECT_DOUBLE_EQ(part(lines(ctx, every(3, 32)), plane), 8.0 / 13);
  std::vector<int> with_calibration = every(2, 32);
  for (const int line : {-3, -1, 1, 3}) with_calibration.push_back(line);
  EXPECT_EQ(part(lines(ctx, with_calibration), plane), 0);

  const Shape volume{8, 64, 32};
  EXPECT_EQ(part(lines(ctx, every(1, 32), every(1, 4)), volume),
            0);  // the image has kz of -4 alone, which has no partner
  EXPECT_GT(part(lines(ctx, every(1, 32), every(2, 4)), volume), 0.4);

  // Points at the rim are at most 2 sin(pi / 10) = 0.62 from one of five spokes.
  const Scan spokes = test::make_test_scan(ctx, {.coils = 2, .spokes = 5});
  EXPECT_EQ(part(*spokes.frames[0].trajectory, spokes.image_shape()), 0);
}

TEST(CoilMapsOfAScan, AreDoubtedWhereTheCenterHasGaps) {
  const Context ctx({.threads = 2});
  for (const int step : {1, 2}) {
    Scan scan = test::make_test_scan(ctx, {.coils = 2, .spokes = 60});
    if (step == 2) {
      auto wide = std::make_shared<Trajectory>();
      wide->points = clone(ctx, scan.frames[0].trajectory->points.ref());
      // Rows two cycles per field of view apart.
      for (Index j = 0; j < wide->samples(); ++j) {
        double& ky = wide->points.data()[2 * j + 1];
        ky = std::clamp(std::round(ky * 20) / 20, -0.5, 0.5);
      }
      scan.frames[0].trajectory = wide;
    }
    const Reconstruction result = reconstruct(ctx, scan, {.prewhiten = false, .keep_maps = true});
    const auto found = std::ranges::find_if(result.notes, [](const Note& note) {
      return note.kind == NoteKind::doubt && note.find("of the center of k-space has no sample") != std::string::npos;
    });
    EXPECT_EQ(found != result.notes.end(), step == 2);
  }
}

}  // namespace
}  // namespace whorl
