// The data of an object that moves, against those of the same object at rest.
#include "whorl/correct/object_motion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/moving_blobs.hpp"
#include "support/small_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/correct/align_scan.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using ExactValue = std::complex<double>;

void expect_at_rest(const Scan& scan) {
  const ScanFrame& frame = scan.frames.front();
  double largest = 0;
  for (Index j = 0; j < frame.trajectory->samples(); ++j) {
    largest = std::max(largest, std::abs(std::complex<double>(frame.data.data()[j]) - test::blob_signal(scan, j, {})));
  }
  // Data of 2.4 at most, rounded to float before and after a factor that is rounded itself: 3 roundings of 6e-8.
  EXPECT_LT(largest, 5e-7);
}

TEST(ObjectMotion, UndoneInThePlane) {
  const Context ctx;
  std::vector<ObjectPose> poses;
  for (int r = 0; r < 30; ++r) poses.push_back({{0.2 * r, -3, 0}, {0, 0, 0.5 * r - 4}});
  Scan scan = test::blob_scan(radial_trajectory(ctx, 30, 40, SpokeOrder::golden_angle), {48, 40, 1}, poses);
  const Array<double> before = clone<double>(ctx, scan.frames.front().trajectory->points);
  undo_motion(ctx, scan, poses);
  expect_at_rest(scan);
  EXPECT_NE(scan.frames.front().trajectory->points.data()[0], before.data()[0]);
}

TEST(ObjectMotion, UndoneInSpace) {
  const Context ctx;
  std::vector<ObjectPose> poses;
  for (int r = 0; r < 50; ++r) poses.push_back({{0.1 * r, 2, -0.05 * r}, {0.3 * r, 5 - 0.2 * r, 8}});
  Scan scan = test::blob_scan(kooshball_trajectory(ctx, 50, 24), {32, 36, 28}, poses);
  undo_motion(ctx, scan, poses);
  expect_at_rest(scan);
}

TEST(ObjectMotion, OnePoseForSeveralReadouts) {
  const Context ctx;
  const std::vector<ObjectPose> two{{{1, 2, 0}, {0, 0, 3}}, {{-2, 0, 0}, {0, 0, -7}}};
  std::vector<ObjectPose> each(15, two[0]);
  each.insert(each.end(), 15, two[1]);
  Scan scan = test::blob_scan(radial_trajectory(ctx, 30, 40, SpokeOrder::golden_angle), {40, 40, 1}, each);
  undo_motion(ctx, scan, two);
  expect_at_rest(scan);
}

// Samples at the corners of k-space that turn out of it.
TEST(ObjectMotion, DropsWhatLeavesKSpace) {
  const Context ctx;
  Trajectory corner{Array<double>(ctx, {4, 2}), 2};
  const std::array<double, 8> at{0.49, 0.0, 0.45, 0.45, 0.2, 0.1, -0.48, 0.48};
  std::copy(at.begin(), at.end(), corner.points.data());
  const std::vector<ObjectPose> poses(2, {{0, 0, 0}, {0, 0, 10}});
  Scan scan = test::blob_scan(std::move(corner), {40, 50, 1}, poses);  // square pixels
  undo_motion(ctx, scan, poses);
  // 0.45 (cos 10 + sin 10) = 0.52, and 0.48 (cos 10 + sin 10) = 0.56.
  EXPECT_EQ(scan.frames.front().trajectory->samples(), 2);
  EXPECT_EQ(scan.frames.front().trajectory->readout_length, 0);
  EXPECT_EQ(scan.frames.front().data.shape(), Shape({1, 2}));
  EXPECT_NE(scan.notes.back().find("2 samples"), std::string::npos);
  expect_at_rest(scan);
}

TEST(ObjectMotion, RestChangesNothing) {
  const Context ctx;
  Scan scan = test::make_small_scan(ctx);
  const Trajectory* const before = scan.frames.front().trajectory.get();
  undo_motion(ctx, scan, std::vector<ObjectPose>(1));
  EXPECT_EQ(scan.frames.front().trajectory.get(), before);
}

