// whorl nufft and whorl dft: the exact sums against the definition, the fast transform against the exact sums.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>
#include <numbers>

#include "support/compare.hpp"
#include "support/file_content.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/io/npy.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using test::expect_failure;
using test::expect_success;
using ComplexDouble = std::complex<double>;

constexpr Index coils = 3;
constexpr Index nx = 20;
constexpr Index ny = 16;
constexpr Index sample_count = 60;

class TransformCommands : public testing::Test {
 protected:
  // One frame of the small scan, with weights, for trajectory; and images of three coils.
  void SetUp() override {
    Scan scan = test::make_small_scan(ctx);
    scan.frames.resize(1);
    auto weights = std::make_shared<Array<float>>(ctx, Shape{sample_count});
    for (Index j = 0; j < sample_count; ++j) weights->data()[j] = 0.5F + static_cast<float>(j) / sample_count;
    scan.frames[0].weights = weights;
    write_ismrmrd(ctx, scan, folder / "t.h5");
    trajectory = read_ismrmrd(ctx, folder / "t.h5");  // with positions as the file holds them: float
    write_npy<ComplexDouble>(ctx, folder / "image.npy", image);
  }

  Array<ComplexDouble> run(const std::vector<std::string>& words, const std::string& output) const {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"-o", folder / output, "--double"});
    expect_success(all);
    return read_npy<ComplexDouble>(ctx, folder / output);
  }

  // Definition: y_cj = s sum_r x_cr exp(-2 pi i k_j . r), or the adjoint sum.
  Array<ComplexDouble> sums(const Array<ComplexDouble>& from, bool forward) const {
    Array<ComplexDouble> to =
        forward ? zeros<ComplexDouble>(ctx, {coils, sample_count}) : zeros<ComplexDouble>(ctx, {coils, 1, ny, nx});
    const auto k = trajectory.frames[0].trajectory->points.view<2>();
    for (Index j = 0; j < sample_count; ++j) {
      for (Index r = 0; r < ny * nx; ++r) {
        const Index row = r / nx;
        const double turns =
            k(j, 0) * static_cast<double>(r % nx - nx / 2) + k(j, 1) * static_cast<double>(row - ny / 2);
        const ComplexDouble phase = std::polar(1 / std::sqrt(double(nx * ny)), 2 * std::numbers::pi * turns);
        for (Index c = 0; c < coils; ++c) {
          ComplexDouble& pixel = to.data()[forward ? c * sample_count + j : c * ny * nx + r];
          const ComplexDouble value = from.data()[forward ? c * ny * nx + r : c * sample_count + j];
          pixel += value * (forward ? std::conj(phase) : phase);
        }
      }
    }
    return to;
  }

  const Context ctx;
  const test::TemporaryFolder folder;
  const Array<ComplexDouble> image = test::random_array<double>(ctx, {coils, 1, ny, nx}, 3);
  Scan trajectory;
};

// src/backend/cpu/exact/single_dft.hpp: an error of some 3e-7, where exact sums are rounded once.
TEST_F(TransformCommands, AToleranceLetsTheExactSumsBeSingle) {
  const Array<ComplexDouble> samples = test::random_array<double>(ctx, {coils, sample_count}, 4);
  write_npy<ComplexDouble>(ctx, folder / "samples.npy", samples);
  const Array<ComplexDouble> expected = sums(samples, false);
  const auto error_with = [&](const std::string& tolerance) {
    expect_success({"dft", "adjoint", folder / "samples.npy", "-t", folder / "t.h5", "-o", folder / "a.npy",
                    "--tolerance", tolerance});
    Array<std::complex<float>> found = read_npy<std::complex<float>>(ctx, folder / "a.npy");
    found.reshape(expected.shape());
    return test::relative_error(found, expected);
  };
  EXPECT_LT(error_with("0"), 6e-8);
  const double single = error_with("1e-5");
  EXPECT_LT(single, 6e-7);
  EXPECT_GT(single, 6e-8);
  const auto record = nlohmann::json::parse(test::read_file(folder / "a.npy.json"));
  EXPECT_EQ(record["parameters"]["dft_tolerance"], 1e-5);
  expect_failure(
      {"dft", "adjoint", folder / "samples.npy", "-t", folder / "t.h5", "-o", folder / "a.npy", "--tolerance", "-1"}, 2,
      "--tolerance");
}

