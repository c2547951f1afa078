#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "support/fine_transform.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/shepp_logan.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

// The oracle multiplies the fine raster of the object by the coils' maps for a matrix as fine as that. Cells of 1/32
// pixel see the edges of the head (radius 10 pixels, 300 cells) with an error of the area of about 300^(-4/3) = 5e-4 at
// worst; the maps vary within a cell by 1e-2 of themselves and are taken at its center, an error of second order.
TEST(PhantomCoils, SamplesAreTheTransformOfMapTimesObject2D) {
  const Context ctx;
  const std::array<Index, 3> matrix{20, 24, 1};
  const Trajectory trajectory = radial_trajectory(ctx, 5, 8, SpokeOrder::golden_angle);
  const auto head = shepp_logan(2, PhantomContrast::modified);
  const Array<Complex> samples =
      phantom_coil_samples<double>(ctx, head, make_phantom_coils(ctx, matrix, 3), trajectory.points);
  ASSERT_EQ(samples.shape(), (Shape{3, 40}));
  const Array<Complex> maps = phantom_coil_maps<double>(ctx, make_phantom_coils(ctx, {160, 192, 1}, 3));
  for (Index coil = 0; coil < 3; ++coil) {
    const Array<Complex> oracle =
        test::fine_transform(ctx, head, matrix, trajectory.points, 8, 4, maps.slice(coil).span());
    const double largest = std::abs(samples.slice(coil).data()[4]);
    for (Index i = 0; i < 40; ++i) {
      EXPECT_LT(std::abs(samples.slice(coil).data()[i] - oracle.data()[i]), 1e-3 * largest) << coil << " " << i;
    }
  }
}

// In 3D cells of 1/16 pixel (radius 5 pixels, 80 cells) give the volume to about 80^(-1.5) = 1.4e-3, and maps of up to
// 1.41 cycles in 10 pixels, taken at the centers of cells of 1/4 pixel, err by (2 pi 0.133 / 4)^2 / 24 = 1.8e-3.
TEST(PhantomCoils, SamplesAreTheTransformOfMapTimesObject3D) {
  const Context ctx;
  const std::array<Index, 3> matrix{10, 12, 8};
  const Trajectory trajectory = kooshball_trajectory(ctx, 3, 6);
  const auto head = shepp_logan(3, PhantomContrast::modified);
  const Array<Complex> samples =
      phantom_coil_samples<double>(ctx, head, make_phantom_coils(ctx, matrix, 2), trajectory.points);
  const Array<Complex> maps = phantom_coil_maps<double>(ctx, make_phantom_coils(ctx, {40, 48, 32}, 2));
  ASSERT_EQ(maps.shape(), (Shape{2, 32, 48, 40}));
  for (Index coil = 0; coil < 2; ++coil) {
    const Array<Complex> oracle =
        test::fine_transform(ctx, head, matrix, trajectory.points, 4, 4, maps.slice(coil).span());
    const double largest = std::abs(samples.slice(coil).data()[3]);
    for (Index i = 0; i < 18; ++i) {
      EXPECT_LT(std::abs(samples.slice(coil).data()[i] - oracle.data()[i]), 4e-3 * largest) << coil << " " << i;
    }
  }
}

TEST(PhantomCoils, EachCoilSeesItsOwnSideBest) {
  const Context ctx;
  const Index extent = 40;
  const Index coils = 12;
  const Array<std::complex<float>> maps =
      phantom_coil_maps<float>(ctx, make_phantom_coils(ctx, {extent, extent, 1}, coils));
  double energy = 0;
  for (Index coil = 0; coil < coils; ++coil) {
    const auto map = maps.slice(coil).view<2>();
    Complex center_of_mass = 0;
    double mass = 0;
    for (Index y = 0; y < extent; ++y) {
      for (Index x = 0; x < extent; ++x) {
        if (std::hypot(x - extent / 2, y - extent / 2) > extent / 2) continue;
        const double weight = std::norm(map(y, x));
        center_of_mass += weight * Complex(static_cast<double>(x - extent / 2), static_cast<double>(y - extent / 2));
        mass += weight;
      }
    }
    energy += mass / (std::numbers::pi / 4 * extent * extent);
    // The voxels lie half a voxel off the center: within 15 degrees, half of the angle
    // between two coils.
    const double angle = 2 * std::numbers::pi * static_cast<double>(coil) / coils;
    EXPECT_LT(std::abs(std::arg(center_of_mass * std::polar(1.0, -angle))), std::numbers::pi / 12) << "coil " << coil;
    EXPECT_GT(std::abs(center_of_mass) / mass, 0.25 * extent / 2) << "coil " << coil;
  }
  // Normalized in the disk, but on another lattice, which weighs its edge differently: within 10 %.
  EXPECT_NEAR(energy, 1, 0.1);
}

