// Phantoms that change: each readout is that of its own time.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/compare.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/dynamic.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

TEST(DynamicPhantom, EachReadoutIsMeasuredAtItsTime) {
  const Context ctx;
  Scan scan;
  scan.matrix = {24, 20, 1};
  scan.readout_interval_ms = 50;
  for (int f = 0; f < 2; ++f) {
    scan.frames.emplace_back().trajectory =
        std::make_shared<Trajectory>(radial_trajectory(ctx, 3, 16, SpokeOrder::golden_angle));
    scan.frames.back().index.repetition = f;
  }
  const Scan measured =
      dynamic_phantom_scan(ctx, [](double time) { return beating_phantom(time); }, std::move(scan), {.coils = 0});
  for (Index readout = 0; readout < 6; ++readout) {
    const ScanFrame& frame = measured.frames[static_cast<std::size_t>(readout / 3)];
    const Index first = readout % 3 * 16;
    const ArrayRef<const double> points(frame.trajectory->points.data() + first * 2, {16, 2});
    const auto expected =
        phantom_samples(ctx, beating_phantom(0.05 * static_cast<double>(readout)), measured.matrix, points);
    for (Index i = 0; i < 16; ++i) {
      // One rounding to float, of values of at most 10.
      EXPECT_LT(std::abs(std::complex<double>(frame.data.data()[first + i]) - expected.data()[i]), 1e-5);
    }
  }
}

TEST(DynamicPhantom, BeatsAndTakesUpTheAgent) {
  const BeatingOptions options{.rate_hz = 2, .stroke = 0.5, .arrival_s = 1, .peak_s = 0.5, .enhancement = 0.6};
  EXPECT_EQ(contrast_curve(0.9, options), 0);
  EXPECT_DOUBLE_EQ(contrast_curve(1.5, options), 0.6);
  const auto axis = [&](double time) {
    return std::get<Solid>(beating_phantom(time, options).regions[3].figure).half_axes[0];
  };
  EXPECT_DOUBLE_EQ(axis(0), axis(0.5));
  EXPECT_NEAR(axis(0.25), axis(0) / 2, 1e-15);
  EXPECT_THROW(beating_phantom(0, {.stroke = 1}), ValueError);
}

TEST(DynamicPhantom, T2MapIsThatOfTheDecay) {
  const Context ctx;
  const std::array<Index, 3> matrix{64, 56, 1};
  const Array<float> early = rasterize<float>(ctx, t2_phantom(0.01), matrix, 1);
  const Array<float> late = rasterize<float>(ctx, t2_phantom(0.05), matrix, 1);
  const Array<float> map = t2_phantom_map(ctx, matrix);
  int inside = 0;
  for (Index i = 0; i < map.size(); ++i) {
    if (map.data()[i] == 0) {
      EXPECT_NEAR(early.data()[i], 0, 1e-6);
      continue;
    }
    ++inside;
    const double t2 = 0.04 / std::log(early.data()[i] / late.data()[i]);
    EXPECT_NEAR(t2, map.data()[i], 1e-4 * t2);  // float, of a logarithm of at least 0.2
  }
  EXPECT_GT(inside, 1500);
  EXPECT_THROW(t2_phantom(-1), ValueError);
}

// Disks in millimeters, in a field of view of 48 x 60 mm, whose pixels are 2 x 3 mm.
struct MillimeterDisk {
  std::array<double, 2> center;
  double radius;
  double intensity;
};

Phantom disks_at(const ObjectPose& pose) {
  constexpr std::array<MillimeterDisk, 2> disks{{{{4, -6}, 11, 1}, {{-9, 8}, 5, -0.4}}};
  const double angle = pose.rotation_degrees[2] * std::numbers::pi / 180;
  Phantom phantom{"disks", 2, {}};
  for (const MillimeterDisk& disk : disks) {
    const auto [x, y] = disk.center;
    const double to_x = std::cos(angle) * x - std::sin(angle) * y + pose.shift_mm[0];
    const double to_y = std::sin(angle) * x + std::cos(angle) * y + pose.shift_mm[1];
    phantom.regions.push_back(
        {Solid{SolidKind::ellipsoid, {to_x / 24, to_y / 30, 0}, {disk.radius / 24, disk.radius / 30, 1}, 0},
         Tissue{.intensity = disk.intensity}});
  }
  return phantom;
}

