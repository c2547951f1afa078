// Scans measured or published by others: read from their own layout, then as ISMRMRD.
#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/convert.hpp"
#include "whorl/io/read_scan.hpp"

namespace whorl {
namespace {

using test::has_note;

class Measured : public test::FolderTest {
 protected:
  void SetUp() override {
    if (test::measured_data().empty()) GTEST_SKIP() << "WHORL_TEST_DATA is not set: no measured data";
    FolderTest::SetUp();
  }
  static std::filesystem::path mri(const char* name) { return test::measured_data() / "mri" / name; }

  static double largest_k(const Scan& scan) {
    double largest = 0;
    for (const double value : scan.frames[0].trajectory->points.span()) largest = std::max(largest, std::abs(value));
    return largest;
  }

  /// Writes and reads back: data and weights are the same; positions are float in the file, so they move by at most
  /// half a unit in the last place below 0.5: 2^-26.
  void expect_survives(const Scan& scan) {
    write_ismrmrd(ctx, scan, folder / "scan.h5");
    const Scan read = read_scan(ctx, folder / "scan.h5");
    EXPECT_EQ(read.matrix, scan.matrix);
    EXPECT_EQ(read.coils, scan.coils);
    EXPECT_EQ(read.trajectory_kind, scan.trajectory_kind);
    ASSERT_EQ(read.frames.size(), scan.frames.size());
    for (std::size_t i = 0; i < scan.frames.size(); ++i) {
      const ScanFrame& one = scan.frames[i];
      const ScanFrame& other = read.frames[i];
      EXPECT_EQ(one.index, other.index);
      EXPECT_EQ(one.trajectory->readout_length, other.trajectory->readout_length);
      ASSERT_EQ(one.data.shape(), other.data.shape());
      EXPECT_TRUE(std::equal(one.data.span().begin(), one.data.span().end(), other.data.span().begin()));
      ASSERT_EQ(one.weights == nullptr, other.weights == nullptr);
      if (one.weights) {
        EXPECT_TRUE(std::equal(one.weights->span().begin(), one.weights->span().end(), other.weights->span().begin()));
      }
      ASSERT_EQ(one.trajectory->points.shape(), other.trajectory->points.shape());
      double worst = 0;
      for (Index k = 0; k < one.trajectory->points.size(); ++k) {
        worst = std::max(worst, std::abs(one.trajectory->points.data()[k] - other.trajectory->points.data()[k]));
      }
      EXPECT_LE(worst, std::ldexp(1.0, -26));
    }
  }
};

TEST_F(Measured, Liver) {
  ConvertOptions options;
  options.matrix = {256, 256, 1};
  options.readout_length = 2250;
  options.trajectory_kind = "spiral";
  const Scan scan = convert_scan(
      ctx, {mri("liver.trj"), mri("liver.0.data"), mri("liver.1.data"), mri("liver.2.data"), mri("liver.3.data")},
      options);
  EXPECT_EQ(scan.coils, 4);
  ASSERT_EQ(scan.frames.size(), 4U);
  EXPECT_EQ(scan.frames[3].index.repetition, 3);
  EXPECT_EQ(scan.frames[0].data.shape(), (Shape{4, 36000}));
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 2250);
  EXPECT_EQ(scan.trajectory_unit, "cycles/pixel (detected)");
  EXPECT_NEAR(largest_k(scan), 0.4988, 5e-5);  // four digits stated in the data's description
  expect_survives(scan);
}

#ifdef WHORL_TEST_MATLAB
TEST_F(Measured, RealTimeSpiral) {
  ConvertOptions options;
  options.matrix = {128, 128, 1};
  options.trajectory_kind = "spiral";
  const Scan scan = convert_scan(ctx, {mri("rt_spiral_03.mat")}, options);
  ASSERT_EQ(scan.frames.size(), 1U);
  EXPECT_EQ(scan.frames[0].data.shape(), (Shape{1, 9216}));
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 1536);
  EXPECT_NE(scan.frames[0].weights, nullptr);
  EXPECT_EQ(scan.trajectory_unit, "cycles/pixel (detected)");
  EXPECT_LE(largest_k(scan), 0.4185);
  EXPECT_GE(largest_k(scan), 0.25);
  expect_survives(scan);
}

TEST_F(Measured, PhantomRadial) {
  ConvertOptions options;
  options.matrix = {256, 256, 1};
  options.trajectory_kind = "radial";
  const Scan scan = convert_scan(ctx, {mri("phantom_radial.mat")}, options);
  EXPECT_EQ(scan.frames[0].data.shape(), (Shape{1, 102400}));
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 256);
  EXPECT_EQ(scan.trajectory_unit, "cycles/pixel (detected)");
  EXPECT_NE(scan.frames[0].weights, nullptr);
  expect_survives(scan);
}

TEST_F(Measured, XenonOfThreeContrasts) {
  ConvertOptions options;
  options.matrix = {32, 32, 32};
  options.trajectory_kind = "radial";
  EXPECT_THROW(convert_scan(ctx, {mri("xe_radial3d_Example_data.mat")}, options), ValueError)
      << "3 contrasts and 3 dimensions look alike";
  options.data_axes = {"contrast", "readout", "shot"};
  options.trajectory_axes = {"dim", "readout", "shot"};
  const Scan scan = convert_scan(ctx, {mri("xe_radial3d_Example_data.mat")}, options);
  ASSERT_EQ(scan.frames.size(), 3U);
  EXPECT_EQ(scan.frames[2].index.contrast, 2);
  EXPECT_EQ(scan.frames[0].data.shape(), (Shape{1, 12142}));
  EXPECT_EQ(scan.frames[0].trajectory->dim(), 3);
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 13);
  EXPECT_EQ(scan.frames[0].trajectory, scan.frames[2].trajectory);
  EXPECT_EQ(scan.trajectory_unit, "cycles/fov (detected)");
  EXPECT_LE(largest_k(scan), 10.09 / 32);
  expect_survives(scan);
}

TEST_F(Measured, FileWithoutTrajectory) {
  ConvertOptions options;
  options.matrix = {384, 384, 1};
  EXPECT_THROW(convert_scan(ctx, {mri("kspaceRadial.mat")}, options), ValueError);
}
#endif

TEST_F(Measured, FileOfAnotherWriter) {
  const Scan scan = read_scan(ctx, test::measured_data() / "ismrmrd" / "acqDataBrainSim100.h5");
  EXPECT_EQ(scan.matrix, (std::array<Index, 3>{256, 256, 1}));
  EXPECT_EQ(scan.coils, 1);
  ASSERT_EQ(scan.frames.size(), 1U);
  EXPECT_EQ(scan.frames[0].data.shape(), (Shape{1, 65536}));
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 256);
  EXPECT_EQ(scan.trajectory_unit, "cycles/pixel (detected)");
  EXPECT_EQ(largest_k(scan), 0.5);
  EXPECT_FALSE(has_note(scan, "no field of view"));  // both matrices are equal, so that nothing had to be assumed
  expect_survives(scan);
}

}  // namespace
}  // namespace whorl