TEST_F(TransformCommands, ForwardIsTheDefinition) {
  const auto exact = run({"dft", "forward", folder / "image.npy", "-t", folder / "t.h5"}, "exact.npy");
  ASSERT_EQ(exact.shape(), (Shape{coils, sample_count}));
  // Sums of 320 terms in double.
  EXPECT_LT(test::relative_error(exact, sums(image, true)), 1e-13);
  const auto fast =
      run({"nufft", "forward", folder / "image.npy", "-t", folder / "t.h5", "--tolerance", "1e-8"}, "fast.npy");
  EXPECT_LT(test::relative_error(fast, exact), 1e-8);
  const auto gaussian = run({"nufft", "forward", folder / "image.npy", "-t", folder / "t.h5", "--window", "gaussian",
                             "--oversampling", "1.5", "--tolerance", "1e-3"},
                            "gaussian.npy");
  EXPECT_LT(test::relative_error(gaussian, exact), 1e-3);
  EXPECT_GT(test::relative_error(gaussian, exact), 1e-8);
  const auto record = nlohmann::json::parse(test::read_file(folder / "gaussian.npy.json"));
  EXPECT_EQ(record["parameters"]["transform"], "nufft");
  EXPECT_EQ(record["parameters"]["window"], "gaussian");
  EXPECT_EQ(record["parameters"]["precision"], "double");
  EXPECT_EQ(record["inputs"].size(), 2U);
}

TEST_F(TransformCommands, AdjointIsTheDefinition) {
  const auto data = test::random_array<double>(ctx, {coils, sample_count}, 4);
  write_npy<ComplexDouble>(ctx, folder / "data.npy", data);
  const auto exact = run({"dft", "adjoint", folder / "data.npy", "-t", folder / "t.h5"}, "exact.npy");
  ASSERT_EQ(exact.shape(), (Shape{coils, 1, ny, nx}));
  EXPECT_LT(test::relative_error(exact, sums(data, false)), 1e-13);
  const auto fast =
      run({"nufft", "adjoint", folder / "data.npy", "-t", folder / "t.h5", "--tolerance", "1e-8"}, "fast.npy");
  EXPECT_LT(test::relative_error(fast, exact), 1e-8);
}

TEST_F(TransformCommands, ScansCarryTheSamplesOn) {
  const auto exact = run({"dft", "forward", folder / "image.npy", "-t", folder / "t.h5"}, "exact.npy");
  expect_success({"nufft", "forward", folder / "image.npy", "-t", folder / "t.h5", "-o", folder / "scan.h5",
                  "--tolerance", "1e-5"});
  const Scan scan = read_ismrmrd(ctx, folder / "scan.h5");
  EXPECT_EQ(scan.coils, coils);
  EXPECT_EQ(scan.trajectory_kind, "radial");
  EXPECT_EQ(scan.matrix, trajectory.matrix);
  EXPECT_EQ(scan.noise.size(), 0);
  EXPECT_LT(test::relative_error(scan.frames[0].data, exact), 1e-5);
  // From the scan, and with the density weights that came along.
  const auto plain = run({"dft", "adjoint", folder / "scan.h5"}, "plain.npy");
  // 1e-5 of the sample_count, whose adjoint may be smaller than they are by no more than the condition of the few modes.
  EXPECT_LT(test::relative_error(plain, sums(exact, false)), 1e-4);
  auto weighted = clone(ctx, exact.ref());
  for (Index i = 0; i < weighted.size(); ++i) {
    weighted.data()[i] *= static_cast<double>(trajectory.frames[0].weights->data()[i % sample_count]);
  }
  const auto gridded = run({"dft", "adjoint", folder / "scan.h5", "--weights"}, "gridded.npy");
  EXPECT_LT(test::relative_error(gridded, sums(weighted, false)), 1e-4);
  EXPECT_GT(test::relative_error(gridded, plain), 1e-2);
}