TEST(ObjectMotion, Refuses) {
  const Context ctx;
  const auto rows = [&](const Shape& shape, double value) {
    Array<double> made = zeros<double>(ctx, shape);
    if (made.size() > 0) made.span().back() = value;
    return made;
  };
  EXPECT_EQ(object_poses(rows({4, 3}, 2), 2).back().rotation_degrees[2], 2);
  EXPECT_THROW(object_poses(rows({4, 3}, 2), 3), ShapeError);
  EXPECT_THROW(object_poses(rows({4, 4}, 2), 2), ShapeError);
  EXPECT_THROW(object_poses(rows({0, 6}, 0), 3), ShapeError);
  EXPECT_THROW(object_poses(rows({4, 6}, std::nan("")), 3), ValueError);
  Array<double> out_of_plane = zeros<double>(ctx, {1, 6});
  out_of_plane.data()[3] = 1;
  EXPECT_THROW(object_poses(out_of_plane, 2), ValueError);
  Scan scan = test::make_small_scan(ctx);  // 6 frames of 5 readouts
  EXPECT_THROW(undo_motion(ctx, scan, std::vector<ObjectPose>(7)), ValueError);
  EXPECT_THROW(undo_motion(ctx, scan, std::vector<ObjectPose>(60)), ValueError);
  scan.frames.front().geometry.field_of_view_mm = {0, 0, 0};
  EXPECT_THROW(undo_motion(ctx, scan, std::vector<ObjectPose>(30, {{1, 0, 0}, {}})), ValueError);
}

// The object rests, and the field of view of the second scan lies elsewhere: the image at the header's pose.
TEST(AlignScan, MovesAScanToThePlaceOfAnother) {
  const Context ctx;
  const ObjectPose pose{{7, -4, 3}, {4, -6, 11}};
  const auto trajectory = [&] { return kooshball_trajectory(ctx, 50, 24); };
  const Scan first = test::blob_scan(trajectory(), {32, 36, 28}, {ObjectPose{}});
  Scan other = test::blob_scan(trajectory(), {32, 36, 28}, {pose});
  // A point u of the first image is at R u + shift in the other: directions are the rows of R, and the position is -R^T shift.
  Geometry& place = other.frames.front().geometry;
  const Eigen::Vector3d origin = test::moved({0, 0, 0}, pose);
  Eigen::Matrix3d turn;
  for (int j = 0; j < 3; ++j) turn.col(j) = test::moved(Eigen::Vector3d::Unit(j), pose) - origin;
  const Eigen::Vector3d position = -turn.transpose() * origin;
  for (int j = 0; j < 3; ++j) {
    const auto axis = static_cast<std::size_t>(j);
    place.position_mm[axis] = position[j];
    place.read_direction[axis] = turn(0, j);
    place.phase_direction[axis] = turn(1, j);
    place.slice_direction[axis] = turn(2, j);
  }
  EXPECT_TRUE(align_scan(first, other));
  EXPECT_EQ(place, first.frames.front().geometry);
  expect_at_rest(other);
}

TEST(AlignScan, LeavesEqualPlacesAndRefusesOtherPlanes) {
  const Context ctx;
  const auto trajectory = [&] { return radial_trajectory(ctx, 30, 40, SpokeOrder::golden_angle); };
  const Scan first = test::blob_scan(trajectory(), {48, 40, 1}, {ObjectPose{}});
  Scan same = test::blob_scan(trajectory(), {48, 40, 1}, {ObjectPose{}});
  const auto before = same.frames.front().trajectory;
  EXPECT_FALSE(align_scan(first, same));
  EXPECT_EQ(same.frames.front().trajectory, before);
  Scan above = test::blob_scan(trajectory(), {48, 40, 1}, {ObjectPose{}});
  above.frames.front().geometry.position_mm[2] = 5;
  EXPECT_THROW(align_scan(first, above), ValueError);
  Scan wider = test::blob_scan(trajectory(), {48, 40, 1}, {ObjectPose{}});
  wider.frames.front().geometry.field_of_view_mm[0] = 130;
  EXPECT_THROW(align_scan(first, wider), ValueError);
  Scan finer = test::blob_scan(trajectory(), {52, 40, 1}, {ObjectPose{}});
  EXPECT_THROW(align_scan(first, finer), ValueError);
}

}  // namespace
}  // namespace whorl
