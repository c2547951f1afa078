// Spirals with the concomitant field of their gradients. The data are exact sums in double, with all terms of the field.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "unit/recon/encoding/evolving_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/correct/concomitant_field.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

using Vector = std::array<double, 3>;

constexpr std::array<Index, 3> matrix{48, 40, 1};
constexpr double dwell_us = 8;
constexpr double larmor_mhz = 8.5;  // 0.2 T, where the field is 15 times that at 3 T
constexpr double gamma_hz_per_t = 42.577e6;

// A coronal slice 60 mm in front of the center, and an axial one that is turned.
Geometry slice(bool coronal) {
  Geometry place;
  place.field_of_view_mm = {288, 240, 5};
  place.position_mm = {10, coronal ? -60.0 : -5.0, coronal ? 100.0 : 200.0};
  if (coronal) {
    place.phase_direction = {0, 0, -1};
    place.slice_direction = {0, 1, 0};
  } else {
    place.read_direction = {std::cos(0.3), std::sin(0.3), 0};
    place.phase_direction = {-std::sin(0.3), std::cos(0.3), 0};
  }
  return place;
}

class ConcomitantRecon : public testing::Test {
 protected:
  ConcomitantRecon() {
    DesignOptions design;
    design.limits.pixel_mm = 6;
    design.dwell_us = dwell_us;
    spiral = std::make_shared<const Trajectory>(designed_spiral(ctx, 2, 12, 1, design).trajectory);
    image = test::smoothed(ctx, test::to_double(ctx, rasterize<float>(ctx, brain_phantom(2), matrix, 8)));
    maps = test::to_double(ctx, phantom_coil_maps<double>(ctx, make_phantom_coils(ctx, matrix, 4)));
    const Index pixels = image.size();
    for (Index r = 0; r < pixels; ++r) {
      double sum = 0;
      for (Index c = 0; c < 4; ++c) sum += std::norm(maps.data()[c * pixels + r]);
      for (Index c = 0; c < 4; ++c) maps.data()[c * pixels + r] /= std::sqrt(sum);
    }
  }

  // The samples with B_c = ((G_x z - G_z x/2)^2 + (G_y z - G_z y/2)^2) / (2 B_0), summed over time and over the pixels; a
  // field map of f_hz(x) in addition.
  Scan measured(const Geometry& place, double hertz_per_pixel) const {
    Scan scan = test::scan_of(ctx, image, maps, {}, spiral, dwell_us, 0);
    scan.frames.front().geometry = place;
    const double field_t = larmor_mhz * 1e6 / gamma_hz_per_t;
    const auto k = spiral->points.view<2>();
    const auto data = scan.frames.front().data.view<2>();
    const std::array directions{place.read_direction, place.phase_direction};
    const auto where = [&](Index x, Index y) {
      Vector r{};
      for (std::size_t row = 0; row < 3; ++row) {
        r[row] = 1e-3 * (place.position_mm[row] + 6.0 * static_cast<double>(x - matrix[0] / 2) * directions[0][row] +
                         6.0 * static_cast<double>(y - matrix[1] / 2) * directions[1][row]);
      }
      return r;
    };
    const double scale = 1 / std::sqrt(static_cast<double>(image.size()));
    std::vector<double> turns(static_cast<std::size_t>(image.size()));
    for (Index j = 0; j < data.extent(1); ++j) {
      const bool first = j % spiral->readout_length == 0;
      Vector gradient{};
      for (std::size_t axis = 0; axis < 2 && !first; ++axis) {
        const auto a = static_cast<Index>(axis);
        const double along = (k(j, a) - k(j - 1, a)) / 6e-3 / (1e-6 * dwell_us) / gamma_hz_per_t;
        for (std::size_t row = 0; row < 3; ++row) gradient[row] += along * directions[axis][row];
      }
      std::vector<std::complex<double>> sums(4);
      for (Index v = 0; v < image.size(); ++v) {
        const Vector r = where(v % matrix[0], v / matrix[0]);
        double& phase = turns[static_cast<std::size_t>(v)];
        if (first) phase = 0;
        const double x = gradient[0] * r[2] - gradient[2] * r[0] / 2;
        const double y = gradient[1] * r[2] - gradient[2] * r[1] / 2;
        phase += gamma_hz_per_t * (x * x + y * y) / (2 * field_t) * 1e-6 * dwell_us;
        if (image.data()[v] == 0.0) continue;
        const double dx = static_cast<double>(v % matrix[0] - matrix[0] / 2);
        const double dy = static_cast<double>(v / matrix[0] - matrix[1] / 2);
        const double time = 1e-6 * dwell_us * static_cast<double>(j % spiral->readout_length);
        const auto factor = std::polar(
            scale, -2 * std::numbers::pi * (phase + hertz_per_pixel * dx * time + k(j, 0) * dx + k(j, 1) * dy));
        for (std::size_t c = 0; c < 4; ++c) {
          sums[c] += image.data()[v] * maps.data()[static_cast<Index>(c) * image.size() + v] * factor;
        }
      }
      for (Index c = 0; c < 4; ++c) data(c, j) = std::complex<float>(sums[static_cast<std::size_t>(c)]);
    }
    return scan;
  }

  static ReconOptions options() {
    return {.prewhiten = false,
            .coil_maps = CoilMapMethod::file,
            .cg_sense = {.iterations = 60, .tolerance = 1e-6, .lambda = 1e-4},
            .nufft = {.tolerance = 1e-4}};
  }

