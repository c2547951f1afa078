// The s of lambda for trajectories of all kinds, in single precision as reconstructions take it, against a longer run
// in double precision from another start. The table that it prints is that of docs/records/eigenvalue.md, for smaller
// matrices.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/shared.hpp"
#include "unit/recon/dense_encoding.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/operator.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/recon/least_squares.hpp"
#include "whorl/solver/largest_eigenvalue.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

struct Case {
  std::string name;
  std::array<Index, 3> matrix;
  Array<double> points;
};

// Every third row of a grid and eight in its middle.
Array<double> cartesian_points(const Context& ctx, Index nx, Index ny) {
  std::vector<std::array<double, 2>> points;
  for (Index y = 0; y < ny; ++y) {
    if (y % 3 != 0 && std::abs(y - ny / 2) > 4) continue;
    for (Index x = 0; x < nx; ++x) {
      points.push_back({static_cast<double>(x - nx / 2) / static_cast<double>(nx),
                        static_cast<double>(y - ny / 2) / static_cast<double>(ny)});
    }
  }
  Array<double> result(ctx, {static_cast<Index>(points.size()), 2});
  for (std::size_t i = 0; i < points.size(); ++i) {
    result.data()[2 * i] = points[i][0];
    result.data()[2 * i + 1] = points[i][1];
  }
  return result;
}

Array<double> random_points(const Context& ctx, Index samples) {
  const auto positions = test::random_positions(samples);
  Array<double> result(ctx, {samples, 2});
  for (Index i = 0; i < 2 * samples; ++i) result.data()[i] = positions[static_cast<std::size_t>(i / 2)][i % 2];
  return result;
}

std::vector<Case> cases(const Context& ctx) {
  std::vector<Case> all;
  const std::array<Index, 3> plane{48, 40, 1};
  all.push_back({"radial, full", plane, radial_trajectory(ctx, 75, 96, SpokeOrder::uniform).points});
  all.push_back({"golden angle, undersampled", plane, radial_trajectory(ctx, 13, 96, SpokeOrder::golden_angle).points});
  all.push_back({"spiral", plane, spiral_trajectory(ctx, 8, 400, 3).points});
  all.push_back({"spiral, dense center", plane, spiral_trajectory(ctx, 8, 400, 3, 2).points});
  all.push_back({"Cartesian, undersampled", plane, cartesian_points(ctx, 48, 40)});
  all.push_back({"random", plane, random_points(ctx, 1000)});
  all.push_back({"kooshball", {16, 20, 14}, kooshball_trajectory(ctx, 300, 32).points});
  return all;
}

// Sensitivities of sum |s|^2 = 1.
template <class Real>
Array<std::complex<Real>> maps_of(const Context& ctx, const std::array<Index, 3>& matrix, Index coils) {
  auto maps = phantom_coil_maps<Real>(ctx, make_phantom_coils(ctx, matrix, coils));
  const Index voxels = maps.size() / coils;
  for (Index v = 0; v < voxels; ++v) {
    double energy = 0;
    for (Index c = 0; c < coils; ++c) energy += std::norm(maps.data()[c * voxels + v]);
    for (Index c = 0; c < coils; ++c) maps.data()[c * voxels + v] /= static_cast<Real>(std::sqrt(energy));
  }
  return maps;
}

template <class Real>
LargestEigenvalue eigenvalue_of(const Context& ctx, const Case& of, Index coils, double nufft_tolerance,
                                const LargestEigenvalueOptions& options) {
  auto maps = maps_of<Real>(ctx, of.matrix, coils);
  const Sense<Real> sense(std::move(maps));
  const Shape image = sense.domain();
  const Nufft<Real> nufft(ctx, of.points, image, coils,
                          {.tolerance = nufft_tolerance, .normal = NormalMethod::automatic});
  const Operator<Real> encoding = test::shared<Real>(nufft) * test::shared<Real>(sense);
  return largest_eigenvalue<Real>(
      ctx, [&](const Context& c, auto x, auto z) { encoding.normal(c, x, z); }, image, options);
}

TEST(NormalEigenvalue, IsThatOfALongRunInDoublePrecision) {
  const Context ctx{{.threads = 2}};
  for (const Case& of : cases(ctx)) {
    for (const Index coils : {1, 4, 12}) {
      const LargestEigenvalue expected =
          eigenvalue_of<double>(ctx, of, coils, 1e-9, {.tolerance = 1e-4, .iterations = 500, .seed = 5});
      ASSERT_LT(expected.residual, 1e-4 * expected.value);
      const LargestEigenvalue found = eigenvalue_of<float>(ctx, of, coils, 1e-5, {});
      const double below = 1 - found.value / expected.value;
      std::printf("%s\n", fmt::format("{:<28} {:>2} coils: {:>2} applications, {:.4f} % below", of.name, coils,
                                      found.iterations, 100 * below)
                              .c_str());
      // The promise from below; the NUFFT's tolerance, for A and A^H, from above.
      EXPECT_LT(below, 1e-3) << of.name;
      EXPECT_GT(below, -2e-5) << of.name;
    }
  }
}

// All eigenvalues of the matrix of the exact sums give the same.
TEST(NormalEigenvalue, IsThatOfTheExactSums) {
  const Context ctx;
  const Case of{"radial", {18, 14, 1}, radial_trajectory(ctx, 11, 36, SpokeOrder::golden_angle).points};
  std::vector<std::array<double, 2>> points;
  for (Index i = 0; i < of.points.extent(0); ++i)
    points.push_back({of.points.data()[2 * i], of.points.data()[2 * i + 1]});
  const auto maps = maps_of<double>(ctx, of.matrix, 3);
  const test::DenseMatrix dense = test::dense_encoding(
      points, 14, 18,
      Eigen::Map<const Eigen::Matrix<std::complex<double>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
          maps.data(), 3, 14 * 18));
  const double expected = test::largest_normal_eigenvalue(dense);
  const double found = eigenvalue_of<double>(ctx, of, 3, 1e-9, {}).value;
  EXPECT_LE(found, expected * (1 + 1e-8));
  EXPECT_GE(found, expected * (1 - 1e-3));
}

}  // namespace
}  // namespace whorl
