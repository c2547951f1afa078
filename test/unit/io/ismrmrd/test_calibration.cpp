// Lines flagged as calibration: samples of the image where they agree with its lines, a calibration scan where they do not.
#include <cmath>
#include <numbers>

#include "unit/io/scan_files.hpp"
#include "whorl/io/calibration.hpp"

namespace whorl {
namespace {

using std::numbers::pi;
using test::cfloat;
using test::has_note;

constexpr std::uint16_t lines = 32;
constexpr auto calibration_flag = ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION;
constexpr auto both_flag = ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION_AND_IMAGING;

class CalibrationTest : public test::FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    header.encoding[0].trajectory = ISMRMRD::TrajectoryType::CARTESIAN;
  }
  void write(const std::vector<ISMRMRD::Acquisition>& acquisitions) {
    std::filesystem::remove(folder / "scan.h5");
    test::write_by_library(folder / "scan.h5", test::to_xml(header), acquisitions);
  }
  Scan read(const ScanReadOptions& options = {}) { return read_ismrmrd(ctx, folder / "scan.h5", options); }
  Scan calibration(const ScanReadOptions& options = {}) { return read_calibration(ctx, folder / "scan.h5", options); }

  /// Line `number` of two Gaussian blobs, of which the second one has `contrast` times the signal; of two coils.
  static ISMRMRD::Acquisition line(std::uint16_t number, double contrast = 1, std::uint16_t samples = 16) {
    ISMRMRD::Acquisition acquisition(samples, 2, 0);
    acquisition.idx().kspace_encode_step_1 = number;
    acquisition.center_sample() = static_cast<std::uint16_t>(samples / 2);
    const double ky = (number - lines / 2) / static_cast<double>(lines);
    for (std::uint16_t i = 0; i < samples; ++i) {
      const double kx = (i - samples / 2) / 16.0;
      const double decay = std::exp(-4 * pi * pi * (kx * kx + ky * ky));
      acquisition.data(i, 0) =
          cfloat(decay * (std::polar(1.0, 4 * pi * ky) + contrast * std::polar(1.0, -8 * pi * ky)));
      acquisition.data(i, 1) = cfloat(0, 2) * acquisition.data(i, 0);
    }
    return acquisition;
  }
  static ISMRMRD::Acquisition flagged(std::uint64_t flag, ISMRMRD::Acquisition acquisition) {
    acquisition.setFlag(flag);
    return acquisition;
  }
  /// Every second line.
  static std::vector<ISMRMRD::Acquisition> image(std::uint16_t repetition = 0) {
    std::vector<ISMRMRD::Acquisition> all;
    for (std::uint16_t number = 0; number < lines; number += 2) {
      all.push_back(line(number));
      all.back().idx().repetition = repetition;
    }
    return all;
  }
  /// Every second line, and at the center those between them.
  static std::vector<ISMRMRD::Acquisition> integrated() {
    std::vector<ISMRMRD::Acquisition> all;
    for (std::uint16_t number = 0; number < lines; ++number) {
      const bool center = number >= 10 && number < 22;
      if (number % 2 == 0) all.push_back(center ? flagged(both_flag, line(number)) : line(number));
      if (number % 2 == 1 && center) all.push_back(flagged(calibration_flag, line(number)));
    }
    return all;
  }
  /// The twelve lines of the center of another measurement, before the image.
  static std::vector<ISMRMRD::Acquisition> separate(double contrast, std::uint16_t first_step = 10,
                                                    std::uint16_t samples = 16) {
    std::vector<ISMRMRD::Acquisition> all;
    for (std::uint16_t number = 10; number < 22; ++number) {
      all.push_back(flagged(calibration_flag, line(number, contrast, samples)));
      all.back().idx().kspace_encode_step_1 = static_cast<std::uint16_t>(number - 10 + first_step);
    }
    for (ISMRMRD::Acquisition& one : image()) all.push_back(one);
    return all;
  }
  static double k(const Scan& scan, Index sample, Index axis) {
    return scan.frames[0].trajectory->points.view<2>()(sample, axis);
  }

  ISMRMRD::IsmrmrdHeader header = test::small_header(16, lines);
};

TEST_F(CalibrationTest, LinesBetweenThoseOfTheImageAreSamples) {
  write(integrated());
  const Scan scan = read();
  ASSERT_EQ(scan.frames.size(), 1U);
  EXPECT_EQ(scan.frames[0].data.shape(), (Shape{2, 22 * 16}));
  EXPECT_DOUBLE_EQ(k(scan, 6 * 16, 1), -5.0 / lines);  // line 11, in the order of the file
  EXPECT_EQ(scan.frames[0].data.view<2>()(0, 6 * 16 + 8), line(11).data(8, 0));
  EXPECT_TRUE(has_note(scan, "6 lines flagged as calibration agree with the lines of the image"));
  EXPECT_TRUE(calibration().frames.empty());
  ScanReadOptions options;
  options.drop_flags = {"calibration"};
  EXPECT_EQ(read(options).frames[0].data.shape(), (Shape{2, 16 * 16}));
  EXPECT_TRUE(has_note(read(options), "6 acquisitions flagged as calibration were left out"));
}

