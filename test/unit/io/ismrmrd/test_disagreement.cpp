// Headers that contradict the data or themselves, and centers of k-space that they leave open: the data tell.
#include <cmath>
#include <numbers>

#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"
#include "whorl/scan/header_notes.hpp"

namespace whorl {
namespace {

using std::numbers::pi;
using test::cfloat;
using test::has_note;
using test::readout;

/// Two Gaussian blobs, in pixels: exact k-space.
cfloat object_at(double kx, double ky, double x) {
  const auto blob = [&](double x0, double y0, double width) {
    return std::exp(-2 * pi * pi * width * width * (kx * kx + ky * ky)) *
           std::polar(1.0, -2 * pi * (kx * x0 + ky * y0));
  };
  return cfloat(blob(x, 1, 0.8) + blob(-x / 2, -2, 1.1));
}

class DisagreementTest : public test::FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    header.encoding[0].trajectory = ISMRMRD::TrajectoryType::CARTESIAN;
  }
  Scan read(const std::vector<ISMRMRD::Acquisition>& acquisitions, const ScanReadOptions& options = {}) {
    std::filesystem::remove(folder / "scan.h5");
    test::write_by_library(folder / "scan.h5", test::to_xml(header), acquisitions);
    return read_ismrmrd(ctx, folder / "scan.h5", options);
  }
  /// A line of an object that reaches to x = `reach` pixels, sampled at steps of `step` cycles per pixel from -center on.
  static ISMRMRD::Acquisition line(std::uint16_t samples, std::uint16_t number, std::uint16_t center, double step,
                                   double reach) {
    ISMRMRD::Acquisition acquisition(samples, 2, 0);
    acquisition.idx().kspace_encode_step_1 = number;
    acquisition.center_sample() = center;
    for (std::uint16_t i = 0; i < samples; ++i) {
      acquisition.data(i, 0) = object_at((i - center) * step, (number - 6) / 12.0, reach);
      acquisition.data(i, 1) = cfloat(0, 2) * acquisition.data(i, 0);
    }
    return acquisition;
  }
  static std::vector<ISMRMRD::Acquisition> lines(std::uint16_t samples, double step, double reach) {
    std::vector<ISMRMRD::Acquisition> all;
    for (std::uint16_t number = 0; number < 12; ++number) {
      all.push_back(line(samples, number, static_cast<std::uint16_t>(samples / 2), step, reach));
    }
    return all;
  }
  static double k(const Scan& scan, Index sample, Index axis, std::size_t frame = 0) {
    return scan.frames[frame].trajectory->points.view<2>()(sample, axis);
  }

  ISMRMRD::IsmrmrdHeader header = test::small_header(16, 12);
};

using Matrix = std::array<Index, 3>;
using Lengths = std::array<double, 3>;

TEST_F(DisagreementTest, ReadoutsLongerThanTheMatrixAreOversampled) {
  const Scan scan = read(lines(32, 1.0 / 32, 4));
  EXPECT_EQ(scan.matrix, (Matrix{16, 12, 1}));
  EXPECT_EQ(scan.frames[0].geometry.field_of_view_mm, (Lengths{32, 24, 2}));
  EXPECT_DOUBLE_EQ(k(scan, 0, 0), -0.5);
  EXPECT_DOUBLE_EQ(k(scan, 17, 0), 1.0 / 32);
  EXPECT_TRUE(has_note(scan, "span 32 samples, the encoded matrix 16"));
  // The field of view of the oversampled readout beside the matrix of the image
  header.encoding[0].encodedSpace.fieldOfView_mm.x = 64;
  const Scan other = read(lines(32, 1.0 / 32, 4));
  EXPECT_EQ(other.matrix, (Matrix{16, 12, 1}));
  EXPECT_DOUBLE_EQ(k(other, 17, 0), 1.0 / 32);
}

TEST_F(DisagreementTest, ReadoutsLongerThanTheMatrixOfAnObjectThatFillsTheFieldAreFiner) {
  const Scan scan = read(lines(32, 1.0 / 16, 6.5));
  EXPECT_EQ(scan.matrix, (Matrix{32, 12, 1}));
  EXPECT_EQ(scan.frames[0].geometry.field_of_view_mm, (Lengths{32, 24, 2}));
  EXPECT_DOUBLE_EQ(k(scan, 17, 0), 1.0 / 32);
  EXPECT_TRUE(has_note(scan, "the pixels are finer"));
}