  Context ctx{{.threads = 2}};
  std::shared_ptr<const Trajectory> spiral;
  Array<std::complex<double>> image;
  Array<std::complex<double>> maps;
};

TEST_F(ConcomitantRecon, GivesTheObjectBack) {
  for (const bool coronal : {true, false}) {
    const Scan scan = measured(slice(coronal), 0);
    const double plain = test::image_error(reconstruct(ctx, scan, options()), image);
    ReconOptions with = options();
    with.signal.larmor_mhz = larmor_mhz;
    with.signal.tolerance = 1e-4;
    const double corrected = test::image_error(reconstruct(ctx, scan, with), image);
    const double left = concomitant_field(ctx, scan, scan.frames.front(), dwell_us, larmor_mhz).left_out;
    std::printf("%s: error %.4f, corrected %.4f, left out %.4f turns\n", coronal ? "coronal" : "axial", plain,
                corrected, left);
    EXPECT_GT(plain, 0.04);
    // Tolerances leave 5e-3, as for field maps (test_signal_recon.cpp). What is left out oscillates with each turn of the
    // spiral and is largest in the corners alone: it must be far below its bound of 2 pi `left`.
    EXPECT_LT(corrected, 5e-3);
    EXPECT_LT(corrected, plain / 20);
  }
}

// All terms are those of the data. What the correction leaves out oscillates: the operator's error is well below the bound of
// 2 pi times `left_out`, and above the tolerances of NUFFT and factors, 1e-4 / 10.
TEST_F(ConcomitantRecon, TheCertificateHasAllTermsOfTheField) {
  const Scan scan = measured(slice(true), 0);
  const ConcomitantTurns turns(ctx, scan, scan.frames.front(), dwell_us, larmor_mhz);
  const auto by_turns = [&](Index sample) {
    std::complex<double> sum = 0;
    const auto k = spiral->points.view<2>();
    for (Index v = 0; v < image.size(); ++v) {
      const double dx = static_cast<double>(v % matrix[0] - matrix[0] / 2);
      const double dy = static_cast<double>(v / matrix[0] - matrix[1] / 2);
      sum += image.data()[v] * maps.data()[v] *
             std::polar(1 / std::sqrt(double(image.size())),
                        -2 * std::numbers::pi * (turns(sample, v) + k(sample, 0) * dx + k(sample, 1) * dy));
    }
    return sum;
  };
  const auto data = scan.frames.front().data.view<2>();
  for (Index sample = 5; sample < data.extent(1); sample += 97) {
    // rounding of the data to float
    EXPECT_LT(std::abs(by_turns(sample) - std::complex<double>(data(0, sample))), 1e-6 * std::abs(by_turns(0)))
        << sample;
  }
  ReconOptions with = options();
  with.signal.larmor_mhz = larmor_mhz;
  with.signal.tolerance = 1e-4;
  with.certified_samples = 300;
  const auto found = reconstruct(ctx, scan, with);
  ASSERT_EQ(found.certificates.size(), 1U);
  std::printf("certificate %.1e, below %.1e\n", found.certificates[0].relative_error, found.certificates[0].bound);
  EXPECT_GT(found.certificates[0].relative_error, 1e-5);
  EXPECT_LT(found.certificates[0].bound, 1e-2);
}

TEST_F(ConcomitantRecon, BesideAFieldMap) {
  const Scan scan = measured(slice(true), 1.5);
  ReconOptions with = options();
  Array<float> field(ctx, {matrix[1], matrix[0]});
  for (Index v = 0; v < field.size(); ++v) {
    field.data()[v] = 1.5F * static_cast<float>(v % matrix[0] - matrix[0] / 2);
  }
  auto map = std::make_shared<ReferenceImage>();
  map->source = "field";
  map->values = std::move(field);
  map->affine.in_scanner = false;
  with.signal = {.field_map = map, .tolerance = 1e-4};
  const double map_alone = test::image_error(reconstruct(ctx, scan, with), image);
  with.signal.larmor_mhz = larmor_mhz;
  const double both = test::image_error(reconstruct(ctx, scan, with), image);
  EXPECT_LT(both, 5e-3);
  EXPECT_LT(both, map_alone / 5);
}

TEST_F(ConcomitantRecon, RefusesWhatItIsNotFor) {
  Scan scan = measured(slice(true), 0);
  const ScanFrame& frame = scan.frames.front();
  EXPECT_THROW(concomitant_field(ctx, scan, frame, 0, larmor_mhz), ValueError);
  EXPECT_THROW(concomitant_field(ctx, scan, frame, dwell_us, 0), ValueError);
  // Spokes: each has its own direction.
  ScanFrame spokes;
  spokes.geometry = slice(true);
  spokes.trajectory = std::make_shared<const Trajectory>(radial_trajectory(ctx, 8, 400, SpokeOrder::uniform));
  EXPECT_THROW(concomitant_field(ctx, scan, spokes, 0.5, 2), ValueError);
  scan.frames.front().geometry.field_of_view_mm = {0, 0, 0};
  EXPECT_THROW(concomitant_field(ctx, scan, scan.frames.front(), dwell_us, larmor_mhz), ValueError);
}

}  // namespace
}  // namespace whorl
