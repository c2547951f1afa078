#include "whorl/prior/align_reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/phantom.hpp"

namespace whorl {
namespace {

constexpr std::array<Index, 3> matrix{48, 40, 1};

// A slice of another plane than the axes of the patient, with pixels of 4 mm.
Geometry oblique() {
  Geometry geometry;
  geometry.field_of_view_mm = {192, 160, 5};
  geometry.position_mm = {11, -23, 7};
  geometry.read_direction = {0.8, 0, 0.6};
  geometry.phase_direction = {0, 1, 0};
  geometry.slice_direction = {-0.6, 0, 0.8};
  return geometry;
}

// A brain of inverse contrast at twice the resolution: rows and columns of the plane turn by `degrees` about the slice's
// direction through the middle, and then move.
ReferenceImage reference_of(const Context& ctx, double degrees, std::array<double, 2> shift_mm) {
  ReferenceImage reference{"proton.nii", rasterize<float>(ctx, brain_phantom(2), {96, 80, 1}, 4), {}};
  for (float& value : reference.values.span()) value = value > 0.03F ? 1.2F - value : 0.0F;
  const Geometry here = oblique();
  Geometry there = here;
  const double c = std::cos(degrees * std::numbers::pi / 180);
  const double s = std::sin(degrees * std::numbers::pi / 180);
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = here.read_direction[i];
    const double y = here.phase_direction[i];
    there.read_direction[i] = c * x + s * y;
    there.phase_direction[i] = c * y - s * x;
    there.position_mm[i] += shift_mm[0] * x + shift_mm[1] * y;
  }
  reference.affine = voxel_affine(there, {96, 80, 1});
  return reference;
}

Array<float> noisy_image(const Context& ctx) {
  Array<float> image = rasterize<float>(ctx, brain_phantom(2), matrix, 8);
  for (Index i = 0; i < image.size(); ++i) {
    image.data()[i] =
        std::abs(image.data()[i] + static_cast<float>(0.1 * random_normal(5, static_cast<std::uint64_t>(i))));
  }
  return image;
}

// White matter is 1, so that its SNR is 10. The reference has to move back by what it was moved: in the turned frame,
// by minus the shift, turned. A quarter of a pixel is 1 mm, and 0.6 degrees at the border of the head.
TEST(AlignReference, FindsWhereThePatientLies) {
  const Context ctx{{.threads = 2}};
  const Array<float> image = noisy_image(ctx);
  const double degrees = 6;
  const std::array<double, 2> shift{9, -6.5};
  const auto found = align_reference(ctx, reference_of(ctx, degrees, shift), oblique(), matrix, image);
  const double c = std::cos(degrees * std::numbers::pi / 180);
  const double s = std::sin(degrees * std::numbers::pi / 180);
  EXPECT_NEAR(found.rotation_degrees[2], -degrees, 0.6);
  EXPECT_NEAR(found.shift_mm[0], -(c * shift[0] + s * shift[1]), 1);
  EXPECT_NEAR(found.shift_mm[1], -(c * shift[1] - s * shift[0]), 1);
  EXPECT_EQ(found.shift_mm[2], 0);
  EXPECT_EQ(found.rotation_degrees[0], 0);
  EXPECT_EQ(found.rotation_degrees[1], 0);
  EXPECT_GT(found.after, found.before);
}

TEST(AlignReference, LeavesAReferenceThatLiesThere) {
  const Context ctx{{.threads = 2}};
  const auto found = align_reference(ctx, reference_of(ctx, 0, {0, 0}), oblique(), matrix, noisy_image(ctx));
  EXPECT_NEAR(found.rotation_degrees[2], 0, 0.6);
  EXPECT_NEAR(found.shift_mm[0], 0, 1);
  EXPECT_NEAR(found.shift_mm[1], 0, 1);
}

TEST(AlignReference, WhatHasNoPlaceIsRefused) {
  const Context ctx;
  ReferenceImage reference = reference_of(ctx, 0, {0, 0});
  EXPECT_THROW(align_reference(ctx, reference, Geometry(), matrix, noisy_image(ctx)), ValueError);
  EXPECT_THROW(align_reference(ctx, reference, oblique(), matrix, zeros<float>(ctx, {40, 48})), ValueError);
  EXPECT_THROW(align_reference(ctx, reference, oblique(), matrix, zeros<float>(ctx, {40, 40})), ShapeError);
  Array<float> broken = noisy_image(ctx);
  broken.data()[7] = std::numeric_limits<float>::infinity();
  EXPECT_THROW(align_reference(ctx, reference, oblique(), matrix, broken), ValueError);
  reference.values.data()[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(align_reference(ctx, reference, oblique(), matrix, noisy_image(ctx)), ValueError);
  ReferenceImage apart = reference_of(ctx, 0, {1000, 0});
  EXPECT_THROW(align_reference(ctx, apart, oblique(), matrix, noisy_image(ctx)), ValueError);
  reference.values.data()[7] = 0;
  reference.affine.in_scanner = false;
  EXPECT_THROW(align_reference(ctx, reference, oblique(), matrix, noisy_image(ctx)), ValueError);
}

// In 3D all six numbers are found: a shift to a quarter of the 10 mm voxel, and an angle that moves the border of the brain, 80 mm
// from the middle, by as much.
TEST(AlignReference, FindsSixNumbersInAVolume) {
  const Context ctx{{.threads = 2}};
  const std::array<Index, 3> cube{20, 18, 16};
  Geometry geometry;
  geometry.field_of_view_mm = {200, 180, 160};
  const Phantom brain = brain_phantom(3);
  Array<float> image = rasterize<float>(ctx, brain, cube, 4);
  ReferenceImage reference{"proton.nii", clone(ctx, image.ref()), {}};
  for (float& value : reference.values.span()) value = value > 0.03F ? 1.2F - value : 0.0F;
  for (Index i = 0; i < image.size(); ++i) {
    image.data()[i] =
        std::abs(image.data()[i] + static_cast<float>(0.1 * random_normal(5, static_cast<std::uint64_t>(i))));
  }
  // The object as seen by a scan of another place: the patient lies at x + 6, y - 8, z + 5 mm of it.
  reference.affine = voxel_affine(geometry, cube);
  geometry.position_mm = {6, -8, 5};
  const auto found = align_reference(ctx, reference, geometry, cube, image);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(found.shift_mm[axis], geometry.position_mm[axis], 2.5) << axis;
    EXPECT_NEAR(found.rotation_degrees[axis], 0, 2.5 / 80 * 180 / std::numbers::pi) << axis;
  }
}

}  // namespace
}  // namespace whorl
