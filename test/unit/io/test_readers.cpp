// Readers of files that other programs make: pictures, Parboil, the reproducibility challenge.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "support/file_content.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/convert.hpp"
#include "whorl/io/describe_file.hpp"
#include "whorl/io/png.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl {
namespace {

using test::error_of;
using test::TemporaryFolder;
using test::write_file;
using Complex = std::complex<float>;

TEST(Pictures, PnmOfBothDepths) {
  const Context ctx;
  const TemporaryFolder folder;
  write_file(folder / "a.pgm", std::string("P5\n# by hand\n3 2\n255\n\x01\x02\x03\xfe\xff\x00", 27));
  NamedArray picture = read_array(ctx, folder / "a.pgm");
  EXPECT_EQ(shape_of(picture.values), (Shape{2, 3}));
  EXPECT_EQ(std::get<0>(picture.values).span()[3], 254);
  write_file(folder / "a.ppm", std::string("P6 1 2 65535 \x01\x02\x00\x03\xff\xff\x00\x00\x00\x01\x10\x00", 25));
  picture = read_array(ctx, folder / "a.ppm");
  EXPECT_EQ(shape_of(picture.values), (Shape{3, 2, 1}));
  EXPECT_EQ((std::vector<float>(std::get<0>(picture.values).span().begin(), std::get<0>(picture.values).span().end())),
            (std::vector<float>{258, 0, 3, 1, 65535, 4096}));
}

TEST(Pictures, PngAsItWasWritten) {
  const Context ctx;
  const TemporaryFolder folder;
  Array<float> image(ctx, {3, 5});
  for (Index i = 0; i < image.size(); ++i) image.data()[i] = static_cast<float>(17 * i);
  PngOptions options;
  options.high = 255;
  write_png(ctx, folder / "a.png", image, options);
  const NamedArray picture = read_array(ctx, folder / "a.png");
  EXPECT_EQ(shape_of(picture.values), (Shape{3, 5}));
  EXPECT_TRUE(std::equal(image.span().begin(), image.span().end(), std::get<0>(picture.values).span().begin()));
}

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), std::data(values), bytes.size());
  return bytes;
}

TEST(Parboil, GriddingSamplesBecomeAScan) {
  const Context ctx;
  const TemporaryFolder folder;
  write_file(folder / "a.uks",
             "aquisition.numsamples=2\naquisition.kmax=150.0 150.0 100.0\naquisition.matrixSize=60 60 60\n"
             "reconstruction.matrixSize=60 60 80\ngridding.matrixSize=256 256 256\ngridding.oversampling=5.0\n"
             "kernel.width=5.0\nkernel.useLUT=1\n");
  write_file(folder / "a.uks.data", bytes_of<float>({1, 2, 150, -75, 100, 0.5F, 3, 4, 0, 30, -50, 2}));
  EXPECT_EQ(describe_file(folder / "a.uks").format, "mri-gridding");
  const Scan scan = read_scan(ctx, folder / "a.uks");
  EXPECT_EQ(scan.matrix, (std::array<Index, 3>{60, 60, 80}));
  EXPECT_EQ(scan.frames[0].data.span()[1], Complex(3, 4));
  EXPECT_EQ(scan.frames[0].weights->span()[0], 0.5F);
  const auto k = scan.frames[0].trajectory->points.view<2>();
  EXPECT_DOUBLE_EQ(k(0, 0), 0.5);
  EXPECT_DOUBLE_EQ(k(0, 1), -0.25);
  EXPECT_DOUBLE_EQ(k(0, 2), 0.5 * 60 / 80);  // Nyquist of the acquisition lies within the finer image's
  EXPECT_DOUBLE_EQ(k(1, 1), 0.1);
}

class Challenge : public ::testing::Test {
 protected:
  /// rawdata [1, readout 4, shot 3, coil 2] and trajectory [3, readout, shot] as the layout has them, or reversed.
  void write(bool reversed, bool with_maps) {
    std::vector<NamedArray> arrays;
    Array<Complex> raw(ctx, reversed ? Shape{2, 3, 4, 1} : Shape{1, 4, 3, 2});
    Array<double> positions(ctx, {3, 4, 3});  // both ways round: three axes, three shots
    for (Index readout = 0; readout < 4; ++readout) {
      for (Index shot = 0; shot < 3; ++shot) {
        for (Index coil = 0; coil < 2; ++coil) {
          const Index at = reversed ? (coil * 3 + shot) * 4 + readout : (readout * 3 + shot) * 2 + coil;
          raw.data()[at] = value(coil, shot, readout);
        }
        for (Index axis = 0; axis < 3; ++axis) {
          const Index at = reversed ? (shot * 4 + readout) * 3 + axis : (axis * 4 + readout) * 3 + shot;
          positions.data()[at] =
              axis == 2 ? 0 : static_cast<double>(readout + 4 * shot) - 8 * static_cast<double>(axis);
        }
      }
    }
    arrays.push_back({"rawdata", std::move(raw)});
    arrays.push_back({"trajectory", std::move(positions)});
    if (with_maps) arrays.push_back({"Coils", zeros<Complex>(ctx, {2, 24, 32})});
    write_arrays(ctx, path, arrays, "hdf5");
  }
  static Complex value(Index coil, Index shot, Index readout) {
    return {static_cast<float>(100 * coil + 10 * shot + readout), static_cast<float>(coil)};
  }

