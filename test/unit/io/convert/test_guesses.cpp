// What conversion finds out itself: axes by extents, partitions, planes, facts of the file, positions of another file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/cfl/cfl.hpp"
#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/random.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/convert.hpp"
#include "whorl/io/npy.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl {
namespace {

using test::error_of;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using Complex = std::complex<float>;

class Guesses : public ::testing::Test {
 protected:
  template <class T>
  void write(const std::string& name, const Array<T>& array) {
    write_npy<T>(ctx, folder / (name + ".npy"), array);
  }
  Array<Complex> random(const Shape& shape) {
    Array<Complex> array(ctx, shape);
    fill_random_normal<float>(array, 5);
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
  static ConvertOptions plain(Index z = 1) {
    ConvertOptions options;
    options.matrix = {24, 20, z};
    options.trajectory_unit = TrajectoryUnit::cycles_per_pixel;
    return options;
  }

  Context ctx;
  TemporaryFolder folder;
};

TEST_F(Guesses, OneAxisBesideThoseOfTheTrajectoryIsTheCoils) {
  const auto data = random({5, 7, 3});  // shot, readout, coil
  write("data", data);
  write("traj", positions({5, 7, 2}));
  const Scan scan = convert({"data.npy", "traj.npy"}, plain());
  EXPECT_EQ(scan.coils, 3);
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 7);
  EXPECT_EQ(scan.frames[0].data.view<2>()(2, 7 * 3 + 4), data.view<3>()(3, 4, 2));
  // As many coils as shots: two readings.
  write("data", random({5, 7, 5}));
  EXPECT_THAT(error_of<ValueError>([&] { convert({"data.npy", "traj.npy"}, plain()); }), HasSubstr("data-axes"));
  // Coils that are slowest are the usual order, however many they are.
  write("data", random({7, 5, 7}));
  EXPECT_EQ(convert({"data.npy", "traj.npy"}, plain()).coils, 7);
}

TEST_F(Guesses, ArraysWithoutAUsualNameByTheirShapes) {
  write("measured", random({3, 5, 7}));
  write("where", positions({5, 7, 2}));
  const Scan scan = convert({"measured.npy", "where.npy"}, plain());
  EXPECT_EQ(scan.coils, 3);
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 7);
}

TEST_F(Guesses, SamplesTakeTheReadoutsOfTheData) {
  write("data", random({3, 5, 7}));
  write("traj", positions({35, 2}));
  const Scan scan = convert({"data.npy", "traj.npy"}, plain());
  EXPECT_EQ(scan.coils, 3);
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 7);
}

TEST_F(Guesses, SmallArraysOfUsualNamesAreTheFacts) {
  Array<double> mtx(ctx, {2});
  mtx.data()[0] = 24;
  mtx.data()[1] = 20;
  Array<double> fov(ctx, {1});
  fov.data()[0] = 0.24;  // m
  Array<double> dwell(ctx, {1});
  dwell.data()[0] = 4e-6;  // s
  std::vector<NamedArray> arrays;
  arrays.push_back({"data", random({3, 5, 7})});
  arrays.push_back({"traj", positions({5, 7, 2})});
  const auto nothing = [&] {
    write_arrays(ctx, folder / "scan.npz", arrays);
    return error_of<ValueError>([&] { convert({"scan.npz"}, {}); });
  };
  EXPECT_THAT(nothing(), HasSubstr("give the image's pixels"));
  // By their shapes alone they are k-space too.
  arrays[0].name = "signal";
  arrays[1].name = "places";
  EXPECT_THAT(nothing(), HasSubstr("give the image's pixels"));
  EXPECT_TRUE(holds_k_space(ctx, {folder / "scan.npz"}));
  arrays[0].name = "data";
  arrays[1].name = "traj";
  arrays.push_back({"mtx", std::move(mtx)});
  arrays.push_back({"fov", std::move(fov)});
  arrays.push_back({"dwell_time", std::move(dwell)});
  write_arrays(ctx, folder / "scan.npz", arrays);
  const Scan scan = convert({"scan.npz"}, {});
  EXPECT_EQ(scan.matrix, (std::array<Index, 3>{24, 20, 1}));
  EXPECT_DOUBLE_EQ(scan.frames[0].geometry.field_of_view_mm[1], 240);
  EXPECT_DOUBLE_EQ(scan.dwell_us, 4);
  EXPECT_TRUE(holds_k_space(ctx, {folder / "scan.npz"}));
  ConvertOptions stated = plain();
  stated.dwell_us = 2;
  EXPECT_EQ(convert({"scan.npz"}, stated).dwell_us, 2);
}