// Mean of sum |s|^2 over the voxels within the disk or cylinder, and over all.
std::pair<double, double> mean_energies(const Context& ctx, const std::array<Index, 3>& matrix, Index coils) {
  const Array<Complex> maps = phantom_coil_maps<double>(ctx, make_phantom_coils(ctx, matrix, coils));
  const Index voxels = matrix[0] * matrix[1] * matrix[2];
  double inside = 0;
  double all = 0;
  Index count = 0;
  for (Index v = 0; v < voxels; ++v) {
    double energy = 0;
    for (Index coil = 0; coil < coils; ++coil) energy += std::norm(maps.data()[coil * voxels + v]);
    all += energy / static_cast<double>(voxels);
    const auto place = [&](Index voxel, Index extent) {
      return 2.0 * static_cast<double>(voxel) / static_cast<double>(extent) - 1;
    };
    if (std::hypot(place(v % matrix[0], matrix[0]), place(v / matrix[0] % matrix[1], matrix[1])) > 1) continue;
    inside += energy;
    ++count;
  }
  return {inside / static_cast<double>(count), all};
}

// Normalized on a lattice of 24 (3D: 14) points an axis, which weighs the edge, where the maps are largest,
// differently: the edge's cells are a sixth (3D: a fourth) of all, and half of each may be in or out.
TEST(PhantomCoils, TheMeanEnergyIsOneWithinTheDiskOrCylinder) {
  const Context ctx;
  for (const Index coils : {1, 8}) {
    EXPECT_NEAR(mean_energies(ctx, {96, 80, 1}, coils).first, 1, 0.08) << coils;
    EXPECT_NEAR(mean_energies(ctx, {40, 48, 24}, coils).first, 1, 0.12) << coils;
  }
  // The loops of a whole ring are nearest to the corners, which do not count.
  EXPECT_GT(mean_energies(ctx, {96, 80, 1}, 8).second, 1.3);
  EXPECT_GT(mean_energies(ctx, {40, 48, 24}, 8).second, 1.3);
}

// The k-space of a coil is the sum of that of the object at k - q, for every kind of figure, whatever they share among
// the frequencies q; one at a time they are tested by themselves.
TEST(PhantomCoils, SamplesAreASumOverShiftedPositions) {
  const Context ctx;
  const std::array<Index, 3> matrix{20, 24, 12};
  Phantom phantom;
  phantom.dim = 3;
  phantom.regions = {
      {Solid{SolidKind::box, {-0.3, 0.4, -0.2}, {0.2, 0.35, 0.3}, -0.7}, {-0.5}},
      {Solid{SolidKind::cylinder, {0.3, 0.35, 0.1}, {0.25, 0.4, 0.5}, 1.1}, {0.75}},
      {Contour{ContourKind::polygon, {{0.1, 0.2}, {0.7, -0.3}, {-0.2, -0.6}}, 0.1, 0.5}, {1}},
      {Contour{ContourKind::spline, {{-0.5, 0.4}, {0.1, 0.6}, {0.3, -0.5}, {-0.6, -0.4}}, -0.1, 0.6}, {0.5}}};
  const PhantomCoils coils = make_phantom_coils(ctx, matrix, 2);
  const Trajectory trajectory = kooshball_trajectory(ctx, 5, 18);
  const Index samples = trajectory.samples();
  const Array<Complex> result = phantom_coil_samples<double>(ctx, phantom, coils, trajectory.points);
  Array<Complex> expected = zeros<Complex>(ctx, {2, samples});
  const auto q = coils.frequencies.view<2>();
  for (Index term = 0; term < q.extent(0); ++term) {
    Array<double> moved = clone(ctx, trajectory.points.ref());
    for (Index i = 0; i < 3 * samples; ++i) moved.data()[i] -= q(term, i % 3);
    const Array<Complex> object = phantom_samples(ctx, phantom, matrix, moved);
    for (Index coil = 0; coil < 2; ++coil) {
      const Complex weight = coils.coefficients.view<2>()(coil, term);
      for (Index i = 0; i < samples; ++i) expected.slice(coil).data()[i] += weight * object.data()[i];
    }
  }
  // The spline is exact to 1e-9 at each term, and the coefficients are below 1.
  for (Index i = 0; i < expected.size(); ++i) {
    EXPECT_LT(std::abs(result.data()[i] - expected.data()[i]), 1e-8 * std::abs(expected.data()[9])) << i;
  }
}

