// Counters and center samples that are not what they are called: what the data show, and what is asked.
#include <cmath>
#include <numbers>

#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using std::numbers::pi;
using test::cfloat;
using test::has_note;
using test::message_of;
using ::testing::HasSubstr;
using Matrix = std::array<Index, 3>;

class CountersTest : public test::FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    header.encoding[0].trajectory = ISMRMRD::TrajectoryType::CARTESIAN;
  }
  Scan read(const std::vector<ISMRMRD::Acquisition>& acquisitions) {
    std::filesystem::remove(folder / "scan.h5");
    test::write_by_library(folder / "scan.h5", test::to_xml(header), acquisitions);
    return read_ismrmrd(ctx, folder / "scan.h5", {});
  }
  void set_partitions(std::uint16_t encoded, std::uint16_t image) {
    header = test::small_header(16, 12, encoded);
    header.encoding[0].trajectory = ISMRMRD::TrajectoryType::CARTESIAN;
    header.encoding[0].reconSpace.matrixSize.z = image;
  }
  /// A line of a Gaussian blob at x = 2, y = 1 whose samples are at kx = (i - center) / 16; played backward if `backward`.
  static ISMRMRD::Acquisition line(std::uint16_t samples, std::uint16_t number, double center, bool backward = false) {
    ISMRMRD::Acquisition acquisition(samples, 1, 0);
    acquisition.idx().kspace_encode_step_1 = number;
    acquisition.center_sample() = static_cast<std::uint16_t>(center);
    if (backward) acquisition.setFlag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
    for (std::uint16_t i = 0; i < samples; ++i) {
      const double kx = (i - center) / 16;
      const double ky = (number - 6) / 12.0;
      acquisition.data(static_cast<std::uint16_t>(backward ? samples - 1 - i : i), 0) =
          cfloat(std::exp(-2 * pi * pi * 1.44 * (kx * kx + ky * ky)) * std::polar(1.0, -2 * pi * (2 * kx + ky)));
    }
    return acquisition;
  }
  static std::vector<ISMRMRD::Acquisition> lines(std::uint16_t samples, double center) {
    std::vector<ISMRMRD::Acquisition> all;
    for (std::uint16_t number = 0; number < 12; ++number) all.push_back(line(samples, number, center));
    return all;
  }
  /// Partitions of a blob that is `width` pixels wide along z.
  static std::vector<ISMRMRD::Acquisition> partitions(std::uint16_t count, double width) {
    std::vector<ISMRMRD::Acquisition> all;
    for (std::uint16_t partition = 0; partition < count; ++partition) {
      const double kz = (partition - count / 2) / static_cast<double>(count);
      for (ISMRMRD::Acquisition& one : lines(16, 8)) {
        one.idx().kspace_encode_step_2 = partition;
        for (std::uint16_t i = 0; i < 16; ++i) {
          one.data(i, 0) *= cfloat(std::exp(-2 * pi * pi * width * width * kz * kz) * std::polar(1.0, 4 * pi * kz));
        }
        all.push_back(one);
      }
    }
    return all;
  }
  static double k(const Scan& scan, Index sample, Index axis) {
    return scan.frames[0].trajectory->points.view<2>()(sample, axis);
  }

  ISMRMRD::IsmrmrdHeader header = test::small_header(16, 12);
};