// An axis as long as the list of echo times is the contrasts, which is not the coils.
TEST_F(Guesses, EchoTimesOfTheFileCountTheContrasts) {
  const auto times = [&](std::vector<double> values) {
    Array<double> array(ctx, {std::ssize(values)});
    std::copy(values.begin(), values.end(), array.data());
    return array;
  };
  const auto scan_with = [&](const std::string& name, std::vector<double> values, const Shape& data) {
    std::vector<NamedArray> arrays;
    arrays.push_back({"data", random(data)});
    arrays.push_back({"traj", positions({5, 7, 2})});
    arrays.push_back({name, times(std::move(values))});
    write_arrays(ctx, folder / "scan.npz", arrays);
    return convert({"scan.npz"}, plain());
  };
  const Scan two = scan_with("TE", {0.002, 0.0045}, {2, 3, 5, 7});  // s
  EXPECT_EQ(two.echo_times_ms, (std::vector<double>{2, 4.5}));
  ASSERT_EQ(two.frames.size(), 2U);
  EXPECT_EQ(two.frames[1].index.contrast, 1);
  EXPECT_EQ(two.coils, 3);
  const Scan alone = scan_with("echo_times", {2000, 4500, 7000}, {3, 5, 7});  // us
  EXPECT_EQ(alone.echo_times_ms, (std::vector<double>{2, 4.5, 7}));
  EXPECT_EQ(alone.frames.size(), 3U);
  EXPECT_EQ(alone.coils, 1);
  // Three coils would have the same shape.
  const auto says_contrasts = [](const Note& note) {
    return note.is_doubt() && note.find("taken for contrasts") != std::string::npos;
  };
  EXPECT_EQ(std::count_if(alone.notes.begin(), alone.notes.end(), says_contrasts), 1);
  EXPECT_EQ(std::count_if(two.notes.begin(), two.notes.end(), says_contrasts), 0);
  EXPECT_EQ(scan_with("te_ms", {0.07}, {3, 5, 7}).echo_times_ms, std::vector<double>{0.07});
  EXPECT_TRUE(scan_with("te", {0.07}, {3, 5, 7}).echo_times_ms.empty());  // 70 ms, or 70 us

  // Data of one contrast do not have them.
  const Scan none = scan_with("TE", {2, 4}, {3, 5, 7});
  EXPECT_TRUE(none.echo_times_ms.empty());
  EXPECT_THAT(none.notes, ::testing::Contains(HasSubstr("2 echo times were left out")));
  ConvertOptions stated = plain();
  stated.echo_times_ms = {1, 2};
  EXPECT_THAT(error_of<ValueError>([&] { convert({"scan.npz"}, stated); }), HasSubstr("2 echo times for 1 contrasts"));
}

TEST_F(Guesses, PositionsThatCountFromZeroAreRefused) {
  Array<double> corner = positions({10, 12, 2});
  for (double& k : corner.span()) k += 0.5;
  write("trajectory", corner);
  write("data", random({3, 10, 12}));
  ConvertOptions open = plain();
  open.trajectory_unit = TrajectoryUnit::automatic;
  const auto refused = [&] { convert({"data.npy", "trajectory.npy"}, open); };
  EXPECT_THAT(error_of<ValueError>(refused), HasSubstr("k = 0 lies at a corner"));
}

// BART's 1 x readout x shot x coil without its trajectory looks like a plane y-z, but its shots are equally strong.
TEST_F(Guesses, SpokesWithoutATrajectoryAreNoCartesianGrid) {
  Array<Complex> data(ctx, {2, 12, 20});  // coil, spoke, readout
  for (Index i = 0; i < data.size(); ++i) data.data()[i] = std::exp(-0.5F * static_cast<float>(std::abs(i % 20 - 10)));
  io::write_cfl(ctx, folder / "ksp.cfl", data, {1, 20, 12, 2}, {});
  EXPECT_THAT(error_of<ValueError>([&] { convert({"ksp.cfl"}, {}); }), HasSubstr("no trajectory for the data"));
  write("kspace", data);
  EXPECT_THAT(error_of<ValueError>([&] { convert({"kspace.npy"}, {}); }), HasSubstr("state the kind cartesian"));
  ConvertOptions stated;
  stated.trajectory_kind = "cartesian";
  EXPECT_EQ(convert({"kspace.npy"}, stated).matrix, (std::array<Index, 3>{20, 12, 1}));
}