TEST_F(DisagreementTest, MoreLinesThanTheMatrixAreOversampledOrFiner) {
  header = test::small_header(16, 8);
  header.encoding[0].trajectory = ISMRMRD::TrajectoryType::CARTESIAN;
  const auto scan_of = [&](double step) {
    std::vector<ISMRMRD::Acquisition> all;
    for (std::uint16_t number = 0; number < 16; ++number) {
      all.push_back(line(16, number, 8, 1.0 / 16, 3));
      for (std::uint16_t i = 0; i < 16; ++i) {
        all.back().data(i, 0) = all.back().data(i, 1) = object_at((i - 8) / 16.0, (number - 8) * step, 3);
      }
    }
    return read(all);
  };
  const Scan oversampled = scan_of(1.0 / 16);
  EXPECT_EQ(oversampled.matrix, (Matrix{16, 8, 1}));
  EXPECT_DOUBLE_EQ(k(oversampled, 0, 1), -0.5);
  EXPECT_DOUBLE_EQ(k(oversampled, 16, 1), -7.0 / 16);
  EXPECT_TRUE(has_note(oversampled, "the lines span 16 samples, the encoded matrix 8"));
  const Scan finer = scan_of(1.0 / 8);
  EXPECT_EQ(finer.matrix, (Matrix{16, 16, 1}));
  EXPECT_EQ(finer.frames[0].geometry.field_of_view_mm[1], 16);
}

TEST_F(DisagreementTest, PartitionsAreAsManyAsTheirCounterSays) {
  header = test::small_header(16, 12, 4);
  const auto scan_of = [&](std::uint16_t partitions) {
    std::vector<ISMRMRD::Acquisition> all;
    for (std::uint16_t partition = 0; partition < partitions; ++partition) {
      all.push_back(readout(16, 1, 0.25F));
      all.back().idx().kspace_encode_step_2 = partition;
      const double kz = (partition - partitions / 2) / static_cast<double>(partitions);
      for (std::uint16_t i = 0; i < 16; ++i) all.back().data(i, 0) *= static_cast<float>(std::exp(-12 * kz * kz));
    }
    return read(all);
  };
  const Scan oversampled = scan_of(8);
  EXPECT_EQ(oversampled.matrix, (Matrix{16, 12, 4}));
  EXPECT_DOUBLE_EQ(k(oversampled, 16, 2), -3.0 / 8);
  EXPECT_TRUE(has_note(oversampled, "the partitions span 8 samples, the encoded matrix 4"));
  // The image alone says that there are any.
  header.encoding[0].encodedSpace.matrixSize.z = 1;
  const Scan scan = scan_of(4);
  EXPECT_EQ(scan.matrix, (Matrix{16, 12, 4}));
  EXPECT_DOUBLE_EQ(k(scan, 0, 2), -0.5);
  EXPECT_TRUE(has_note(scan, "the scan is 3D"));
}

TEST_F(DisagreementTest, PartialEchoesAreNoLongerThanTheMatrix) {
  const Scan scan = read({line(12, 6, 4, 1.0 / 16, 3)});
  EXPECT_DOUBLE_EQ(k(scan, 0, 0), -4.0 / 16);
  EXPECT_FALSE(has_note(scan, "span"));
}

TEST_F(DisagreementTest, PartitionsThatNothingEncodesAreNone) {
  header = test::small_header(16, 12, 2);
  header.encoding[0].reconSpace.matrixSize.z = 1;
  header.encoding[0].reconSpace.fieldOfView_mm.z = 8;
  for (const std::vector<float>& rest : {std::vector<float>{}, {0}, {0, 0.5F}}) {
    const Scan scan = read({readout(16, 1, 0.25F, rest)});
    EXPECT_TRUE(has_note(scan, std::string(header_disagrees)));
    EXPECT_EQ(scan.matrix, (Matrix{16, 12, 1}));
    EXPECT_EQ(scan.frames[0].trajectory->dim(), 2);
    EXPECT_EQ(scan.frames[0].geometry.field_of_view_mm[2], 8);
    EXPECT_TRUE(has_note(scan, "the scan is 2D"));
  }
  ScanReadOptions options;
  options.trajectory_unit = TrajectoryUnit::cycles_per_pixel;
  EXPECT_EQ(read({readout(16, 1, 0.25F, {0.25F})}, options).matrix[2], 2);
  ISMRMRD::Acquisition second = readout(16, 1, 0.25F);
  second.idx().kspace_encode_step_2 = 1;
  EXPECT_EQ(read({readout(16, 1, 0.25F), second}).matrix[2], 2);
  // One partition, whatever its number, and whatever the image's matrix says
  EXPECT_EQ(read({second}).matrix[2], 1);
  header.encoding[0].reconSpace.matrixSize.z = 2;
  EXPECT_EQ(read({second, second}).matrix[2], 1);
}