// Each readout is that of an object that was put by hand where its pose says, before coils that rest.
TEST(MovingPhantom, IsTheObjectWhereItsPoseIs) {
  const Context ctx;
  Scan scan;
  scan.matrix = {24, 20, 1};
  scan.frames.emplace_back().trajectory =
      std::make_shared<Trajectory>(radial_trajectory(ctx, 4, 16, SpokeOrder::golden_angle));
  scan.frames.front().geometry.field_of_view_mm = {48, 60, 5};
  const std::vector<ObjectPose> poses = drifting_poses({{3, -6, 0}, {0, 0, 30}}, 4);
  EXPECT_EQ(poses[1], (ObjectPose{{1, -2, 0}, {0, 0, 10}}));
  const Scan measured = moving_phantom_scan(ctx, disks_at({}), poses, std::move(scan), {.coils = 3});
  const PhantomCoils coils = make_phantom_coils(ctx, measured.matrix, 3);
  const ScanFrame& frame = measured.frames.front();
  for (Index readout = 0; readout < 4; ++readout) {
    const ArrayRef<const double> points(frame.trajectory->points.data() + readout * 32, {16, 2});
    const auto expected =
        phantom_coil_samples<double>(ctx, disks_at(poses[static_cast<std::size_t>(readout)]), coils, points);
    for (Index coil = 0; coil < 3; ++coil) {
      for (Index i = 0; i < 16; ++i) {
        // Roundings to float of values of at most 10.
        EXPECT_LT(
            std::abs(std::complex<double>(frame.data.view<2>()(coil, readout * 16 + i)) - expected.view<2>()(coil, i)),
            1e-5);
      }
    }
  }
}

// An object of one tissue turns and decays by one factor between two echoes. It is a box whose edges lie between points of the
// grid that the evolution is summed over, two along each axis of a pixel.
TEST(MultiEchoPhantom, EchoesAreContrastsThatEvolve) {
  const Context ctx;
  Scan scan;
  scan.matrix = {12, 10, 1};
  scan.dwell_us = 4;
  for (int slice = 0; slice < 2; ++slice) {
    scan.frames.emplace_back().trajectory =
        std::make_shared<Trajectory>(radial_trajectory(ctx, 3, 12, SpokeOrder::uniform));
    scan.frames.back().index.slice = slice;
  }
  const Phantom box{"box",
                    2,
                    {{Solid{SolidKind::box, {0, 0, 0}, {3.25 / 6, 2.25 / 5, 1}, 0},
                      Tissue{.intensity = 1, .r2_star = 40, .off_resonance = 30}}}};
  const std::vector<double> times{2, 7};
  const Scan echoes = multi_echo_phantom_scan(ctx, [&](double) { return box; }, std::move(scan), times,
                                              {.coils = 2, .evolving_points = 2});
  ASSERT_EQ(echoes.frames.size(), 4U);
  EXPECT_EQ(echoes.frames[1].index, (FrameIndex{.slice = 0, .contrast = 1}));
  EXPECT_EQ(echoes.frames[2].index, (FrameIndex{.slice = 1, .contrast = 0}));
  const auto factor = std::polar(std::exp(-40 * 5e-3), -2 * std::numbers::pi * 30 * 5e-3);
  const auto& first = echoes.frames[2].data;
  const auto& second = echoes.frames[3].data;
  ASSERT_EQ(first.shape(), (Shape{2, 36}));
  for (Index i = 0; i < first.size(); ++i) {
    EXPECT_LT(std::abs(std::complex<double>(second.data()[i]) - factor * std::complex<double>(first.data()[i])), 1e-5);
  }
}

TEST(MultiEchoPhantom, EveryEchoHasItsOwnNoiseAndThatOfT2ItsDecay) {
  const Context ctx;
  Scan scan;
  scan.matrix = {12, 10, 1};
  scan.frames.emplace_back().trajectory =
      std::make_shared<Trajectory>(radial_trajectory(ctx, 3, 12, SpokeOrder::uniform));
  const std::vector<double> times{0, 50};
  const auto measure = [&](double noise) {
    return multi_echo_phantom_scan(ctx, &t2_phantom, clone(ctx, scan), times,
                                   {.coils = 0, .noise_standard_deviation = noise, .noise_samples = 8});
  };
  const Scan clean = measure(0);
  const auto expected = phantom_samples(ctx, t2_phantom(0.05), clean.matrix, clean.frames[1].trajectory->points);
  const Scan noisy = measure(0.1);
  double same = 0;
  for (Index i = 0; i < 36; ++i) {
    EXPECT_LT(std::abs(std::complex<double>(clean.frames[1].data.data()[i]) - expected.data()[i]), 1e-5);
    const auto noise_of = [&](std::size_t frame) {
      return noisy.frames[frame].data.data()[i] - clean.frames[frame].data.data()[i];
    };
    EXPECT_GT(std::abs(noise_of(0)), 0);
    same += std::abs(noise_of(0) - noise_of(1)) < 1e-6 ? 1 : 0;
  }
  EXPECT_EQ(same, 0);
  EXPECT_EQ(noisy.noise.shape(), (Shape{1, 8}));
  EXPECT_THROW(multi_echo_phantom_scan(ctx, &t2_phantom, clone(ctx, scan), {}, {}), ValueError);
}

}  // namespace
}  // namespace whorl
