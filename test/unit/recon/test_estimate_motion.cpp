// Poses that are estimated from data of known motion.
#include "whorl/recon/estimate_motion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/moving_blobs.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

// The object breathes and nods: the mean over the groups is a pose at rest.
std::vector<ObjectPose> motion_of(std::size_t groups, bool in_space) {
  std::vector<ObjectPose> poses(groups);
  for (std::size_t g = 0; g < groups; ++g) {
    const double turn = 2 * std::numbers::pi * (static_cast<double>(g) + 0.5) / static_cast<double>(groups);
    poses[g].shift_mm = {4 * std::sin(turn), 3 * std::cos(2 * turn), in_space ? 2 * std::sin(3 * turn) : 0};
    poses[g].rotation_degrees = {in_space ? 2 * std::cos(turn) : 0, in_space ? -1.5 * std::sin(2 * turn) : 0,
                                 3 * std::sin(turn)};
  }
  return poses;
}

// White noise with a standard deviation of `part` of the largest sample, for each of both parts.
void add_noise(Scan& scan, double part) {
  Array<std::complex<float>>& data = scan.frames.front().data;
  float largest = 0;
  for (const auto& value : data.span()) largest = std::max(largest, std::abs(value));
  Array<std::complex<float>> noise(Context(), data.shape());
  fill_random_normal<float>(noise, 5);
  for (Index i = 0; i < data.size(); ++i) data.data()[i] += static_cast<float>(part) * largest * noise.data()[i];
}

// A constant pose is not determined. Without it, the largest differences of shifts in mm and of angles in degrees.
std::pair<double, double> differences(const std::vector<ObjectPose>& found, const std::vector<ObjectPose>& truth) {
  ObjectPose mean;
  for (std::size_t g = 0; g < truth.size(); ++g) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto count = static_cast<double>(truth.size());
      mean.shift_mm[axis] += (found[g].shift_mm[axis] - truth[g].shift_mm[axis]) / count;
      mean.rotation_degrees[axis] += (found[g].rotation_degrees[axis] - truth[g].rotation_degrees[axis]) / count;
    }
  }
  double shift = 0;
  double angle = 0;
  for (std::size_t g = 0; g < truth.size(); ++g) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      shift = std::max(shift, std::abs(found[g].shift_mm[axis] - truth[g].shift_mm[axis] - mean.shift_mm[axis]));
      angle = std::max(angle, std::abs(found[g].rotation_degrees[axis] - truth[g].rotation_degrees[axis] -
                                       mean.rotation_degrees[axis]));
    }
  }
  return {shift, angle};
}

// The largest of 36 normal deviates is below 4 standard errors in 99.7 % of cases. The standard errors leave out that of
// the images, which have half the unknowns of the data: with it, variances are up to twice as large. Rounds end when no pose changes by more
// than 0.0005 pixels of 4 mm, or 0.0005 degrees. A round leaves less than four fifths of what is wrong, so that five
// times as much is left then.
void expect_found(const MotionEstimate& found, const std::vector<ObjectPose>& truth) {
  ASSERT_EQ(found.poses.size(), truth.size());
  const auto [shift, angle] = differences(found.poses, truth);
  EXPECT_LT(shift, 4 * std::numbers::sqrt2 * found.standard_error_mm + 0.01);
  EXPECT_LT(angle, 4 * std::numbers::sqrt2 * found.standard_error_degrees + 0.0025);
  EXPECT_LT(found.standard_error_mm, 0.02);
  EXPECT_LT(found.standard_error_degrees, 0.02);
}

TEST(EstimateMotion, OfSpokesInThePlane) {
  const Context ctx;
  const std::vector<ObjectPose> truth = motion_of(12, false);
  Scan scan = test::blob_scan(radial_trajectory(ctx, 240, 128, SpokeOrder::golden_angle), {64, 64, 1}, truth);
  add_noise(scan, 0.01);
  const MotionEstimate found = estimate_motion(ctx, scan, 20);
  expect_found(found, truth);
}

TEST(EstimateMotion, OfSpokesInSpace) {
  const Context ctx;
  const std::vector<ObjectPose> truth = motion_of(6, true);
  Scan scan = test::blob_scan(kooshball_trajectory(ctx, 1800, 40), {40, 40, 40}, truth);
  add_noise(scan, 0.005);
  const MotionEstimate found = estimate_motion(ctx, scan, 300);
  expect_found(found, truth);
}

TEST(EstimateMotion, AnObjectAtRestStays) {
  const Context ctx;
  const std::vector<ObjectPose> rest(8);
  Scan scan = test::blob_scan(radial_trajectory(ctx, 160, 128, SpokeOrder::golden_angle), {64, 64, 1}, rest);
  add_noise(scan, 0.01);
  const MotionEstimate found = estimate_motion(ctx, scan, 20);
  expect_found(found, rest);
}

// Measured images of a head, sampled along spokes: four coils, and detail beyond the resolution of the estimate.
TEST(EstimateMotion, AMeasuredHeadAtRestStays) {
  const Context ctx;
  const Scan scan = read_scan(ctx, WHORL_SOURCE_FOLDER "/data/brain_radial_4ch.h5");
  const MotionEstimate found = estimate_motion(ctx, scan, 16);
  expect_found(found, std::vector<ObjectPose>(6));
}

TEST(EstimateMotion, Refuses) {
  const Context ctx;
  const std::vector<ObjectPose> rest(1);
  Scan scan = test::blob_scan(radial_trajectory(ctx, 40, 64, SpokeOrder::golden_angle), {64, 64, 1}, rest);
  EXPECT_THROW(estimate_motion(ctx, scan, 7), ValueError);
  EXPECT_THROW(estimate_motion(ctx, scan, 0), ValueError);
  Scan elsewhere = clone(ctx, scan);
  elsewhere.frames.push_back({{1, 0, 0, 0, 0},
                              scan.frames[0].trajectory,
                              nullptr,
                              clone<std::complex<float>>(ctx, scan.frames[0].data),
                              scan.frames[0].geometry});
  elsewhere.frames.back().geometry.position_mm = {0, 0, 5};
  EXPECT_THROW(estimate_motion(ctx, elsewhere, 20), ValueError);
  Scan zero = clone(ctx, scan);
  for (auto& value : zero.frames[0].data.span()) value = 0;
  EXPECT_THROW(estimate_motion(ctx, zero, 20), ValueError);
}

}  // namespace
}  // namespace whorl