TEST_F(CalibrationTest, LinesOfTheSameMeasurementAreSamples) {
  write(separate(1));
  EXPECT_EQ(read().frames[0].data.shape(), (Shape{2, 28 * 16}));
}

TEST_F(CalibrationTest, LinesOfAnotherContrastAreACalibrationScan) {
  write(separate(-0.5));
  const Scan scan = read();
  EXPECT_EQ(scan.frames[0].data.shape(), (Shape{2, 16 * 16}));
  EXPECT_TRUE(
      has_note(scan, "12 lines flagged as calibration are no samples of the image (they differ from its lines"));
  const Scan beside = calibration();
  ASSERT_EQ(beside.frames.size(), 1U);
  EXPECT_EQ(beside.matrix, scan.matrix);
  EXPECT_EQ(beside.frames[0].data.shape(), (Shape{2, 12 * 16}));
  EXPECT_DOUBLE_EQ(k(beside, 0, 1), -6.0 / lines);
  EXPECT_EQ(beside.frames[0].data.view<2>()(1, 3), line(10, -0.5).data(3, 1));
}

// Without the lines of the center there would be no image.
TEST_F(CalibrationTest, LinesThatTheImageLacksAreSamples) {
  std::vector<ISMRMRD::Acquisition> all = integrated();
  for (ISMRMRD::Acquisition& one : all) {
    if (!one.isFlagSet(both_flag)) continue;
    one.clearFlag(both_flag);
    one.setFlag(calibration_flag);
  }
  write(all);
  EXPECT_EQ(read().frames[0].data.shape(), (Shape{2, 22 * 16}));
  EXPECT_TRUE(has_note(read(), "12 lines flagged as calibration agree"));
}

// Scale, counters of their own, and shorter readouts
TEST_F(CalibrationTest, ACalibrationScanHasItsOwnScaleCountersAndLengths) {
  std::vector<ISMRMRD::Acquisition> louder = separate(1);
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::uint16_t sample = 0; sample < 16; ++sample) louder[i].data(sample, 0) *= 3;
  }
  write(louder);
  EXPECT_EQ(calibration().frames.size(), 1U);
  write(separate(-0.5, 0));
  EXPECT_NEAR(k(calibration(), 0, 1), -6.0 / lines, 2.0 / lines);  // the line of most energy is its center
  write(separate(-0.5, 10, 8));
  EXPECT_DOUBLE_EQ(k(calibration(), 0, 0), -4.0 / 16);
  std::vector<ISMRMRD::Acquisition> other = separate(1);
  for (std::size_t i = 0; i < 12; ++i) other[i].idx().contrast = 1;
  write(other);
  EXPECT_EQ(read().frames.size(), 1U);
  EXPECT_TRUE(has_note(read(), "no readout of an image shares their counters"));
  EXPECT_EQ(calibration().frames.size(), 1U);
  // Far more signal than the lines beside them
  std::vector<ISMRMRD::Acquisition> scaled = integrated();
  for (ISMRMRD::Acquisition& one : scaled) {
    if (!one.isFlagSet(calibration_flag)) continue;
    for (std::uint16_t sample = 0; sample < 16; ++sample) one.data(sample, 0) *= 10;
    for (std::uint16_t sample = 0; sample < 16; ++sample) one.data(sample, 1) *= 10;
  }
  write(scaled);
  EXPECT_EQ(read().frames[0].data.shape(), (Shape{2, 16 * 16}));
  EXPECT_TRUE(has_note(read(), "times the energy of its lines beside them"));
}

TEST_F(CalibrationTest, FramesWithoutCalibrationLinesHaveThoseOfAnother) {
  std::vector<ISMRMRD::Acquisition> all = integrated();
  for (ISMRMRD::Acquisition& one : image(1)) all.push_back(one);
  write(all);
  const Scan scan = read();
  ASSERT_EQ(scan.frames.size(), 2U);
  EXPECT_EQ(scan.frames[1].data.shape(), (Shape{2, 16 * 16}));
  const Scan center = calibration();
  ASSERT_EQ(center.frames.size(), 1U);
  EXPECT_EQ(center.frames[0].data.shape(), (Shape{2, 11 * 16}));  // lines 11 to 21
  EXPECT_DOUBLE_EQ(k(center, 0, 1), -5.0 / lines);
}

TEST_F(CalibrationTest, EachSliceHasItsOwn) {
  std::vector<ISMRMRD::Acquisition> all;
  for (std::uint16_t slice = 0; slice < 3; ++slice) {
    for (ISMRMRD::Acquisition& one : separate(-0.5)) {
      one.idx().slice = slice;
      if (slice < 2 || !one.isFlagSet(calibration_flag)) all.push_back(one);
    }
  }
  write(all);
  const Scan beside = calibration();
  ASSERT_EQ(beside.frames.size(), 2U);
  EXPECT_EQ(beside.frames[1].index.slice, 1);
}

TEST_F(CalibrationTest, LinesWithPositionsAreLeftOut) {
  std::vector<ISMRMRD::Acquisition> all{test::readout(16, 2, 0), test::readout(16, 2, 0.25F)};
  all[1].setFlag(calibration_flag);
  write(all);
  EXPECT_TRUE(has_note(read(), "1 acquisition flagged as calibration was left out"));
  EXPECT_TRUE(calibration().frames.empty());
}

}  // namespace
}  // namespace whorl
