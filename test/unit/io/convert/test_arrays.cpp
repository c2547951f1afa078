// Scans made of arrays: NumPy's and BART's own orders, one array an axis, the image's center.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "io/cfl/cfl.hpp"
#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/io/convert.hpp"
#include "whorl/io/npy.hpp"

namespace whorl {
namespace {

using test::error_of;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using Complex = std::complex<float>;

class ConvertArrays : public ::testing::Test {
 protected:
  template <class T>
  void write(const std::string& name, const Array<T>& array) {
    write_npy<T>(ctx, folder / (name + ".npy"), array);
  }
  Array<Complex> random(const Shape& shape) {
    Array<Complex> array(ctx, shape);
    fill_random_normal<float>(array, 3);
    return array;
  }
  Array<double> positions(const Shape& shape) {
    Array<double> array(ctx, shape);
    for (Index i = 0; i < array.size(); ++i) array.data()[i] = static_cast<double>((29 * i) % 64) / 64 - 0.5;
    return array;
  }
  Scan convert(const std::vector<std::string>& names, const ConvertOptions& options) {
    std::vector<std::filesystem::path> paths;
    for (const std::string& name : names) paths.push_back(folder / name);
    return convert_scan(ctx, paths, options);
  }
  static ConvertOptions plain() {
    ConvertOptions options;
    options.matrix = {24, 20, 1};
    options.trajectory_unit = TrajectoryUnit::cycles_per_pixel;
    return options;
  }

  Context ctx;
  TemporaryFolder folder;
};

TEST_F(ConvertArrays, NumPyInWhorlsOrder) {
  const auto data = random({2, 3, 12});  // frame, coil, sample
  const auto k = positions({12, 2});
  write("data", data);
  write("trajectory", k);
  Scan scan = convert({"data.npy", "trajectory.npy"}, plain());
  ASSERT_EQ(scan.frames.size(), 2U);
  EXPECT_EQ(scan.coils, 3);
  EXPECT_EQ(scan.frames[1].trajectory->readout_length, 0);
  EXPECT_EQ(scan.frames[1].data.view<2>()(2, 7), data.view<3>()(1, 2, 7));
  EXPECT_EQ(scan.frames[1].trajectory->points.view<2>()(7, 1), k.view<2>()(7, 1));

  write("data", random({3, 4, 6}));  // coil, shot, readout
  write("trajectory", positions({4, 6, 2}));
  scan = convert({"data.npy", "trajectory.npy"}, plain());
  EXPECT_EQ(scan.coils, 3);
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 6);

