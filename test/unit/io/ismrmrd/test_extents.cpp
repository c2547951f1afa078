// Lines that were left out, and counters of slices: what the encoded matrix is then.
#include <cmath>
#include <numbers>

#include "unit/io/scan_files.hpp"

namespace whorl {
namespace {

using std::numbers::pi;
using test::cfloat;
using test::has_note;
using Matrix = std::array<Index, 3>;

class ExtentsTest : public test::FolderTest {
 protected:
  Scan read(const std::vector<ISMRMRD::Acquisition>& acquisitions) {
    std::filesystem::remove(folder / "scan.h5");
    test::write_by_library(folder / "scan.h5", test::to_xml(header), acquisitions);
    return read_ismrmrd(ctx, folder / "scan.h5", {});
  }
  /// Line `number` of 32 about 16, in steps of `step` cycles per pixel, of a Gaussian blob two pixels beside the center.
  static ISMRMRD::Acquisition line(std::uint16_t number, double step) {
    ISMRMRD::Acquisition acquisition(16, 2, 0);
    acquisition.idx().kspace_encode_step_1 = number;
    acquisition.center_sample() = 8;
    const double ky = (number - 16) * step;
    for (std::uint16_t i = 0; i < 16; ++i) {
      const double kx = (i - 8) / 16.0;
      acquisition.data(i, 0) = cfloat(std::exp(-2 * pi * pi * (kx * kx + ky * ky)) * std::polar(1.0, 4 * pi * ky));
      acquisition.data(i, 1) = cfloat(0, 2) * acquisition.data(i, 0);
    }
    return acquisition;
  }
  /// Every second line, and all lines from `first` to `last`.
  static std::vector<ISMRMRD::Acquisition> accelerated(double step, int first, int last) {
    std::vector<ISMRMRD::Acquisition> all;
    for (std::uint16_t number = 0; number < 32; ++number) {
      if (number % 2 == 0 || (number >= first && number <= last)) all.push_back(line(number, step));
    }
    return all;
  }
  static double ky(const Scan& scan, Index sample) { return scan.frames[0].trajectory->points.view<2>()(sample, 1); }

  ISMRMRD::IsmrmrdHeader header = test::small_header(16, 16);
};

// A transform of every second line has the object twice, at half the field of view from each other.
TEST_F(ExtentsTest, EverySecondLineDoesNotMakeThePixelsFiner) {
  header.encoding[0].trajectory = ISMRMRD::TrajectoryType::CARTESIAN;
  for (const bool stated : {false, true}) {
    if (stated) header.encoding[0].encodingLimits.kspace_encoding_step_1 = ISMRMRD::Limit(0, 31, 16);
    const Scan scan = read(accelerated(1.0 / 32, 0, -1));
    EXPECT_EQ(scan.matrix, (Matrix{16, 16, 1}));
    EXPECT_DOUBLE_EQ(ky(scan, 0), -0.5);
    EXPECT_DOUBLE_EQ(ky(scan, 16), -14.0 / 32);
    EXPECT_TRUE(has_note(scan, "the lines span 32 samples, the encoded matrix 16; they were taken as oversampled"));
  }
}

TEST_F(ExtentsTest, LinesSideBySideShowTheExtentOfTheObject) {
  header.encoding[0].trajectory = ISMRMRD::TrajectoryType::CARTESIAN;
  const Scan oversampled = read(accelerated(1.0 / 32, 8, 24));
  EXPECT_EQ(oversampled.matrix, (Matrix{16, 16, 1}));
  EXPECT_TRUE(has_note(oversampled, "the object lies within the inner part"));
  // The lines encode 8 pixels, and the blob is 2 from the center.
  const Scan finer = read(accelerated(1.0 / 8, 8, 24));
  EXPECT_EQ(finer.matrix, (Matrix{16, 32, 1}));
  EXPECT_TRUE(has_note(finer, "the pixels are finer"));
}

TEST_F(ExtentsTest, SlicesThatTheCounterOfPartitionsCountsAreNoPartitions) {
  header.encoding[0].reconSpace.matrixSize.z = 3;
  std::vector<ISMRMRD::Acquisition> all;
  for (std::uint16_t slice = 0; slice < 3; ++slice) {
    all.push_back(test::readout(16, 1, 0.25F));
    all.back().idx().slice = all.back().idx().kspace_encode_step_2 = slice;
  }
  const Scan slices = read(all);
  EXPECT_EQ(slices.matrix, (Matrix{16, 16, 1}));
  EXPECT_EQ(slices.frames.size(), 3U);
  EXPECT_TRUE(has_note(slices, "each slice is its own image"));
  for (ISMRMRD::Acquisition& acquisition : all) acquisition.idx().slice = 0;
  EXPECT_EQ(read(all).matrix, (Matrix{16, 16, 3}));
}

}  // namespace
}  // namespace whorl