// Lines within the main lobe of an object are nearly as strong as each other, too, but fall off from k = 0.
TEST_F(Guesses, FewCentralLinesAreACartesianGrid) {
  Array<Complex> data(ctx, {2, 8, 20});  // coil, line, readout
  for (Index i = 0; i < data.size(); ++i) {
    const auto x = static_cast<float>(i % 20 - 10);
    const auto y = static_cast<float>(i / 20 % 8 - 4);
    data.data()[i] = std::exp(-0.5F * std::abs(x) - 0.02F * y * y);
  }
  write("kspace", data);
  EXPECT_EQ(convert({"kspace.npy"}, {}).matrix, (std::array<Index, 3>{20, 8, 1}));
  // Spokes of a signal that decays have their strongest line elsewhere.
  for (Index i = 0; i < data.size(); ++i) {
    data.data()[i] =
        std::exp(-0.5F * static_cast<float>(std::abs(i % 20 - 10)) - 0.05F * static_cast<float>(i / 20 % 8));
  }
  write("kspace", data);
  EXPECT_THAT(error_of<ValueError>([&] { convert({"kspace.npy"}, {}); }), HasSubstr("no trajectory for the data"));
}

// Pixels of one coil are next to each other, or the coils of one pixel; images of four pixels along x are none.
TEST_F(Guesses, CartesianCoilsMayBeTheFastestAxis) {
  Array<Complex> data(ctx, {18, 20, 4});  // y, x, coil
  for (Index i = 0; i < data.size(); ++i) {
    data.data()[i] = std::exp(-0.5F * static_cast<float>(std::abs(i / 80 - 9) + std::abs(i / 4 % 20 - 10)));
  }
  write("kspace", data);
  const Scan scan = convert({"kspace.npy"}, {});
  EXPECT_EQ(scan.matrix, (std::array<Index, 3>{20, 18, 1}));
  EXPECT_EQ(scan.coils, 4);
}

// exp(-|k| / 2) about the echo: k-space as an FFT leaves it, and partial k-space without the part that was not measured.
TEST_F(Guesses, CartesianDataHaveTheirEchoAtKZero) {
  const auto positions_of = [&](Index echo, Index wraps_at, ConvertOptions options = {}) {
    Array<Complex> data(ctx, {2, 18, 20});  // coil, y, x
    for (Index i = 0; i < data.size(); ++i) {
      Index y = i / 20 % 18 - echo;
      if (y >= wraps_at) y -= 18;
      data.data()[i] = std::exp(-0.5F * static_cast<float>(std::abs(y) + std::abs(i % 20 - 10)));
    }
    write("kspace", data);
    return convert({"kspace.npy"}, options);
  };
  const auto first_y = [](const Scan& scan) { return scan.frames[0].trajectory->points.view<2>()(0, 1); };
  const Scan middle = positions_of(9, 18);
  EXPECT_EQ(middle.matrix, (std::array<Index, 3>{20, 18, 1}));
  EXPECT_EQ(first_y(middle), -0.5);
  const Scan corner = positions_of(0, 9);
  EXPECT_EQ(corner.matrix, (std::array<Index, 3>{20, 18, 1}));
  EXPECT_EQ(first_y(corner), 0);
  EXPECT_EQ(corner.frames[0].trajectory->points.view<2>()(9 * 20, 1), -0.5);
  EXPECT_THAT(corner.notes, ::testing::Contains(HasSubstr("index 0 along y")));
  const Scan late = positions_of(3, 18);
  EXPECT_EQ(late.matrix, (std::array<Index, 3>{20, 30, 1}));
  EXPECT_DOUBLE_EQ(first_y(late), -3.0 / 30);
  EXPECT_THAT(late.notes, ::testing::Contains(HasSubstr("index 3 of 18 along y")));
  ConvertOptions options;
  options.trajectory_kind = "cartesian";
  options.matrix = {20, 32, 1};
  EXPECT_DOUBLE_EQ(first_y(positions_of(3, 18, options)), -2.0 / 32);  // 18 - 32 / 2: the echo is a step beside it
}

