// References on the grid of a reconstruction: images that are known at every point of the scanner.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/prior/reference_image.hpp"

namespace whorl {
namespace {

using test::error_of;
using Vector = std::array<double, 3>;

constexpr double float_eps = std::numeric_limits<float>::epsilon();

Vector world(const Affine& affine, Index i, Index j, Index k) {
  Vector at{};
  for (std::size_t row = 0; row < 3; ++row) {
    const auto& m = affine.matrix[row];
    at[row] = m[0] * static_cast<double>(i) + m[1] * static_cast<double>(j) + m[2] * static_cast<double>(k) + m[3];
  }
  return at;
}

// An image of f(RAS millimeters) with the geometry of a scan.
ReferenceImage reference_of(const Context& ctx, const Geometry& geometry, const std::array<Index, 3>& matrix,
                            const std::function<double(const Vector&)>& f) {
  ReferenceImage reference{"reference.nii", Array<float>(ctx, {matrix[2], matrix[1], matrix[0]}),
                           voxel_affine(geometry, matrix)};
  const auto values = reference.values.view<3>();
  for (Index k = 0; k < matrix[2]; ++k) {
    for (Index j = 0; j < matrix[1]; ++j) {
      for (Index i = 0; i < matrix[0]; ++i) {
        values(k, j, i) = static_cast<float>(f(world(reference.affine, i, j, k)));
      }
    }
  }
  return reference;
}

Geometry box(const Vector& field_of_view) {
  Geometry geometry;
  geometry.field_of_view_mm = field_of_view;
  return geometry;
}

// Turned about z by a and then about the new x by b.
Geometry oblique(const Vector& field_of_view, const Vector& position, double a, double b) {
  Geometry geometry = box(field_of_view);
  geometry.position_mm = position;
  const double ca = std::cos(a);
  const double sa = std::sin(a);
  const double cb = std::cos(b);
  const double sb = std::sin(b);
  geometry.read_direction = {ca, sa, 0};
  geometry.phase_direction = {-sa * cb, ca * cb, sb};
  geometry.slice_direction = {sa * sb, -ca * sb, cb};
  return geometry;
}

double ramp(const Vector& at) { return 3 + 0.25 * at[0] - 0.5 * at[1] + 0.125 * at[2]; }

// Linear interpolation and means over symmetric points keep a linear function, whatever the two grids are: what is left
// is the rounding of the reference's values, below 100, to float, and of the result.
TEST(Resample, ARampIsKeptOnAnyGrid) {
  const Context ctx({.threads = 2});
  const ReferenceImage reference =
      reference_of(ctx, oblique({150, 160, 170}, {5, -3, 2}, 0.4, -0.3), {60, 75, 34}, ramp);
  for (const std::array<Index, 3>& matrix : {std::array<Index, 3>{21, 18, 11}, {70, 61, 50}, {31, 40, 1}}) {
    const Geometry geometry = oblique({80, 70, matrix[2] == 1 ? 12.0 : 60.0}, {-4, 6, 1}, -0.7, 0.5);
    const ResampledReference got = resample(ctx, reference, geometry, matrix);
    EXPECT_EQ(got.covered, 1);
    EXPECT_FALSE(got.by_index);
    ASSERT_EQ(got.values.rank(), matrix[2] == 1 ? 2 : 3);
    const Affine affine = voxel_affine(geometry, matrix);
    double worst = 0;
    for (Index at = 0; at < got.values.size(); ++at) {
      const double expected =
          ramp(world(affine, at % matrix[0], at / matrix[0] % matrix[1], at / matrix[0] / matrix[1]));
      worst = std::max(worst, std::abs(got.values.data()[at] - expected));
    }
    EXPECT_LT(worst, 100 * float_eps);
  }
}

// A Gaussian of width s = 12 mm: its second derivatives are at most 1/s^2. Linear interpolation over h is off by at
// most h^2/8 of that along each of three axes (2 mm: 3 * 0.5 / 144), a mean over a box of edges e by at most e^2/24 of
// it each (3 mm: 3 * 0.375 / 144).
TEST(Resample, ABlobInAnObliqueVolume) {
  const Context ctx({.threads = 2});
  const double s = 12;
  const auto blob = [&](const Vector& at) {
    return std::exp(-(std::pow(at[0] - 7, 2) + std::pow(at[1] + 4, 2) + std::pow(at[2] - 2, 2)) / (2 * s * s));
  };
  const ReferenceImage reference =
      reference_of(ctx, oblique({100, 110, 90}, {-6, 5, 3}, -0.9, 0.2), {50, 55, 45}, blob);
  const Geometry geometry = oblique({51, 42, 36}, {-7, 4, 2}, 0.3, 0.8);
  const std::array<Index, 3> matrix{17, 14, 12};
  const ResampledReference got = resample(ctx, reference, geometry, matrix);
  EXPECT_EQ(got.covered, 1);
  const Affine affine = voxel_affine(geometry, matrix);
  const auto values = got.values.view<3>();
  double largest = 0;
  for (Index k = 0; k < 12; ++k) {
    for (Index j = 0; j < 14; ++j) {
      for (Index i = 0; i < 17; ++i) {
        EXPECT_NEAR(values(k, j, i), blob(world(affine, i, j, k)), 3 * (0.5 + 0.375) / (s * s));
        largest = std::max<double>(largest, values(k, j, i));
      }
    }
  }
  EXPECT_GT(largest, 0.9);
}

// Voxels that are 2 x 3 x 4 of the reference's, whose values have nothing to do with each other: their mean, not one of
// them. Two sums of 24 numbers of size 1 and their rounding to float.
TEST(Resample, SmallVoxelsAreAveraged) {
  const Context ctx({.threads = 2});
  const std::array<Index, 3> fine{14, 15, 24};
  ReferenceImage reference{"reference.nii", Array<float>(ctx, {24, 15, 14}), {}};
  for (Index i = 0; i < reference.values.size(); ++i) {
    reference.values.data()[i] = static_cast<float>(random_normal(4, static_cast<std::uint64_t>(i)));
  }
  const std::array<Index, 3> coarse{7, 5, 6};
  const Geometry geometry = oblique({14, 15, 24}, {1, 2, 3}, 0.2, 0.1);
  const Affine affine = voxel_affine(geometry, coarse);
  // Fine voxel 0 begins where coarse voxel 0 does.
  for (std::size_t row = 0; row < 3; ++row) {
    reference.affine.matrix[row][3] = affine.matrix[row][3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double ratio = static_cast<double>(fine[axis] / coarse[axis]);
      reference.affine.matrix[row][axis] = affine.matrix[row][axis] / ratio;
      reference.affine.matrix[row][3] += affine.matrix[row][axis] * (0.5 / ratio - 0.5);
    }
  }
  const ResampledReference got = resample(ctx, reference, geometry, coarse);
  EXPECT_EQ(got.covered, 1);
  const auto values = got.values.view<3>();
  const auto from = reference.values.view<3>();
  for (Index k = 0; k < 6; ++k) {
    for (Index j = 0; j < 5; ++j) {
      for (Index i = 0; i < 7; ++i) {
        double mean = 0;
        for (Index part = 0; part < 24; ++part)
          mean += from(4 * k + part / 6, 3 * j + part / 2 % 3, 2 * i + part % 2) / 24;
        EXPECT_NEAR(values(k, j, i), mean, 8 * float_eps);
      }
    }
  }
}

// A slice of 8 mm in a volume of planes of 1 mm whose value is their number, 0 to 29: planes 11 to 18 lie in it.
TEST(Resample, ASliceTakesItsSlab) {
  const Context ctx;
  const ReferenceImage reference =
      reference_of(ctx, box({20, 24, 30}), {10, 12, 30}, [](const Vector& at) { return std::abs(at[2] + 15); });
  Geometry slice = box({16, 12, 8});
  slice.position_mm = {0, 0, -0.5};
  const ResampledReference got = resample(ctx, reference, slice, {8, 6, 1});
  ASSERT_EQ(got.values.shape(), (Shape{6, 8}));
  for (const float value : got.values.span()) EXPECT_NEAR(value, (11 + 18) / 2.0, 30 * float_eps);
}

// A reference of one slice of 1 mm covers that slice of 8 mm in which it lies, and no other one.
TEST(Resample, ASliceThatIsThinnerCoversTheSliceInWhichItLies) {
  const Context ctx;
  ReferenceImage reference = reference_of(ctx, box({20, 24, 1}), {10, 12, 1}, [](const Vector&) { return 7; });
  Geometry place = box({16, 12, 24});
  place.position_mm = {0, 0, 2};  // slices at -6, 2 and 10 mm
  const ResampledReference stack = resample(ctx, reference, place, {8, 6, 3});
  const auto values = stack.values.view<3>();
  for (Index z = 0; z < 3; ++z) EXPECT_EQ(values(z, 3, 4), z == 1 ? 7 : 0) << z;
  place.field_of_view_mm[2] = 8;
  EXPECT_EQ(resample(ctx, reference, place, {8, 6, 1}).covered, 1);
  place.position_mm[2] = 5;
  EXPECT_THROW(resample(ctx, reference, place, {8, 6, 1}), ValueError);
}

// Along x, voxel 5 of 10 lies at the position: the image spans [11 - 22, 11 + 18] mm and the reference [-11, 9], which
// is its first five voxels.
TEST(Resample, OutsideIsZeroAndCounted) {
  const Context ctx;
  const ReferenceImage reference = reference_of(ctx, box({20, 40, 12}), {10, 20, 6}, [](const Vector&) { return 7; });
  Geometry image = box({40, 40, 12});
  image.position_mm = {11, 0, 0};
  const ResampledReference got = resample(ctx, reference, image, {10, 8, 3});
  EXPECT_EQ(got.covered, 0.5);
  const auto values = got.values.view<3>();
  for (Index x = 0; x < 10; ++x) EXPECT_EQ(values(1, 3, x), x < 5 ? 7 : 0) << x;
}

TEST(Resample, WithoutAPlaceTheShapesHaveToMatch) {
  const Context ctx;
  ReferenceImage reference = reference_of(ctx, box({20, 24, 9}), {5, 6, 3}, ramp);
  reference.affine.in_scanner = false;
  const ResampledReference got = resample(ctx, reference, box({20, 24, 9}), {5, 6, 3});
  EXPECT_TRUE(got.by_index);
  EXPECT_EQ(got.covered, 1);
  EXPECT_EQ(got.values.data()[17], reference.values.data()[17]);
  const auto refusal = error_of<ValueError>([&] { resample(ctx, reference, box({20, 24, 9}), {6, 5, 3}); });
  EXPECT_NE(refusal.find("no place in the scanner"), std::string::npos) << refusal;
  reference.affine.in_scanner = true;
  EXPECT_TRUE(resample(ctx, reference, box({20, 24, 0}), {5, 6, 3}).by_index);
}

TEST(Resample, WhatCanNotServeIsRefused) {
  const Context ctx;
  ReferenceImage reference = reference_of(ctx, box({20, 24, 9}), {5, 6, 3}, ramp);
  Geometry far = box({20, 24, 9});
  far.position_mm = {0, 300, 0};
  const auto refusal = error_of<ValueError>([&] { resample(ctx, reference, far, {5, 6, 3}); });
  EXPECT_NE(refusal.find("covers nothing"), std::string::npos) << refusal;
  EXPECT_THROW(resample(ctx, reference, box({20000, 24, 9}), {5, 6, 3}), ValueError);
  for (auto& row : reference.affine.matrix) row[1] = row[0];
  EXPECT_THROW(resample(ctx, reference, box({20, 24, 9}), {5, 6, 3}), ValueError);
}

}  // namespace
}  // namespace whorl