TEST_F(TransformCommands, InverseFindsTheImage) {
  // 40 spokes of 40 sample_count: more than Nyquist for 20 x 16 within the disc. The image, a blob of standard deviation 2
  // pixels, has exp(-2 pi^2 4 / 4) = 3e-9 left at the disc's edge; cut at the border it has exp(-8) = 3e-4 of its peak.
  Scan dense;
  dense.matrix = {nx, ny, 1};
  dense.trajectory_kind = "radial";
  dense.trajectory_unit = "cycles/pixel";
  ScanFrame frame;
  frame.trajectory = std::make_shared<Trajectory>(radial_trajectory(ctx, 40, 40, SpokeOrder::golden_angle));
  frame.data = zeros<std::complex<float>>(ctx, {1, 1600});
  frame.geometry.field_of_view_mm = {nx, ny, 1};
  dense.coils = 1;
  dense.frames.push_back(std::move(frame));
  write_ismrmrd(ctx, dense, folder / "dense.h5");
  Array<ComplexDouble> blobs(ctx, {2, 2, 1, ny, nx});  // frames and coils
  for (Index i = 0; i < blobs.size(); ++i) {
    const Index row = i / nx;
    const auto x = static_cast<double>(i % nx - nx / 2);
    const auto y = static_cast<double>(row % ny - ny / 2);
    blobs.data()[i] = ComplexDouble(1, static_cast<double>(row / ny)) * std::exp(-(x * x + y * y) / 8);
  }
  write_npy<ComplexDouble>(ctx, folder / "blobs.npy", blobs);
  expect_success({"nufft", "forward", folder / "blobs.npy", "-t", folder / "dense.h5", "-o", folder / "scan.h5"});
  EXPECT_EQ(read_ismrmrd(ctx, folder / "scan.h5").frames.at(1).index.repetition, 1);
  const auto found =
      run({"nufft", "inverse", folder / "scan.h5", "--lambda", "0", "--iterations", "60", "--residual", "1e-6"},
          "found.npy");
  ASSERT_EQ(found.shape(), blobs.shape());
  EXPECT_LT(test::relative_error(found, blobs), 2e-3);
  const auto record = nlohmann::json::parse(test::read_file(folder / "found.npy.json"));
  EXPECT_EQ(record["residuals"].size(), 2U);
  EXPECT_EQ(record["parameters"]["lambda"], 0.0);
  // lambda 1 pulls strongly towards zero: x / (1 + 1) at best.
  const auto held = run({"nufft", "inverse", folder / "scan.h5", "--lambda", "1"}, "held.npy");
  EXPECT_GT(test::relative_error(held, blobs), 0.4);
}

TEST_F(TransformCommands, OneImageAlongManyTrajectoriesAndBack) {
  write_ismrmrd(ctx, test::make_small_scan(ctx), folder / "many.h5");
  const auto all = run({"nufft", "forward", folder / "image.npy", "-t", folder / "many.h5"}, "all.npy");
  ASSERT_EQ(all.shape(), (Shape{6, coils, sample_count}));
  EXPECT_EQ(all.view<3>()(5, 2, 7), all.view<3>()(0, 2, 7));
  // Frames of samples along one trajectory.
  const auto back = run({"nufft", "adjoint", folder / "all.npy", "-t", folder / "t.h5"}, "back.npy");
  EXPECT_EQ(back.shape(), (Shape{6, coils, 1, ny, nx}));
}