TEST_F(Guesses, PartitionsAreFurtherReadoutsAndGiveKz) {
  const auto data = random({6, 4, 5, 7});  // coil, partition, shot, readout
  write("data", data);
  write("traj", positions({5, 7, 2}));
  ConvertOptions options = plain(6);
  options.data_axes = {"coil", "partition", "shot", "readout"};
  const Scan scan = convert({"data.npy", "traj.npy"}, options);
  ASSERT_EQ(scan.dim(), 3);
  const auto k = scan.frames[0].trajectory->points.view<2>();
  ASSERT_EQ(k.extent(0), 140);
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 7);
  const Index sample = (2 * 5 + 3) * 7 + 6;
  EXPECT_EQ(scan.frames[0].data.view<2>()(5, sample), data.view<4>()(5, 2, 3, 6));
  EXPECT_EQ(k(sample, 1), k(3 * 7 + 6, 1));
  for (Index i = 0; i < 140; ++i) EXPECT_DOUBLE_EQ(k(i, 2), static_cast<double>(i / 35 - 2) / 6);

  // Positions that differ from one partition to the next, in three dimensions.
  const auto own = positions({3, 7, 5, 4});
  write("traj", own);
  options.trajectory_axes = {"dim", "readout", "shot", "partition"};
  const Scan other = convert({"data.npy", "traj.npy"}, options);
  EXPECT_EQ(other.frames[0].trajectory->points.view<2>()(sample, 2), own.view<4>()(2, 6, 3, 2));

  // kz for one partition alone can not be that of all.
  write("traj", positions({5, 7, 3}));
  options.trajectory_axes = {};
  EXPECT_THAT(error_of<ValueError>([&] { convert({"data.npy", "traj.npy"}, options); }), HasSubstr("partition"));
}

TEST_F(Guesses, BartsPlaneMayBeYZ) {
  const auto data = random({3, 4, 6, 1});  // coil, shot, readout, 1
  Array<Complex> trajectory = zeros<Complex>(ctx, {4, 6, 3});
  for (Index i = 0; i < trajectory.size(); ++i) {
    if (i % 3 > 0) trajectory.data()[i] = static_cast<float>((7 * i) % 16 - 8);
  }
  io::write_cfl(ctx, folder / "ksp.cfl", data, {1, 6, 4, 3}, {});
  io::write_cfl(ctx, folder / "traj.cfl", trajectory, {3, 6, 4}, {});
  ConvertOptions options = plain();
  options.trajectory_unit = TrajectoryUnit::cycles_per_fov;
  const Scan scan = convert({"ksp.cfl", "traj.cfl"}, options);
  const auto k = scan.frames[0].trajectory->points.view<2>();
  // Multiplied by 1/24 and 1/20 as rounded: two roundings.
  EXPECT_DOUBLE_EQ(k(6 * 3 + 5, 0), static_cast<double>(trajectory.view<3>()(3, 5, 1).real()) / 24);
  EXPECT_DOUBLE_EQ(k(6 * 3 + 5, 1), static_cast<double>(trajectory.view<3>()(3, 5, 2).real()) / 20);

  // Dimensions in another order than BART's, which the extents tell.
  io::write_cfl(ctx, folder / "ksp.cfl", data, {6, 4, 3}, {});
  const Scan moved = convert({"ksp.cfl", "traj.cfl"}, options);
  EXPECT_EQ(moved.coils, 3);
  EXPECT_EQ(moved.frames[0].data.view<2>()(2, 17), scan.frames[0].data.view<2>()(2, 17));
}