// EPI: the center sample of reversed lines counts as stored, or as played.
TEST_F(CountersTest, ReversedLinesHaveTheirCenterWhereThatOfForwardOnesIs) {
  for (const int stated : {7, 8, 0}) {
    std::vector<ISMRMRD::Acquisition> all = lines(16, 8);
    for (std::uint16_t number = 1; number < 12; number += 2) all[number] = line(16, number, 8, true);
    for (ISMRMRD::Acquisition& one : all) {
      if (one.isFlagSet(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE)) one.center_sample() = static_cast<std::uint16_t>(stated);
      if (stated == 0) one.center_sample() = 0;
    }
    const Scan scan = read(all);
    EXPECT_DOUBLE_EQ(k(scan, 0, 0), -0.5) << stated;
    EXPECT_DOUBLE_EQ(k(scan, 16, 0), 7.0 / 16) << stated;
    EXPECT_TRUE(has_note(scan, stated == 7 ? "in the order of the file" : "as in forward readouts"));
  }
  // From 8 to -7 in place of 7 to -8: the echo is a sample later.
  std::vector<ISMRMRD::Acquisition> all = lines(16, 8);
  for (std::uint16_t number = 1; number < 12; number += 2) {
    all[number] = line(16, number, 7, true);
    all[number].center_sample() = 8;
  }
  const Scan scan = read(all);
  EXPECT_DOUBLE_EQ(k(scan, 17, 0), 7.0 / 16);
  EXPECT_TRUE(has_note(scan, "in the order of the file"));
}

TEST_F(CountersTest, ACenterSampleWithoutTheEchoIsCorrected) {
  for (const int stated : {3, 15, 12}) {
    std::vector<ISMRMRD::Acquisition> all = lines(16, 8);
    for (ISMRMRD::Acquisition& one : all) one.center_sample() = static_cast<std::uint16_t>(stated);
    const Scan scan = read(all);
    EXPECT_DOUBLE_EQ(k(scan, 0, 0), -0.5) << stated;
    EXPECT_EQ(scan.matrix, (Matrix{16, 12, 1})) << stated;
    EXPECT_TRUE(has_note(scan, "the echo of the readouts is at sample 8"));
    EXPECT_FALSE(has_note(scan, "span"));
  }
  // The echo of 11 samples is at the fourth.
  std::vector<ISMRMRD::Acquisition> partial = lines(11, 3);
  for (ISMRMRD::Acquisition& one : partial) one.center_sample() = 7;
  EXPECT_DOUBLE_EQ(k(read(partial), 3, 0), 0);
}

// Samples are discarded, and the center sample counts from the first that is kept.
TEST_F(CountersTest, ACenterSampleOfTheKeptSamplesIsCorrected) {
  for (const auto& [pre, post] : {std::pair{2, 2}, {4, 0}, {3, 1}}) {
    for (const int stated : {8, 0}) {
      std::vector<ISMRMRD::Acquisition> all = lines(20, 8.0 + pre);
      for (ISMRMRD::Acquisition& one : all) {
        one.center_sample() = static_cast<std::uint16_t>(stated);
        one.discard_pre() = static_cast<std::uint16_t>(pre);
        one.discard_post() = static_cast<std::uint16_t>(post);
      }
      const Scan scan = read(all);
      EXPECT_DOUBLE_EQ(k(scan, 0, 0), -0.5) << pre << ' ' << stated;
      EXPECT_FALSE(has_note(scan, "span")) << pre << ' ' << stated;
    }
  }
}

TEST_F(CountersTest, PartitionsThatTheHeaderDoesNotHaveAreFound) {
  const Scan scan = read(partitions(8, 1.5));
  EXPECT_EQ(scan.matrix, (Matrix{16, 12, 8}));
  EXPECT_DOUBLE_EQ(k(scan, 0, 2), -0.5);
  EXPECT_TRUE(has_note(scan, "the scan is 3D with 8 partitions"));
}

TEST_F(CountersTest, RepetitionsInTheCounterOfPartitionsAreNone) {
  std::vector<ISMRMRD::Acquisition> all = partitions(4, 0);
  for (ISMRMRD::Acquisition& one : all) {
    ISMRMRD::Acquisition first = line(16, one.idx().kspace_encode_step_1, 8);
    for (std::uint16_t i = 0; i < 16; ++i) one.data(i, 0) = first.data(i, 0);
  }
  const Scan scan = read(all);
  EXPECT_EQ(scan.matrix, (Matrix{16, 12, 1}));
  EXPECT_TRUE(has_note(scan, "taken as repetitions of a 2D scan"));
  // As strong as each other, and different: slices, most likely.
  EXPECT_THAT(message_of<ValueError>([&] { read(partitions(4, 0)); }),
              HasSubstr("kspace_encode_step_2 counts from 0 to 3 within an image"));
}

