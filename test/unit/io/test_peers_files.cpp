// Files of other authors: a simulation of PowerGrid with its own center, Parboil's mri-q with its reference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numbers>

#include "whorl/io/array_files.hpp"
#include "whorl/io/convert.hpp"
#include "whorl/op/dft.hpp"

namespace whorl {
namespace {

std::filesystem::path measured() {
  const char* folder = std::getenv("WHORL_TEST_DATA");
  return folder == nullptr ? std::filesystem::path() : std::filesystem::path(folder);
}

TEST(PeersFiles, PowerGridsDataAreTheTransformOfItsPhantom) {
  if (measured().empty()) GTEST_SKIP() << "WHORL_TEST_DATA is not set: PowerGrid's simulation is not there";
  const Context ctx;
  const std::filesystem::path folder = measured() / "mri" / "powergrid_spiral_fieldmap";
  ConvertOptions options;
  options.matrix = {64, 64, 1};
  options.trajectory_unit = TrajectoryUnit::cycles_per_fov;
  options.center = ImageCenter::middle;
  const Scan scan =
      convert_scan(ctx, {folder / "kx_sp.mat", folder / "ky_sp.mat", folder / "data_onecoil.mat"}, options);
  // MATLAB's matrix [row y, column x] is column by column in memory: read as [x, y], and x and y must be swapped.
  const NamedArray stored = read_array(ctx, folder / "imagePhantom.mat");
  const auto columns = converted<double>(ctx, stored.values, "imagePhantom");
  Array<std::complex<double>> image(ctx, {1, 64, 64});
  for (Index y = 0; y < 64; ++y) {
    for (Index x = 0; x < 64; ++x) image.data()[64 * y + x] = columns.data()[64 * x + y];
  }
  const Dft<double> dft(ctx, scan.frames[0].trajectory->points, {64, 64}, 1);
  Array<std::complex<double>> samples(ctx, {1, scan.frames[0].trajectory->samples()});
  dft.forward(ctx, image, samples);
  double error = 0;
  double norm = 0;
  for (Index i = 0; i < samples.size(); ++i) {
    // whorl's transform has 1/sqrt(voxels), PowerGrid's none.
    const std::complex<double> expected(scan.frames[0].data.data()[i]);
    error += std::norm(64.0 * samples.data()[i] - expected);
    norm += std::norm(expected);
  }
  // The file's authors computed in float: a direct sum in double differs from it by 2e-5 to 3e-5 of its norm.
  EXPECT_LT(std::sqrt(error / norm), 5e-5);
}

TEST(PeersFiles, MriQsOutputIsTheSumOfItsInput) {
  if (measured().empty()) GTEST_SKIP() << "WHORL_TEST_DATA is not set: Parboil's files are not there";
  const Context ctx;
  const std::string input = measured() / "parboil" / "32_32_32_dataset.bin";
  const auto take = [&](const char* name) {
    return converted<double>(ctx, read_array(ctx, input + ":" + name).values, name);
  };
  const auto kx = take("kx");
  const auto ky = take("ky");
  const auto kz = take("kz");
  const auto x = take("x");
  const auto y = take("y");
  const auto z = take("z");
  const NamedArray phi = read_array(ctx, input + ":phi");
  const NamedArray reference = read_array(ctx, measured() / "parboil" / "32_32_32_dataset.out");
  const auto q = std::get<2>(reference.values).span();
  double largest = 0;
  for (const std::complex<float> value : q) largest = std::max<double>(largest, std::abs(value));
  for (const Index voxel : {Index{0}, Index{6143}, Index{6144}, Index{20000}, Index{32767}}) {
    std::complex<double> sum;
    for (Index i = 0; i < kx.size(); ++i) {
      const double turns =
          kx.data()[i] * x.data()[voxel] + ky.data()[i] * y.data()[voxel] + kz.data()[i] * z.data()[voxel];
      sum += static_cast<double>(std::norm(std::get<2>(phi.values).data()[i])) *
             std::polar(1.0, 2 * std::numbers::pi * turns);
    }
    // Parboil's own tolerance: 1e-4 of the largest value.
    EXPECT_LT(std::abs(sum - std::complex<double>(q[static_cast<std::size_t>(voxel)])), 1e-4 * largest) << voxel;
  }
}

}  // namespace
}  // namespace whorl