  Context ctx;
  TemporaryFolder folder;
  std::filesystem::path path = folder / "raw.h5";
};

TEST_F(Challenge, LayoutAsPublished) {
  write(false, true);
  const Scan scan = read_scan(ctx, path);
  EXPECT_EQ(scan.matrix, (std::array<Index, 3>{32, 24, 1}));
  EXPECT_EQ(scan.coil_maps.shape(), (Shape{2, 1, 24, 32}));
  ASSERT_EQ(scan.frames.size(), 1U);
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 4);
  const auto data = scan.frames[0].data.view<2>();
  const auto k = scan.frames[0].trajectory->points.view<2>();
  for (Index sample = 0; sample < 12; ++sample) {
    EXPECT_EQ(data(1, sample), value(1, sample / 4, sample % 4));
    EXPECT_EQ(k(sample, 0), static_cast<double>(sample) / 32);
    EXPECT_DOUBLE_EQ(k(sample, 1), static_cast<double>(sample - 8) / 24);  // the factor 1/24 is rounded
  }
}

TEST_F(Challenge, TheMatrixMayBeStated) {
  write(false, false);
  EXPECT_NE(error_of<ValueError>([&] { read_scan(ctx, path); }).find("matrix"), std::string::npos);
  ConvertOptions options;
  options.matrix = {24, 24, 1};
  EXPECT_EQ(convert_scan(ctx, {path}, options).matrix, options.matrix);
}

TEST_F(Challenge, AllAxesReversed) {
  // With 5 readouts of 3 shots the trajectory's extent 3 would be at both ends; here the last axis tells.
  std::vector<NamedArray> arrays;
  arrays.push_back({"rawdata", zeros<Complex>(ctx, {2, 5, 4, 1})});
  arrays.push_back({"trajectory", zeros<double>(ctx, {5, 4, 3})});
  std::get<2>(arrays[0].values).data()[20 + 7] = Complex(5, 6);
  std::get<1>(arrays[1].values).data()[3 * 7] = 3;
  std::get<1>(arrays[1].values).data()[3 * 7 + 1] = -12;
  write_arrays(ctx, path, arrays, "hdf5");
  ConvertOptions options;
  options.matrix = {24, 24, 1};
  const Scan scan = convert_scan(ctx, {path}, options);
  EXPECT_EQ(scan.frames[0].data.view<2>()(1, 7), Complex(5, 6));
  EXPECT_EQ(scan.frames[0].trajectory->points.view<2>()(7, 0), 0.125);
  EXPECT_EQ(scan.frames[0].trajectory->points.view<2>()(7, 1), -0.5);
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 4);
}

// Scans of every format take the field of view that they do not state, and keep the one that they state.
TEST(FieldOfView, IsTakenWhereTheFileDoesNotSayIt) {
  const Context ctx;
  const TemporaryFolder folder;
  for (const char* name : {"scan.h5", "scan.npz", "scan.cfl"}) {
    Scan scan = test::make_small_scan(ctx);
    for (ScanFrame& frame : scan.frames) frame.geometry.field_of_view_mm = {0, 0, 0};
    write_scan(ctx, scan, folder / name);
    ScanReadOptions options;
    options.field_of_view_mm = {60, 32};
    scan = read_scan(ctx, folder / name, options);
    for (const ScanFrame& frame : scan.frames) {
      EXPECT_EQ(frame.geometry.field_of_view_mm, (std::array<double, 3>{60, 32, 0})) << name;
    }
    write_scan(ctx, scan, folder / name);
    options.field_of_view_mm = {60.001, 32, 7};
    EXPECT_NEAR(read_scan(ctx, folder / name, options).frames[0].geometry.field_of_view_mm[0], 60, 1e-5) << name;
    options.field_of_view_mm = {64, 32};
    EXPECT_THAT(error_of<ValueError>([&] { read_scan(ctx, folder / name, options); }),
                testing::HasSubstr("states a field of view of 60 mm along x"))
        << name;
  }
}

}  // namespace
}  // namespace whorl