TEST_F(CountersTest, SlicesInOnePlaceWithTheEnergiesOfPartitionsAreThese) {
  const auto as_slices = [&](double width) {
    std::vector<ISMRMRD::Acquisition> all = partitions(8, width);
    for (ISMRMRD::Acquisition& one : all) {
      one.idx().slice = one.idx().kspace_encode_step_2;
      one.idx().kspace_encode_step_2 = 0;
    }
    return all;
  };
  for (const std::uint16_t image : {8, 1}) {
    set_partitions(8, image);
    const Scan scan = read(as_slices(1.5));
    EXPECT_EQ(scan.frames.size(), 1U);
    EXPECT_EQ(scan.matrix, (Matrix{16, 12, 8}));
    EXPECT_DOUBLE_EQ(k(scan, 0, 2), -0.5);
    EXPECT_TRUE(has_note(scan, "the slices were taken for partitions"));
    EXPECT_EQ(read(as_slices(0)).frames.size(), 8U) << "slices";
    std::vector<ISMRMRD::Acquisition> apart = as_slices(1.5);
    for (ISMRMRD::Acquisition& one : apart) one.position()[2] = 4.0F * static_cast<float>(one.idx().slice);
    EXPECT_EQ(read(apart).frames.size(), 8U);
  }
  // Where the header has none, they may be slices of which most are empty.
  set_partitions(1, 1);
  EXPECT_EQ(read(as_slices(1.5)).frames.size(), 8U);
  EXPECT_TRUE(has_note(read(as_slices(1.5)), "Slices may be partitions"));
  EXPECT_FALSE(has_note(read(as_slices(0)), "Slices may be partitions"));
}

TEST_F(CountersTest, LinesThatAreNotCountedAreNamedByWhatVaries) {
  std::vector<ISMRMRD::Acquisition> all = lines(16, 8);
  for (ISMRMRD::Acquisition& one : all) {
    one.idx().segment = one.idx().kspace_encode_step_1;
    one.idx().kspace_encode_step_1 = 0;
  }
  EXPECT_THAT(message_of<ValueError>([&] { read(all); }), HasSubstr("counters that vary: segment from 0 to 11"));
  for (ISMRMRD::Acquisition& one : all) one.idx().segment = 0;
  EXPECT_THAT(message_of<ValueError>([&] { read(all); }), HasSubstr("counters that vary: none"));
}

TEST_F(CountersTest, LinesThatRunTheOtherWayThanTheirFlagsSayAreTurned) {
  // Every second line runs backward without the flag.
  std::vector<ISMRMRD::Acquisition> all = lines(16, 8);
  for (std::uint16_t number = 1; number < 12; number += 2) {
    all[number] = line(16, number, 8, true);
    all[number].clearFlag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
  }
  Scan scan = read(all);
  EXPECT_DOUBLE_EQ(k(scan, 0, 0), -0.5);
  EXPECT_DOUBLE_EQ(k(scan, 16, 0), 7.0 / 16);
  EXPECT_TRUE(has_note(scan, "every second line runs backward"));
  // The flag is left after the lines were turned.
  all = lines(16, 8);
  for (std::uint16_t number = 1; number < 12; number += 2) all[number].setFlag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
  scan = read(all);
  EXPECT_DOUBLE_EQ(k(scan, 16, 0), -0.5);
  EXPECT_TRUE(has_note(scan, "6 readouts are flagged as reversed, and"));
  // All is as flagged.
  for (std::uint16_t number = 1; number < 12; number += 2) all[number] = line(16, number, 8, true);
  EXPECT_FALSE(has_note(read(all), "ghost"));
  EXPECT_FALSE(has_note(read(lines(16, 8)), "ghost"));
}

