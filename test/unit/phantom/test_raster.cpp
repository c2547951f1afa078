#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "unit/phantom/phantom_oracles.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/phantom.hpp"

namespace whorl {
namespace {

using test::one_figure;

TEST(Rasterize, AverageOverTheVoxel) {
  const Context ctx;
  // The right half of the field of view of 4 x 6, by an ellipse so large that its edge is straight at x = 0.
  Phantom half = one_figure(2, Solid{SolidKind::ellipsoid, {1e6, 0, 0}, {1e6, 1e6, 1}, 0});
  half.regions[0].added.intensity = 3;
  const Array<float> image = rasterize<float>(ctx, half, {4, 6, 1}, 4);
  ASSERT_EQ(image.shape(), (Shape{6, 4}));
  for (Index y = 0; y < 6; ++y) {
    EXPECT_FLOAT_EQ(image.view<2>()(y, 1), 0);
    EXPECT_FLOAT_EQ(image.view<2>()(y, 2), 1.5);  // voxel floor(4/2) is cut in the middle
    EXPECT_FLOAT_EQ(image.view<2>()(y, 3), 3);
  }
}

// Every voxel against the definition of the figure.
TEST(Rasterize, SolidsAreWhatTheirDefinitionSays) {
  const Context ctx;
  const std::array<Index, 3> matrix{23, 18, 15};
  for (const SolidKind kind : {SolidKind::ellipsoid, SolidKind::box, SolidKind::cylinder}) {
    for (const double angle : {0.0, 0.6}) {
      const Solid solid{kind, {0.1, -0.2, 0.15}, {0.7, 0.3, 0.45}, angle};
      const Array<float> image = rasterize<float>(ctx, one_figure(3, solid), matrix, 1);
      const auto view = image.view<3>();
      Index inside = 0;
      for (Index z = 0; z < 15; ++z) {
        for (Index y = 0; y < 18; ++y) {
          for (Index x = 0; x < 23; ++x) {
            const double px = (static_cast<double>(x) - 11) / 11.5 - 0.1;
            const double py = (static_cast<double>(y) - 9) / 9 + 0.2;
            const double u = (std::cos(angle) * px + std::sin(angle) * py) / 0.7;
            const double v = (std::cos(angle) * py - std::sin(angle) * px) / 0.3;
            const double w = ((static_cast<double>(z) - 7) / 7.5 - 0.15) / 0.45;
            bool expected = std::abs(w) <= 1 && u * u + v * v <= 1;
            if (kind == SolidKind::ellipsoid) expected = u * u + v * v + w * w <= 1;
            if (kind == SolidKind::box) expected = std::abs(w) <= 1 && std::abs(u) <= 1 && std::abs(v) <= 1;
            EXPECT_EQ(view(z, y, x), expected ? 1.0F : 0.0F) << x << " " << y << " " << z;
            inside += expected ? 1 : 0;
          }
        }
      }
      EXPECT_GT(inside, 100);
    }
  }
}

// The oracle casts a ray along y, not x.
TEST(Rasterize, PolygonsWithBays) {
  const Context ctx;
  const std::vector<std::array<double, 2>> corners{{-0.7, -0.6}, {0.7, -0.55}, {0.1, 0},
                                                   {0.65, 0.7},  {-0.1, 0.2},  {-0.6, 0.75}};
  const Array<float> image =
      rasterize<float>(ctx, one_figure(2, Contour{ContourKind::polygon, corners}), {41, 32, 1}, 1);
  float sum = 0;
  for (Index y = 0; y < 32; ++y) {
    for (Index x = 0; x < 41; ++x) {
      const double px = (static_cast<double>(x) - 20) / 20.5;
      const double py = (static_cast<double>(y) - 16) / 16;
      bool inside = false;
      for (std::size_t i = 0; i < corners.size(); ++i) {
        const auto& a = corners[i];
        const auto& b = corners[(i + 1) % corners.size()];
        if ((a[0] <= px) != (b[0] <= px) && a[1] + (px - a[0]) / (b[0] - a[0]) * (b[1] - a[1]) > py) inside = !inside;
      }
      EXPECT_EQ(image.view<2>()(y, x), inside ? 1.0F : 0.0F) << x << " " << y;
      sum += image.view<2>()(y, x);
    }
  }
  EXPECT_GT(sum, 200);
}

TEST(Rasterize, APrismEndsInZ) {
  const Context ctx;
  const Contour prism{ContourKind::polygon, {{-0.5, -0.5}, {0.5, -0.5}, {0, 0.6}}, 0.21, 0.3};
  const Array<float> image = rasterize<float>(ctx, one_figure(3, prism), {12, 12, 20}, 1);
  for (Index z = 0; z < 20; ++z) {
    const double place = (static_cast<double>(z) - 10) / 10;
    EXPECT_EQ(image.view<3>()(z, 6, 6), place >= -0.09 && place <= 0.51 ? 1.0F : 0.0F) << z;
  }
}

TEST(Rasterize, BadInputIsRefused) {
  const Context ctx;
  const Phantom phantom = one_figure(2, Solid{});
  EXPECT_THROW(rasterize<float>(ctx, phantom, {4, 6, 1}, 0), ValueError);
  EXPECT_THROW(rasterize<float>(ctx, phantom, {4, 6, 1}, 65), ValueError);
  EXPECT_THROW(rasterize<float>(ctx, phantom, {4, 6, 3}, 1), ValueError);
  EXPECT_THROW(field_map(ctx, phantom, {4, 6, 3}), ValueError);
}

// On its axis a sphere adds twice of what it takes away around its equator, and both fall with the cube of the
// distance: 127.7e6 * 9.05e-6 / 3 = 385.2 Hz.
TEST(FieldMap, ASphereOfAirIsADipole) {
  const Context ctx;
  Phantom phantom;
  phantom.dim = 3;
  phantom.field.air = {{{0, 0, 0}, 0.25}};
  const Array<float> map = field_map(ctx, phantom, {32, 32, 32});
  const auto at = map.view<3>();
  EXPECT_EQ(at(16, 16, 16), 0);
  EXPECT_NEAR(at(24, 16, 16), 2 * 385.228 / 8, 1e-3);
  EXPECT_NEAR(at(16, 24, 16), -385.228 / 8, 1e-3);
  EXPECT_NEAR(at(16, 16, 8), -385.228 / 8, 1e-3);
  EXPECT_NEAR(at(28, 16, 16), 2 * 385.228 / 27, 1e-3);
}

// Outside the air the field obeys Laplace's equation, in which second differences of a polynomial of second order are
// exact; rounding is that of float, 6e-8 of 30 Hz in each of seven values.
TEST(FieldMap, TheShimIsHarmonic) {
  const Context ctx;
  Phantom phantom;
  phantom.dim = 3;
  phantom.field.harmonics = {1, 2, -3, 4, 5, -6, 7, 8, -9};
  const Array<float> map = field_map(ctx, phantom, {9, 9, 9});
  const auto at = map.view<3>();
  for (Index z = 1; z < 8; ++z) {
    for (Index y = 1; y < 8; ++y) {
      for (Index x = 1; x < 8; ++x) {
        const double laplacian = double(at(z - 1, y, x)) + at(z + 1, y, x) + at(z, y - 1, x) + at(z, y + 1, x) +
                                 at(z, y, x - 1) + at(z, y, x + 1) - 6.0 * at(z, y, x);
        EXPECT_NEAR(laplacian, 0, 12 * 30 * 6e-8);
      }
    }
  }
  // 1 + 2 x - 3 y + 4 z + 5 xy - 6 yz + 7 (z^2 - (x^2 + y^2) / 2) + 8 xz - 9 (x^2 - y^2) at (2, -1, 3) * 2 / 9.
  const double s = 2.0 / 9;
  const double expected = 1 + s * (4 + 3 + 12) + s * s * (-10 + 18 + 7 * (9 - 2.5) + 48 - 9 * 3);
  EXPECT_NEAR(at(7, 3, 6), expected, 1e-5);
}

TEST(TissueMaps, ValuesOfRegionsAdd) {
  const Context ctx;
  Phantom phantom = one_figure(2, Solid{SolidKind::box, {0, 0, 0}, {0.5, 0.5, 1}, 0});
  phantom.regions[0].added = {1, 20, -434};
  phantom.regions.push_back({Solid{SolidKind::box, {0, 0, 0}, {0.2, 0.2, 1}, 0}, {1, 10, 434}});
  const Array<float> r2_star = r2_star_map(ctx, phantom, {20, 20, 1});
  const Array<float> field = field_map(ctx, phantom, {20, 20, 1});
  EXPECT_EQ(r2_star.view<2>()(10, 10), 30);
  EXPECT_EQ(r2_star.view<2>()(10, 14), 20);
  EXPECT_EQ(r2_star.view<2>()(10, 18), 0);
  EXPECT_EQ(field.view<2>()(10, 10), 0);
  EXPECT_EQ(field.view<2>()(14, 10), -434);
}

}  // namespace
}  // namespace whorl