TEST_F(DisagreementTest, AFieldOfViewInMetersIsRead) {
  for (auto* space : {&header.encoding[0].encodedSpace, &header.encoding[0].reconSpace}) {
    space->fieldOfView_mm = {0.032F, 0.024F, 0.005F};
  }
  Scan scan = read(lines(16, 1.0 / 16, 4));
  for (const auto& [axis, length] : {std::pair{0, 32.0}, {1, 24.0}, {2, 5.0}}) {
    // The header's numbers are float.
    EXPECT_NEAR(scan.frames[0].geometry.field_of_view_mm[static_cast<std::size_t>(axis)], length, 1e-6 * length);
  }
  EXPECT_TRUE(has_note(scan, "taken as meters"));
  // In one of both
  header.encoding[0].encodedSpace.fieldOfView_mm = {32, 24, 5};
  scan = read(lines(16, 1.0 / 16, 4));
  EXPECT_NEAR(scan.frames[0].geometry.field_of_view_mm[0], 32, 1e-4);
  EXPECT_DOUBLE_EQ(k(scan, 0, 0), -0.5);
  // Microscopy: pixels of 20 um and 0.1 T/m
  header = test::small_header(16, 12, 1, 0.02F);
  ISMRMRD::Acquisition slow = readout(16, 1, 0.25F);
  slow.sample_time_us() = 100;
  EXPECT_FALSE(has_note(read({slow}), "meters"));
}

// Both matrices have the number of spokes along y, with and without oversampling along x.
TEST_F(DisagreementTest, TheNumberOfSpokesIsNoNumberOfPixels) {
  for (const int oversampling : {1, 2}) {
    header = test::small_header(16, 5);
    header.encoding[0].trajectory = ISMRMRD::TrajectoryType::RADIAL;
    auto& encoded = header.encoding[0].encodedSpace;
    auto& recon = header.encoding[0].reconSpace;
    recon.fieldOfView_mm = {32, 32, 5};
    encoded.matrixSize.x = static_cast<std::uint16_t>(16 * oversampling);
    encoded.fieldOfView_mm = {32.0F * static_cast<float>(oversampling), 32, 5};
    std::vector<ISMRMRD::Acquisition> spokes;
    for (std::uint16_t spoke = 0; spoke < 5; ++spoke) {
      const double angle = pi * spoke / 5;
      ISMRMRD::Acquisition acquisition = readout(static_cast<std::uint16_t>(16 * oversampling), 1, 0);
      acquisition.idx().kspace_encode_step_1 = spoke;
      for (std::uint16_t i = 0; i < acquisition.number_of_samples(); ++i) {
        const double radius = (i - 8.0 * oversampling) / oversampling;  // cycles per field of view
        acquisition.traj(0, i) = static_cast<float>(radius * std::cos(angle));
        acquisition.traj(1, i) = static_cast<float>(radius * std::sin(angle));
      }
      spokes.push_back(acquisition);
    }
    ScanReadOptions options;
    options.trajectory_unit = TrajectoryUnit::cycles_per_fov;
    const Scan scan = read(spokes, options);
    EXPECT_EQ(scan.matrix, (Matrix{16, 16, 1})) << oversampling;
    EXPECT_TRUE(has_note(scan, "5 pixels along y, the number of readouts"));
    // As many readouts as pixels, over a field of view that is not square: the header is right.
    recon.fieldOfView_mm.y = encoded.fieldOfView_mm.y = 10;
    for (ISMRMRD::Acquisition& spoke : spokes) {
      for (std::uint16_t i = 0; i < spoke.number_of_samples(); ++i) spoke.traj(1, i) /= 4;
    }
    EXPECT_EQ(read(spokes, options).matrix, (Matrix{16, 5, 1})) << oversampling;
  }
}