  // Names as NumPy prints the shape: the last is fastest.
  write("data", random({4, 3, 6}));
  ConvertOptions options = plain();
  options.data_axes = {"shot", "coil", "readout"};
  scan = convert({"data.npy", "trajectory.npy"}, options);
  EXPECT_EQ(scan.coils, 3);
  // Without names, the extents leave one choice here, and none where no axis is as long as the shots.
  const Scan guessed = convert({"data.npy", "trajectory.npy"}, plain());
  EXPECT_EQ(guessed.coils, 3);
  EXPECT_EQ(guessed.frames[0].data.view<2>()(2, 6 * 3 + 5), scan.frames[0].data.view<2>()(2, 6 * 3 + 5));
  write("data", random({5, 3, 6}));
  EXPECT_THAT(error_of<ValueError>([&] { convert({"data.npy", "trajectory.npy"}, plain()); }), HasSubstr("data-axes"));
}

TEST_F(ConvertArrays, OneArrayAnAxis) {
  write("kx", positions({12}));
  write("ky", positions({12}));
  write("signal", random({12}));
  ConvertOptions options = plain();
  options.data_variable = "signal";
  const Scan usual = convert({"kx.npy", "ky.npy", "signal.npy"}, options);
  options.trajectory_variable = "ky,kx";
  const Scan named = convert({"kx.npy", "ky.npy", "signal.npy"}, options);
  const auto k = named.frames[0].trajectory->points.view<2>();
  EXPECT_EQ(k(5, 0), usual.frames[0].trajectory->points.view<2>()(5, 1));
  write("ky", positions({11}));
  EXPECT_THAT(error_of<ShapeError>([&] {
                convert({"kx.npy", "ky.npy", "signal.npy"}, options);
              }),
              HasSubstr("extents"));
  options.trajectory_variable = "kx,kq";
  EXPECT_THAT(error_of<ValueError>([&] { convert({"kx.npy", "signal.npy"}, options); }), HasSubstr("no array kq"));
}

TEST_F(ConvertArrays, BartsDimensionsHaveTheirMeaning) {
  const auto data = random({2, 3, 4, 6, 1});  // slowest first: echo, coil, shot, readout, 1
  Array<Complex> trajectory = zeros<Complex>(ctx, {4, 6, 3});
  for (Index i = 0; i < trajectory.size(); ++i) {
    if (i % 3 < 2) trajectory.data()[i] = static_cast<float>((7 * i) % 16 - 8);
  }
  io::write_cfl(ctx, folder / "scan.cfl", data, {1, 6, 4, 3, 1, 2}, {});
  io::write_cfl(ctx, folder / "where.cfl", trajectory, {3, 6, 4}, {});
  ConvertOptions options = plain();
  options.trajectory_unit = TrajectoryUnit::cycles_per_fov;
  const Scan scan = convert({"scan.cfl", "where.cfl"}, options);
  ASSERT_EQ(scan.frames.size(), 2U);
  EXPECT_EQ(scan.frames[1].index.contrast, 1);
  EXPECT_EQ(scan.coils, 3);
  EXPECT_EQ(scan.frames[1].data.view<2>()(2, 6 * 3 + 5), (data.view<5>()(1, 2, 3, 5, 0)));
  EXPECT_EQ(scan.frames[0].trajectory->points.view<2>()(6 * 3 + 5, 1),
            static_cast<double>(trajectory.view<3>()(3, 5, 1).real()) / 20);
  io::write_cfl(ctx, folder / "scan.cfl", data, {1, 6, 4, 3, 2}, {});
  EXPECT_THAT(error_of<ValueError>([&] { convert({"scan.cfl", "where.cfl"}, options); }), HasSubstr("dimension 4"));
}

TEST_F(ConvertArrays, TheMiddleOfTheGridIsHalfAPixelFromVoxelHalfN) {
  // A point at voxel index p along an even axis of N: exp(-2 pi i k (p - (N-1)/2)) in the file's convention and
  // exp(-2 pi i k (p - N/2)) in whorl's; an odd axis (N = 21) has the same center in both.
  constexpr Index samples = 12;
  const auto k = positions({samples, 2});
  const auto point = [&](double center_x) {
    Array<Complex> data(ctx, {1, samples});
    for (Index i = 0; i < samples; ++i) {
      const double turns = k.data()[2 * i] * (7 - center_x) + k.data()[2 * i + 1] * (4 - 10);
      data.data()[i] = Complex(std::polar(1.0, -2 * std::numbers::pi * turns));
    }
    return data;
  };
  write("trajectory", k);
  write("data", point((24 - 1) / 2.0));
  ConvertOptions options = plain();
  options.matrix = {24, 21, 1};
  options.center = ImageCenter::middle;
  const Scan scan = convert({"data.npy", "trajectory.npy"}, options);
  const auto expected = point(12);
  // Two roundings to float and a product: 4 * 2^-24.
  for (Index i = 0; i < samples; ++i) EXPECT_LT(std::abs(scan.frames[0].data.data()[i] - expected.data()[i]), 2.4e-7F);
  EXPECT_THAT(scan.notes, ::testing::Contains(HasSubstr("middle of the grid")));
}

// 12 spokes of 12 samples: the extents do not tell readouts from shots, but the echo does.
TEST_F(ConvertArrays, AsManyReadoutsAsSamplesAreOrderedByTheirEcho) {
  constexpr Index n = 12;
  Array<double> k(ctx, {n, n, 2});
  Array<Complex> data(ctx, {2, n, n});
  Array<Complex> turned(ctx, {2, n, n});
  Array<double> k_turned(ctx, {n, n, 2});
  for (Index shot = 0; shot < n; ++shot) {
    for (Index i = 0; i < n; ++i) {
      const double radius = static_cast<double>(i - n / 2) / n;
      const double angle = std::numbers::pi * static_cast<double>(shot) / n;
      for (Index axis = 0; axis < 2; ++axis) {
        const double value = radius * (axis == 0 ? std::cos(angle) : std::sin(angle));
        k.view<3>()(shot, i, axis) = value;
        k_turned.view<3>()(i, shot, axis) = value;
      }
      for (Index coil = 0; coil < 2; ++coil) {
        const Complex value = std::polar(static_cast<float>(std::exp(-60 * radius * radius)), static_cast<float>(shot));
        data.view<3>()(coil, shot, i) = value;
        turned.view<3>()(coil, i, shot) = value;
      }
    }
  }
  ConvertOptions options = plain();
  options.matrix = {12, 12, 1};
  const auto at = [&](const Scan& scan, Index shot, Index i) {
    return std::pair{scan.frames[0].data.view<2>()(1, shot * n + i),
                     scan.frames[0].trajectory->points.view<2>()(shot * n + i, 1)};
  };
  write("data", data);
  write("trajectory", k);
  const Scan right = convert({"data.npy", "trajectory.npy"}, options);
  EXPECT_EQ(at(right, 3, 8), (std::pair{data.view<3>()(1, 3, 8), k.view<3>()(3, 8, 1)}));
  const auto other_order = ::testing::Contains(HasSubstr("taken in the other order"));
  EXPECT_THAT(right.notes, ::testing::Not(other_order));
  write("data", turned);
  const Scan of_data = convert({"data.npy", "trajectory.npy"}, options);
  EXPECT_EQ(at(of_data, 3, 8), at(right, 3, 8));
  EXPECT_THAT(of_data.notes, other_order);
  write("data", data);
  write("trajectory", k_turned);
  const Scan of_trajectory = convert({"data.npy", "trajectory.npy"}, options);
  EXPECT_EQ(at(of_trajectory, 3, 8), at(right, 3, 8));
  EXPECT_THAT(of_trajectory.notes, other_order);
  // Weights of one readout alone have no order to change.
  write("weights", positions({n}));
  EXPECT_THAT(error_of<ShapeError>([&] {
                convert({"data.npy", "trajectory.npy", "weights.npy"}, options);
              }),
              HasSubstr("weights"));
  // Stated axes are as they are.
  options.data_axes = {"coil", "shot", "readout"};
  EXPECT_THAT(convert({"data.npy", "trajectory.npy"}, options).notes, ::testing::Not(other_order));
}

// BART's dimensions have a meaning, whether the extents fit or not.
TEST_F(ConvertArrays, FewerReadoutsThanSamplesInSquareDataAreRefused) {
  io::write_cfl(ctx, folder / "ksp.cfl", random({3, 8, 8, 1}), {1, 8, 8, 3}, {});
  Array<Complex> trajectory(ctx, {5, 8, 3});
  for (Index i = 0; i < trajectory.size(); ++i) trajectory.data()[i] = static_cast<float>((7 * i) % 8 - 4);
  io::write_cfl(ctx, folder / "traj.cfl", trajectory, {3, 8, 5}, {});
  EXPECT_THAT(error_of<ShapeError>([&] {
                convert({"ksp.cfl", "traj.cfl"}, plain());
              }),
              HasSubstr("5 along shot, the data has 8"));
}

// Neither name is a usual one, but one array alone has the axes that were stated for the trajectory.
TEST_F(ConvertArrays, StatedAxesTellTheArrays) {
  const auto data = random({2, 4, 5, 6});
  write("scan", data);
  write("places", positions({4, 5, 6, 3}));
  ConvertOptions options = plain();
  options.matrix = {24, 20, 4};
  options.data_axes = {"coil", "partition", "shot", "readout"};
  options.trajectory_axes = {"partition", "shot", "readout", "dim"};
  const Scan scan = convert({"scan.npy", "places.npy"}, options);
  EXPECT_EQ(scan.coils, 2);
  EXPECT_EQ(scan.frames[0].data.view<2>()(1, 33), data.view<4>()(1, 1, 0, 3));
  ConvertOptions grid;
  grid.data_axes = {"coil", "z", "y", "x"};
  EXPECT_EQ(convert({"scan.npy"}, grid).matrix, (std::array<Index, 3>{6, 5, 4}));
}

}  // namespace
}  // namespace whorl