TEST_F(CountersTest, AContrastThatIsMirroredRunsBackward) {
  for (const bool backward : {false, true}) {
    std::vector<ISMRMRD::Acquisition> all = lines(16, 8);
    for (std::uint16_t number = 0; number < 12; ++number) {
      all.push_back(line(16, number, 8, backward));
      all.back().clearFlag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
      all.back().idx().contrast = 1;
    }
    const Scan scan = read(all);
    EXPECT_DOUBLE_EQ(scan.frames[1].trajectory->points.view<2>()(0, 0), backward ? 7.0 / 16 : -0.5);
    EXPECT_EQ(has_note(scan, "the image of contrast 1 is mirrored"), backward);
  }
}

TEST_F(CountersTest, StepsBelowZeroAreReadWithTheirSign) {
  std::vector<ISMRMRD::Acquisition> all = lines(16, 8);
  for (ISMRMRD::Acquisition& one : all) {
    one.idx().kspace_encode_step_1 = static_cast<std::uint16_t>(one.idx().kspace_encode_step_1 - 6);
  }
  const Scan scan = read(all);
  EXPECT_EQ(scan.matrix, (Matrix{16, 12, 1}));
  EXPECT_DOUBLE_EQ(k(scan, 0, 1), -0.5);
  EXPECT_TRUE(has_note(scan, "counts from -6 to 5"));
}

TEST_F(CountersTest, OversamplingThatWasRemovedFromTheReadoutsAlone) {
  header.encoding[0].encodedSpace.matrixSize.x = 32;
  header.encoding[0].encodedSpace.fieldOfView_mm.x = 64;
  const Scan scan = read(lines(16, 8));
  EXPECT_EQ(scan.matrix, (Matrix{16, 12, 1}));
  EXPECT_DOUBLE_EQ(k(scan, 0, 0), -0.5);
  EXPECT_TRUE(has_note(scan, "their oversampling was removed"));
  // A partial echo has its center elsewhere.
  EXPECT_FALSE(has_note(read(lines(16, 4)), "their oversampling was removed"));
}

TEST_F(CountersTest, ACenterOfTheLinesWithoutEnergyIsCorrected) {
  // Lines -2 to 5, counted from 0
  std::vector<ISMRMRD::Acquisition> all = lines(16, 8);
  all.erase(all.begin(), all.begin() + 4);
  for (ISMRMRD::Acquisition& one : all) {
    one.idx().kspace_encode_step_1 = static_cast<std::uint16_t>(one.idx().kspace_encode_step_1 - 4);
  }
  header.encoding[0].encodingLimits.kspace_encoding_step_1 = ISMRMRD::Limit(0, 7, 5);
  Scan scan = read(all);
  EXPECT_DOUBLE_EQ(k(scan, 0, 1), -2.0 / 12);
  EXPECT_TRUE(has_note(scan, "kspace_encode_step_1 = 5 is said to be the center of k-space, but most energy is at 2"));
  // The matrix is the number of lines.
  header.encoding[0].encodingLimits.kspace_encoding_step_1 = ISMRMRD::Limit(0, 7, 2);
  header.encoding[0].encodedSpace.matrixSize.y = 8;
  scan = read(all);
  EXPECT_EQ(scan.matrix, (Matrix{16, 12, 1}));
  EXPECT_DOUBLE_EQ(k(scan, 0, 1), -2.0 / 12);
  EXPECT_TRUE(has_note(scan, "the encoded matrix has 8 pixels, the number of lines; it became 12"));
}

TEST_F(CountersTest, ReadoutsOfOneImageThatDifferAreTold) {
  std::vector<ISMRMRD::Acquisition> all = lines(16, 8);
  for (const ISMRMRD::Acquisition& one : lines(16, 8)) {
    all.push_back(one);
    all.back().idx().average = 1;
  }
  EXPECT_FALSE(has_note(read(all), "at the same lines differ"));
  for (std::size_t i = 12; i < 24; ++i) {
    for (std::uint16_t sample = 0; sample < 16; ++sample) all[i].data(sample, 0) *= -1;
  }
  EXPECT_TRUE(has_note(read(all), "at the same lines differ by 200 % (told apart by average)"));
  for (ISMRMRD::Acquisition& one : all) one.idx().average = 0;
  EXPECT_TRUE(has_note(read(all), "no counter tells them apart"));
}

}  // namespace
}  // namespace whorl