TEST_F(DisagreementTest, OversamplingThatOneSpaceAloneKnowsOf) {
  auto& encoded = header.encoding[0].encodedSpace;
  encoded.matrixSize.x = 32;
  // The field of view of the encoding is that of the image.
  Scan scan = read(lines(32, 1.0 / 32, 4));
  EXPECT_EQ(scan.matrix, (Matrix{16, 12, 1}));
  EXPECT_EQ(scan.frames[0].geometry.field_of_view_mm, (Lengths{32, 24, 2}));
  EXPECT_DOUBLE_EQ(k(scan, 17, 0), 1.0 / 32);
  EXPECT_TRUE(has_note(scan, "the encoding is oversampled"));
  // The field of view of the image is that of the encoding.
  encoded.fieldOfView_mm.x = 64;
  header.encoding[0].reconSpace.fieldOfView_mm.x = 64;
  scan = read(lines(32, 1.0 / 32, 4));
  EXPECT_EQ(scan.matrix, (Matrix{16, 12, 1}));
  EXPECT_EQ(scan.frames[0].geometry.field_of_view_mm, (Lengths{32, 24, 2}));
  EXPECT_DOUBLE_EQ(k(scan, 17, 0), 1.0 / 32);
  // The matrix of the image is that of the encoding.
  header.encoding[0].reconSpace.matrixSize.x = 32;
  header.encoding[0].reconSpace.fieldOfView_mm.x = 32;
  scan = read(lines(32, 1.0 / 32, 4));
  EXPECT_EQ(scan.matrix, (Matrix{16, 12, 1}));
  EXPECT_DOUBLE_EQ(k(scan, 17, 0), 1.0 / 32);
}

TEST_F(DisagreementTest, AnImageThatIsTooCoarseForTheObjectIsMadeFiner) {
  header.encoding[0].encodedSpace.matrixSize.x = 32;
  const Scan scan = read(lines(32, 1.0 / 16, 6.5));
  EXPECT_EQ(scan.matrix, (Matrix{32, 12, 1}));
  EXPECT_TRUE(has_note(scan, "its matrix became 32 in place of 16"));
}

TEST_F(DisagreementTest, AMatrixThatIsTooFineAlongOneAxisIsThatOfTheEncoding) {
  header.encoding[0].reconSpace.matrixSize.y = 24;
  Scan scan = read({readout(16, 1, 0.25F)});
  EXPECT_EQ(scan.matrix, (Matrix{16, 12, 1}));
  EXPECT_DOUBLE_EQ(k(scan, 0, 1), 0.25);
  EXPECT_TRUE(has_note(scan, "it became 12"));
  // Along both it is interpolation.
  header.encoding[0].reconSpace.matrixSize.x = 32;
  scan = read({readout(16, 1, 0.25F)});
  EXPECT_EQ(scan.matrix, (Matrix{32, 24, 1}));
  EXPECT_DOUBLE_EQ(k(scan, 0, 1), 0.125);
}

// The header has the oversampling along x, the positions are cycles over the field of view of the image.
TEST_F(DisagreementTest, SpokesReachEquallyFarAlongBothAxes) {
  header = test::small_header(16, 16);
  header.encoding[0].trajectory = ISMRMRD::TrajectoryType::RADIAL;
  auto& encoded = header.encoding[0].encodedSpace;
  encoded.matrixSize.x = 32;
  encoded.fieldOfView_mm = {64, 32, 5};
  header.encoding[0].reconSpace.fieldOfView_mm = {32, 32, 5};
  std::vector<ISMRMRD::Acquisition> spokes;
  for (const double angle : {0.0, pi / 2}) {
    ISMRMRD::Acquisition acquisition = readout(32, 1, 0);
    for (std::uint16_t i = 0; i < 32; ++i) {
      acquisition.traj(0, i) = static_cast<float>((i - 16) / 2.0 * std::cos(angle));
      acquisition.traj(1, i) = static_cast<float>((i - 16) / 2.0 * std::sin(angle));
    }
    spokes.push_back(acquisition);
  }
  Scan scan = read(spokes);
  EXPECT_EQ(scan.matrix, (Matrix{16, 16, 1}));
  EXPECT_NEAR(k(scan, 0, 0), -0.5, 1e-6);  // the positions are float
  EXPECT_NEAR(k(scan, 32, 1), -0.5, 1e-6);
  EXPECT_TRUE(has_note(scan, "32 mm were taken for both"));
  // Over the field of view of each axis they reach twice as far along x.
  for (std::uint16_t i = 0; i < 32; ++i) spokes[0].traj(0, i) *= 2;
  scan = read(spokes);
  EXPECT_NEAR(k(scan, 0, 0), -0.5, 1e-6);
  EXPECT_FALSE(has_note(scan, "for both"));
}

TEST_F(DisagreementTest, TheNumberOfSpokesIsNoMatrix) {
  header = test::small_header(16, 16);
  for (const std::uint16_t spokes : {7, 41}) {
    header.encoding[0].encodedSpace.matrixSize.y = spokes;
    const Scan scan = read({readout(16, 1, 0.25F)});
    EXPECT_EQ(scan.matrix, (Matrix{16, 16, 1}));
    EXPECT_DOUBLE_EQ(k(scan, 0, 1), 0.25) << spokes;
    EXPECT_TRUE(has_note(scan, "taken as square"));
  }
}