TEST_F(Guesses, CartesianDataAreTheirOwnGrid) {
  auto data = random({3, 5, 8});  // coil, y, x
  for (Index coil = 0; coil < 3; ++coil) {
    for (Index x = 0; x < 8; ++x) data.view<3>()(coil, 2, x) = 0;
  }
  write("brain_ksp", data);
  EXPECT_TRUE(holds_k_space(ctx, {folder / "brain_ksp.npy"}));
  write("kspace_full", data);
  EXPECT_TRUE(holds_k_space(ctx, {folder / "kspace_full.npy"}));
  const Scan scan = convert({"brain_ksp.npy"}, {});
  EXPECT_EQ(scan.matrix, (std::array<Index, 3>{8, 5, 1}));
  EXPECT_EQ(scan.trajectory_kind, "cartesian");
  const Trajectory& trajectory = *scan.frames[0].trajectory;
  EXPECT_EQ(trajectory.readout_length, 8);
  ASSERT_EQ(trajectory.samples(), 32);
  const auto k = trajectory.points.view<2>();
  EXPECT_EQ(k(0, 0), -0.5);
  EXPECT_EQ(k(0, 1), -2.0 / 5);
  EXPECT_EQ(k(16, 1), 1.0 / 5);  // the line after the one that is 0
  EXPECT_EQ(scan.frames[0].data.view<2>()(1, 17), data.view<3>()(1, 3, 1));

  // Finer pixels keep the field of view; fewer are the middle of a larger one.
  ConvertOptions options;
  options.trajectory_kind = "cartesian";
  options.matrix = {16, 5, 1};
  EXPECT_EQ(convert({"brain_ksp.npy"}, options).frames[0].trajectory->points.view<2>()(0, 0), -0.25);
  options.matrix = {4, 5, 1};
  EXPECT_EQ(convert({"brain_ksp.npy"}, options).frames[0].trajectory->points.view<2>()(0, 0), -0.5);
  // Another matrix without a word of a grid is more likely a radial scan without its trajectory.
  options.trajectory_kind = "other";
  EXPECT_THAT(error_of<ValueError>([&] { convert({"brain_ksp.npy"}, options); }), HasSubstr("no trajectory"));

  // BART: a slice across x is an image of y and z.
  io::write_cfl(ctx, folder / "brain.cfl", data, {1, 8, 5, 3}, {});
  options.trajectory_kind = "cartesian";
  options.matrix = {};
  const Scan bart = convert({"brain.cfl"}, options);
  EXPECT_EQ(bart.matrix, (std::array<Index, 3>{8, 5, 1}));
  EXPECT_EQ(bart.coils, 3);
}

TEST_F(Guesses, PositionsOfAnotherFileOfAnyFormat) {
  write("traj", positions({5, 7, 2}));
  const Scan trajectory = convert({"traj.npy"}, plain());
  EXPECT_EQ(trajectory.coils, 0);
  EXPECT_EQ(trajectory.frames[0].trajectory->readout_length, 7);
  for (const char* name : {"traj.h5", "traj.npz", "traj.cfl"}) write_scan(ctx, trajectory, folder / name);
  const auto data = random({3, 35});
  write("data", data);
  const auto expected = trajectory.frames[0].trajectory->points.view<2>();
  for (const char* name : {"traj.npy", "traj.h5", "traj.npz", "traj.cfl"}) {
    ConvertOptions options;
    options.trajectory_from = folder / name;
    if (std::string(name) == "traj.npy") options = plain(), options.trajectory_from = folder / name;
    const Scan scan = convert({"data.npy"}, options);
    EXPECT_EQ(scan.matrix, (std::array<Index, 3>{24, 20, 1})) << name;
    EXPECT_EQ(scan.coils, 3) << name;
    EXPECT_EQ(scan.frames[0].trajectory->readout_length, 7) << name;
    const auto k = scan.frames[0].trajectory->points.view<2>();
    // Float in files, and positions in cycles per field of view in BART's: three roundings of 0.5.
    for (Index i = 0; i < 35; ++i) EXPECT_NEAR(k(i, 1), expected(i, 1), 3 * 0.5 * 6e-8) << name;
    EXPECT_EQ(scan.frames[0].data.view<2>()(2, 34), data.view<2>()(2, 34)) << name;
  }
  // kx + i ky, alone in its file
  Array<Complex> together(ctx, {5, 7});
  for (Index i = 0; i < 35; ++i) together.data()[i] = Complex(std::complex<double>(expected(i, 0), expected(i, 1)));
  write("complex", together);
  ConvertOptions options = plain();
  options.trajectory_from = folder / "complex.npy";
  const Scan placed = convert({"data.npy"}, options);
  EXPECT_NEAR(placed.frames[0].trajectory->points.view<2>()(9, 1), expected(9, 1), 0.5 * 6e-8);
  // A scan keeps its readouts where the positions do not say any.
  options = plain();
  options.trajectory_from = folder / "traj.h5";
  write_scan(ctx, convert({"data.npy"}, options), folder / "scan.npz");
  write("samples", positions({35, 2}));
  ScanReadOptions read;
  read.trajectory_from = folder / "samples.npy";
  read.trajectory_unit = TrajectoryUnit::cycles_per_pixel;
  EXPECT_EQ(read_scan(ctx, folder / "scan.npz", read).frames[0].trajectory->readout_length, 7);
  write("data", random({3, 34}));
  EXPECT_THAT(error_of<ShapeError>([&] { convert({"data.npy"}, options); }), HasSubstr("data-axes"));
}

}  // namespace
}  // namespace whorl