// On the axis of a loop of radius R = 0.7 around (1.6, 0) its field is along x, and by the law of Biot and Savart
// proportional to 1 / (R^2 + d^2)^(3/2) at the distance d. The scale is that of the best fit.
TEST(PhantomCoils, OnTheAxisOfALoopTheFieldIsThatOfBiotAndSavart) {
  const Context ctx;
  const Index n = 64;
  for (const Index depth : {1, 40}) {
    const Array<Complex> maps = phantom_coil_maps<double>(ctx, make_phantom_coils(ctx, {n, n, depth}, 1));
    // In 3D the loop is moved up by 0.4, that is 8 of 20 voxels.
    const Complex* row = maps.data() + ((depth == 1 ? 0 : 28) * n + n / 2) * n;
    double overlap = 0;
    double energy = 0;
    double total = 0;
    for (Index x = 0; x < n; ++x) {
      const double d = 1.6 - static_cast<double>(x - n / 2) / (n / 2);
      const double field = std::pow(0.49 + d * d, -1.5);
      overlap += row[x].real() * field;
      energy += std::norm(row[x]);
      total += field * field;
    }
    // The fit's error, 1 or 4 % over the field of view, and twice that on any one line.
    EXPECT_LT(std::sqrt(1 - overlap * overlap / (energy * total)), depth == 1 ? 0.02 : 0.08) << depth;
    EXPECT_GT(overlap * overlap, 0);
  }
}

// The whole transverse field of a loop, by the integral over its wire in 2000 pieces, times one scale.
double fit_error(const Context& ctx, const std::array<Index, 3>& matrix, double height) {
  const Array<Complex> map = phantom_coil_maps<double>(ctx, make_phantom_coils(ctx, matrix, 1));
  Complex overlap = 0;
  double energy = 0;
  double total = 0;
  for (Index z = 0; z < matrix[2]; ++z) {
    for (Index y = 0; y < matrix[1]; ++y) {
      for (Index x = 0; x < matrix[0]; ++x) {
        const auto place = [](Index voxel, Index extent) {
          return static_cast<double>(voxel - extent / 2) / (static_cast<double>(extent) / 2);
        };
        const std::array<double, 3> r{place(x, matrix[0]), place(y, matrix[1]),
                                      matrix[2] > 1 ? place(z, matrix[2]) : 0};
        if (std::hypot(r[0], r[1]) > 1) continue;
        Complex field = 0;
        constexpr int pieces = 2000;
        for (int piece = 0; piece < pieces; ++piece) {
          const double turn = 2 * std::numbers::pi * piece / pieces;
          // Wire at (1.6, 0.7 cos, height + 0.7 sin), current along (0, -sin, cos).
          const double dx = r[0] - 1.6;
          const double dy = r[1] - 0.7 * std::cos(turn);
          const double dz = r[2] - height - 0.7 * std::sin(turn);
          const double cube = std::pow(dx * dx + dy * dy + dz * dz, 1.5);
          const double bx = -std::sin(turn) * dz - std::cos(turn) * dy;
          const double by = std::cos(turn) * dx;
          field += Complex(bx, -by) / cube;
        }
        const Complex value = map.data()[(z * matrix[1] + y) * matrix[0] + x];
        overlap += std::conj(field) * value;
        energy += std::norm(value);
        total += std::norm(field);
      }
    }
  }
  return std::sqrt(1 - std::norm(overlap) / (energy * total));
}

TEST(PhantomCoils, MapsAreTheFieldOfTheLoops) {
  const Context ctx;
  EXPECT_LT(fit_error(ctx, {30, 26, 1}, 0), 0.01);
  EXPECT_LT(fit_error(ctx, {12, 13, 14}, 0.4), 0.04);
}

TEST(PhantomCoils, AUniformCoilIsOne) {
  const Context ctx;
  const Array<Complex> map = phantom_coil_maps<double>(ctx, uniform_phantom_coil(ctx, {5, 4, 3}));
  ASSERT_EQ(map.shape(), (Shape{1, 3, 4, 5}));
  for (const Complex& value : map.span()) EXPECT_EQ(value, 1.0);
}

TEST(PhantomCoils, BadInputIsRefused) {
  const Context ctx;
  EXPECT_THROW(make_phantom_coils(ctx, {8, 8, 1}, 0), ValueError);
  EXPECT_THROW(make_phantom_coils(ctx, {8, -8, 1}, 1), ValueError);
  const PhantomCoils coils = make_phantom_coils(ctx, {8, 8, 1}, 2);
  EXPECT_THROW(
      phantom_coil_samples<float>(ctx, shepp_logan(2, PhantomContrast::modified), coils, zeros<double>(ctx, {4, 3})),
      ShapeError);
}

}  // namespace
}  // namespace whorl