/// Three echoes of every line, the second one read backward. `as_stored`: its center sample counts from its own start.
std::vector<ISMRMRD::Acquisition> bipolar(bool as_stored) {
  std::vector<ISMRMRD::Acquisition> all;
  for (std::uint16_t number = 0; number < 12; ++number) {
    for (std::uint16_t echo = 0; echo < 3; ++echo) {
      ISMRMRD::Acquisition acquisition(11, 1, 0);  // of 16: k from -3 to 7, in steps of 1/16
      acquisition.idx().kspace_encode_step_1 = number;
      acquisition.idx().contrast = echo;
      acquisition.center_sample() = echo == 1 && as_stored ? 7 : 3;
      if (echo == 1) acquisition.setFlag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
      for (std::uint16_t i = 0; i < 11; ++i) {
        acquisition.data(static_cast<std::uint16_t>(echo == 1 ? 10 - i : i), 0) =
            object_at((i - 3) / 16.0, (number - 6) / 12.0, 3);
      }
      all.push_back(acquisition);
    }
  }
  return all;
}

TEST_F(DisagreementTest, ReversedPartialEchoesHaveTheirCenterWhereTheEchoIs) {
  for (const bool as_stored : {false, true}) {
    const Scan scan = read(bipolar(as_stored));
    ASSERT_EQ(scan.frames.size(), 3U);
    for (Index i = 0; i < 11; ++i) {
      EXPECT_DOUBLE_EQ(k(scan, i, 0, 0), static_cast<double>(i - 3) / 16) << as_stored;
      EXPECT_DOUBLE_EQ(k(scan, i, 0, 1), static_cast<double>(7 - i) / 16) << as_stored;
      EXPECT_DOUBLE_EQ(k(scan, i, 0, 2), static_cast<double>(i - 3) / 16) << as_stored;
    }
    EXPECT_TRUE(has_note(scan, as_stored ? "in the order of the file" : "as in forward readouts"));
  }
}

TEST_F(DisagreementTest, APartialEchoWithoutCenterSampleIsCenteredAtItsEcho) {
  for (const std::uint16_t center : {2, 8, 5}) {  // the end aligned, the start aligned, the middle
    std::vector<ISMRMRD::Acquisition> all;
    for (std::uint16_t number = 0; number < 12; ++number) {
      all.push_back(line(10, number, center, 1.0 / 16, 3));
      all.back().center_sample() = 0;
    }
    EXPECT_DOUBLE_EQ(k(read(all), center, 0), 0) << center;
  }
}

TEST_F(DisagreementTest, PartialFourierWithoutLimitsIsCenteredAtTheLineOfMostEnergy) {
  // Lines -2 to 5 of -6 to 5: the counter begins with the first line that was taken.
  std::vector<ISMRMRD::Acquisition> all;
  for (std::uint16_t number = 4; number < 12; ++number) {
    all.push_back(line(16, number, 8, 1.0 / 16, 3));
    all.back().idx().kspace_encode_step_1 = static_cast<std::uint16_t>(number - 4);
  }
  Scan scan = read(all);
  EXPECT_DOUBLE_EQ(k(scan, 0, 1), -2.0 / 12);
  EXPECT_TRUE(has_note(scan, "kspace_encode_step_1 = 2"));
  // A center that does not fit the matrix
  header.encoding[0].encodingLimits.kspace_encoding_step_1 = ISMRMRD::Limit(0, 7, 0);
  scan = read(all);
  EXPECT_DOUBLE_EQ(k(scan, 0, 1), -2.0 / 12);
  EXPECT_TRUE(has_note(scan, "step_1 = 0 is said"));
}

TEST_F(DisagreementTest, ReadoutsOfOneImageInSeveralPlacesAreTold) {
  std::vector<ISMRMRD::Acquisition> all = lines(16, 1.0 / 16, 3);
  EXPECT_FALSE(has_note(read(all), "mm apart"));
  all[1].position()[2] = 0.5F;  // as a motion correction has it
  EXPECT_FALSE(has_note(read(all), "mm apart"));
  all[2].position()[2] = 6;
  EXPECT_TRUE(has_note(read(all), "lie up to 6 mm apart"));
  all[2].idx().slice = 1;
  EXPECT_FALSE(has_note(read(all), "mm apart"));
}

}  // namespace
}  // namespace whorl
