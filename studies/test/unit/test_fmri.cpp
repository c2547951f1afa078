// The parts of the study of functional MRI, each against what is known of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "math/rotation.hpp"
#include "studies/fmri/session.hpp"
#include "support/device.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"

namespace whorl::studies::fmri {
namespace {

using Vector3 = std::array<double, 3>;

/// Gaussians of 2 voxels at places that a pose moves, sampled: exact for any pose.
Array<float> blobs(const ObjectPose& pose) {
  constexpr std::array<Vector3, 5> places{{{-3, 1, 1}, {2, -3, 0}, {1, 3, -2}, {-1, -2, -3}, {0, 1, 3}}};
  constexpr Index n = 26;
  const double degree = std::numbers::pi / 180;
  const detail::Rotation turn = detail::rotation_about_axes(
      degree * pose.rotation_degrees[0], degree * pose.rotation_degrees[1], degree * pose.rotation_degrees[2]);
  Array<float> image = zeros<float>(Context(), {n, n + 2, n + 4});
  const auto value = image.view<3>();
  for (std::size_t b = 0; b < places.size(); ++b) {
    Vector3 center{};
    for (std::size_t i = 0; i < 3; ++i) {
      center[i] = pose.shift_mm[i] / voxel_mm;
      for (std::size_t j = 0; j < 3; ++j) center[i] += turn[i][j] * places[b][j];
    }
    for (Index z = 0; z < value.extent(0); ++z) {
      for (Index y = 0; y < value.extent(1); ++y) {
        for (Index x = 0; x < value.extent(2); ++x) {
          const Vector3 u{static_cast<double>(x - value.extent(2) / 2), static_cast<double>(y - value.extent(1) / 2),
                          static_cast<double>(z - value.extent(0) / 2)};
          double distance = 0;
          for (std::size_t i = 0; i < 3; ++i) distance += (u[i] - center[i]) * (u[i] - center[i]);
          value(z, y, x) += static_cast<float>((1 + 0.3 * static_cast<double>(b)) * std::exp(-distance / (2 * 4)));
        }
      }
    }
  }
  return image;
}

TEST(Fmri, RealignFindsAndUndoesAPose) {
  const Context ctx({.threads = 2});
  const Array<float> first = blobs({});
  const Realign realign(ctx, first);
  const ObjectPose pose{{1.5, -2.1, 0.9}, {3, -2, 4}};
  const Array<float> moved = blobs(pose);
  const ObjectPose found = realign.estimate(ctx, moved);
  // Cubic interpolation errs by up to 0.03 of the fourth difference, of a Gaussian of 2 voxels 3/16: 6e-3 of its height. Smoothed, it is
  // one of sqrt(5) voxels: 4e-3. Slopes of a quarter a voxel make that 0.015 voxels, 0.05 mm, and at 3 voxels 0.3 degrees, if
  // the errors of all voxels agreed. They have both signs: a third of it.
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(found.shift_mm[i], pose.shift_mm[i], 0.017) << i;
    EXPECT_NEAR(found.rotation_degrees[i], pose.rotation_degrees[i], 0.1) << i;
  }
  const Array<float> back = realign.undo(ctx, found, moved);
  for (Index i = 0; i < first.size(); ++i) EXPECT_NEAR(back.data()[i], first.data()[i], 0.02);
}

TEST(Fmri, TheModelIsThatOfTheNormalEquations) {
  // An effect of 2 on a baseline of 10 with a drift, and residuals of known size that no regressor explains.
  const Context ctx({.threads = 2});
  GeneralLinearModel model(2);
  constexpr Index volumes = 400;
  double squares = 0;
  for (Index v = 0; v < volumes; ++v) {
    const double time = 2 * static_cast<double>(v) / (volumes - 1) - 1;
    const double response = v / 10 % 2 == 1 ? 1 : 0;
    const double noise = random_normal(7, static_cast<std::uint64_t>(v));
    squares += noise * noise;
    Array<float> volume(ctx, {2});
    volume.data()[0] = static_cast<float>(10 + 2 * response + 0.5 * time - 0.25 * time * time + 0.1 * noise);
    volume.data()[1] = 0;
    model.add(ctx, response, time, volume);
  }
  const GeneralLinearModel::Maps maps = model.maps(ctx);
  EXPECT_EQ(maps.degrees, volumes - 4);
  // Half of the volumes answer: the standard error of the effect is 0.1 sqrt(4 / 400) = 0.01, drifts add little.
  EXPECT_NEAR(maps.effect.data()[0], 2, 4 * 0.01);
  EXPECT_NEAR(maps.noise.data()[0], 0.1 * std::sqrt(squares / volumes), 0.002);
  EXPECT_NEAR(maps.t.data()[0], maps.effect.data()[0] / (maps.noise.data()[0] * 0.1), 3);
  EXPECT_EQ(maps.t.data()[1], 0);
}

TEST(Fmri, AResponseThatNothingTellsFromDriftsIsRefused) {
  const Context ctx({.threads = 1});
  GeneralLinearModel model(1);
  const Array<float> volume = zeros<float>(ctx, {1});
  for (Index v = 0; v < 10; ++v) model.add(ctx, 1, 0.1 * static_cast<double>(v), volume);
  EXPECT_THROW(model.maps(ctx), ValueError);
}

TEST(Fmri, TheFieldIsFoundByThePhaseAtTheCenter) {
  const Context ctx({.threads = 2});
  const Protocol protocol = make_protocol(ctx, {.size = 16, .volumes = 3});
  Course course;
  course.response = {0, 0, 0};
  course.poses.resize(3);
  course.field_hz = {0, 10, 22};  // an angle of 1.3 pi at the echo, one step of 0.6 pi at a time
  const auto volumes = measure(ctx, protocol, course, 0);
  FieldDrift drift(protocol);
  for (std::size_t v = 0; v < 3; ++v) {
    // Samples within a cycle and a half have turned for up to a millisecond more or less than their mean: 3 % of the field.
    EXPECT_NEAR(drift.estimate(volumes[v]), course.field_hz[v], 0.03 * course.field_hz[v]) << v;
  }
  Array<std::complex<float>> turned = clone(ctx, volumes[2].ref());
  drift.undo(22, turned);
  for (Index i = 0; i < turned.size(); ++i) EXPECT_NEAR(std::abs(turned.data()[i] - volumes[0].data()[i]), 0, 1e-4);
}

TEST(Fmri, TheResponseFollowsTheTask) {
  const Course course = course_of({.volumes = 60});
  EXPECT_EQ(course.response[0], 0);
  EXPECT_LT(course.response[10], 0.05);  // the task begins
  EXPECT_GT(*std::ranges::max_element(course.response), 0.9);
  EXPECT_LT(*std::ranges::max_element(course.response), 1.2);
  EXPECT_EQ(course.poses[0], ObjectPose{});
  EXPECT_EQ(course.field_hz[0], 0);
  EXPECT_EQ(still(course).response, course.response);
}

TEST(Fmri, ASessionFindsTheMotion) {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  const Protocol protocol = make_protocol(host, {.size = 32, .volumes = 3});
  Course course;
  course.response = {0, 0, 0};
  course.poses = {{}, {{1, -2, 0.5}, {1.4, 0, 0.5}}, {{-1, 0, 1}, {-0.7, 0.9, -1}}};
  course.field_hz = {0, 0, 0};
  const Reconstructor reconstructor(ctx, protocol, 8);
  Session session(ctx, protocol, reconstructor, {});
  const auto volumes = measure(host, protocol, course, 0.01);
  for (std::size_t v = 0; v < volumes.size(); ++v) {
    session.take(0, 3, volumes[v]);
    for (std::size_t i = 0; i < 3; ++i) {
      // Edges of the head are as sharp as voxels: 0.03 voxels, which are 0.1 mm and, 13 voxels from the middle, 0.13 degrees.
      EXPECT_NEAR(session.poses()[v].shift_mm[i], course.poses[v].shift_mm[i], 0.1) << v << " " << i;
      EXPECT_NEAR(session.poses()[v].rotation_degrees[i], course.poses[v].rotation_degrees[i], 0.13) << v << " " << i;
    }
  }
}

TEST(Fmri, ASessionFindsTheActivation) {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  const Options options{.size = 16, .volumes = 40, .noise = 0.005};
  const Course course = course_of(options);
  const Protocol protocol = make_protocol(host, options);
  const Reconstructor reconstructor(ctx, protocol, 8);
  Session session(ctx, protocol, reconstructor, {});
  const auto volumes = measure(host, protocol, course, options.noise);
  for (std::size_t v = 0; v < volumes.size(); ++v) session.take(course.response[v], options.volumes, volumes[v]);
  const Detection found = detect(protocol, session.maps());
  EXPECT_EQ(found.found, found.active);
  EXPECT_GT(found.active, 5);
}

}  // namespace
}  // namespace whorl::studies::fmri