// A power of two changes no rounding: the transform of scaled numbers is the scaled transform to the last bit.
TEST_F(TransformCommands, NumbersOfAnyMagnitude) {
  using Single = std::complex<float>;
  const Array<ComplexDouble> random = test::random_array<double>(ctx, {coils, sample_count}, 3);
  const auto made = [&](const std::vector<std::string>& words, int exponent) {
    Array<Single> data(ctx, random.shape());
    for (Index i = 0; i < data.size(); ++i) {
      const Single near(random.data()[i]);
      data.data()[i] = {std::ldexp(near.real(), exponent), std::ldexp(near.imag(), exponent)};
    }
    write_npy<Single>(ctx, folder / "data.npy", data);
    std::vector<std::string> all = words;
    all.insert(all.end(), {folder / "data.npy", "-t", folder / "t.h5", "-o", folder / "made.npy"});
    expect_success(all);
    return read_npy<Single>(ctx, folder / "made.npy");
  };
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"nufft", "adjoint"}, {"dft", "adjoint"}, {"nufft", "inverse"}}) {
    const Array<Single> expected = made(words, 0);
    for (const int exponent : {124, -90}) {
      const Array<Single> found = made(words, exponent);
      for (Index i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(found.data()[i].real(), std::ldexp(expected.data()[i].real(), exponent)) << words[1] << i;
        ASSERT_EQ(found.data()[i].imag(), std::ldexp(expected.data()[i].imag(), exponent)) << words[1] << i;
      }
    }
  }
  // Samples of 1 have an image of samples / sqrt(voxels) = 3.4 in the center; 3e38 times that is no float.
  Array<Single> large(ctx, {coils, sample_count});
  fill<Single>(large, 3e38F);
  Array<Single> origin(ctx, {coils, 1, ny, nx});
  fill<Single>(origin, 3e38F);
  write_npy<Single>(ctx, folder / "large.npy", large);
  write_npy<Single>(ctx, folder / "origin.npy", origin);
  const std::string out = folder / "out.npy";
  expect_failure({"nufft", "forward", folder / "origin.npy", "-t", folder / "t.h5", "-o", out}, 1, "float32 holds");
  expect_failure(
      {"nufft", "forward", folder / "origin.npy", "-t", folder / "t.h5", "-o", folder / "out.h5", "--double"}, 1,
      "float32 holds");
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_FALSE(std::filesystem::exists(folder / "out.h5"));
}

TEST_F(TransformCommands, FailuresSayWhatIsWrong) {
  const auto entries = folder.entries();
  const std::string t = folder / "t.h5";
  const std::string out = folder / "out.npy";
  const std::string picture = folder / "image.npy";
  expect_failure({"nufft"}, 2, "see whorl nufft --help");
  expect_failure({"dft", "inverse"}, 2, "'inverse' is neither a command nor an option of whorl dft");
  expect_failure({"dft", "forward", picture, "-t", t, "-o", out, "--tolerance", "1"}, 2,
                 "see whorl dft forward --help");
  expect_failure({"nufft", "forward", picture, "-o", out}, 2, "--trajectory is required");
  expect_failure({"nufft", "forward", picture, "-t", t, "-o", folder / "out.txt"}, 2, "out.txt");
  expect_failure({"nufft", "adjoint", t, "-o", folder / "out.txt"}, 2, "out.txt");
  expect_failure({"nufft", "forward", picture, "-t", t, "-o", out, "--tolerance", "1e-30"}, 1, "tolerance 1.0e-30");
  expect_failure({"nufft", "forward", picture, "-t", t, "-o", picture}, 2, "is an input");
  const test::TemporaryFolder other;
  write_npy<ComplexDouble>(ctx, other / "wrong.npy", test::random_array<double>(ctx, {7, 8}, 1));
  expect_failure({"nufft", "forward", other / "wrong.npy", "-t", t, "-o", out}, 1, "[7, 8]");
  expect_failure({"nufft", "adjoint", other / "wrong.npy", "-t", t, "-o", out}, 1, "[7, 8]");
  write_ismrmrd(ctx, test::make_small_scan(ctx), other / "many.h5");
  expect_failure({"nufft", "adjoint", other / "many.h5", "-o", out, "--weights"}, 1, "no density weights");
  write_npy<ComplexDouble>(ctx, other / "two.npy", test::random_array<double>(ctx, {2, 1, 1, ny, nx}, 1));
  expect_failure({"nufft", "forward", other / "two.npy", "-t", other / "many.h5", "-o", out}, 1,
                 "2 frames of images for 6");
  write_npy<ComplexDouble>(ctx, other / "two.npy", test::random_array<double>(ctx, {2, 1, sample_count}, 1));
  expect_failure({"nufft", "adjoint", other / "two.npy", "-t", other / "many.h5", "-o", out}, 1,
                 "2 frames of samples for 6");
  EXPECT_EQ(folder.entries(), entries);
}

}  // namespace
}  // namespace whorl
