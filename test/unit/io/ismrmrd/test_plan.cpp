// Which acquisition of a file goes where: flags, discarded samples, partial readouts, channels, encodings.
#include <cmath>

#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using test::has_note;
using test::message_of;
using test::readout;
using test::sample_value;
using ::testing::HasSubstr;

class PlanTest : public test::FolderTest {
 protected:
  Scan read(const std::vector<ISMRMRD::Acquisition>& acquisitions, const ScanReadOptions& options = {}) {
    std::filesystem::remove(folder / "scan.h5");  // the library appends to what is there
    test::write_by_library(folder / "scan.h5", test::to_xml(header), acquisitions);
    return read_ismrmrd(ctx, folder / "scan.h5", options);
  }

  ISMRMRD::IsmrmrdHeader header = test::small_header(16, 12);
};

ISMRMRD::Acquisition flagged(std::uint64_t bit) {
  ISMRMRD::Acquisition acquisition = readout(16, 2, 0.25F);
  acquisition.setFlag(bit);
  return acquisition;
}

TEST_F(PlanTest, ReadoutsWithoutAnImageAreLeftOutAndCounted) {
  const std::vector<std::pair<std::uint64_t, std::string>> cases{
      {ISMRMRD::ISMRMRD_ACQ_IS_NAVIGATION_DATA, "navigator"},
      {ISMRMRD::ISMRMRD_ACQ_IS_PHASECORR_DATA, "phase correction"},
      {ISMRMRD::ISMRMRD_ACQ_IS_HPFEEDBACK_DATA, "high-pass feedback"},
      {ISMRMRD::ISMRMRD_ACQ_IS_DUMMYSCAN_DATA, "dummy"},
      {ISMRMRD::ISMRMRD_ACQ_IS_RTFEEDBACK_DATA, "real-time feedback"},
      {ISMRMRD::ISMRMRD_ACQ_IS_SURFACECOILCORRECTIONSCAN_DATA, "surface coil correction"},
      {ISMRMRD::ISMRMRD_ACQ_IS_PHASE_STABILIZATION_REFERENCE, "phase stabilization reference"},
      {ISMRMRD::ISMRMRD_ACQ_IS_PHASE_STABILIZATION, "phase stabilization"},
      {ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION, "calibration"}};
  for (const auto& [bit, name] : cases) {
    const Scan scan = read({readout(16, 2, 0), flagged(bit), flagged(bit)});
    ASSERT_EQ(scan.frames.size(), 1U) << name;
    EXPECT_EQ(scan.frames[0].data.shape(), (Shape{2, 16})) << name;
    EXPECT_TRUE(has_note(scan, "2 acquisitions flagged as " + name + " were left out")) << name;
    EXPECT_EQ(scan.noise.size(), 0);
  }
}

TEST_F(PlanTest, CalibrationThatIsAlsoImagingIsKept) {
  ISMRMRD::Acquisition both = flagged(ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION_AND_IMAGING);
  const Scan scan = read({readout(16, 2, 0), both});
  EXPECT_EQ(scan.frames[0].data.shape(), (Shape{2, 32}));
  both.setFlag(ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION);
  EXPECT_EQ(read({readout(16, 2, 0), both}).frames[0].data.shape(), (Shape{2, 32}));
}

TEST_F(PlanTest, NoiseIsCollected) {
  ISMRMRD::Acquisition noise(40, 2, 0);
  noise.setFlag(ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT);
  noise.sample_time_us() = 4;
  noise.discard_pre() = 3;
  for (std::uint16_t i = 0; i < 40; ++i) {
    noise.data(i, 0) = sample_value(7, 0, i);
    noise.data(i, 1) = sample_value(7, 1, i);
  }
  ISMRMRD::Acquisition others(40, 5, 0);
  others.setFlag(ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT);
  const Scan scan = read({noise, noise, others, readout(16, 2, 0)});
  ASSERT_EQ(scan.noise.shape(), (Shape{2, 74}));
  EXPECT_EQ(scan.noise.view<2>()(1, 0), sample_value(7, 1, 3));
  EXPECT_EQ(scan.noise.view<2>()(1, 37), sample_value(7, 1, 3));
  EXPECT_EQ(scan.noise.view<2>()(0, 73), sample_value(7, 0, 39));
  EXPECT_EQ(scan.noise_dwell_us, 4);
  EXPECT_TRUE(has_note(scan, "1 acquisition flagged as noise was left out"));
  EXPECT_EQ(scan.frames[0].data.shape(), (Shape{2, 16}));
}

TEST_F(PlanTest, DiscardedSamplesAreLeftOutOfDataAndTrajectory) {
  ISMRMRD::Acquisition acquisition = readout(16, 2, 0.25F);
  acquisition.discard_pre() = 3;
  acquisition.discard_post() = 5;
  const Scan scan = read({acquisition, acquisition});
  const ScanFrame& frame = scan.frames[0];
  ASSERT_EQ(frame.data.shape(), (Shape{2, 16}));
  EXPECT_EQ(frame.trajectory->readout_length, 8);
  for (Index i = 0; i < 8; ++i) {
    EXPECT_EQ(frame.data.view<2>()(1, i), sample_value(0, 1, i + 3));
    EXPECT_EQ(frame.data.view<2>()(1, 8 + i), sample_value(0, 1, i + 3));
    EXPECT_EQ(frame.trajectory->points.view<2>()(8 + i, 0), static_cast<double>(i + 3) / 16 - 0.5);
  }
  EXPECT_TRUE(has_note(scan, "2 acquisitions have samples that the file marks as discarded"));
}

TEST_F(PlanTest, PartialReadoutsHaveNoCommonLength) {
  const Scan scan = read({readout(16, 1, 0), readout(9, 1, 0.25F), readout(16, 1, 0.125F)});
  const ScanFrame& frame = scan.frames[0];
  ASSERT_EQ(frame.data.shape(), (Shape{1, 41}));
  EXPECT_EQ(frame.trajectory->readout_length, 0);
  EXPECT_EQ(frame.trajectory->points.view<2>()(16, 1), 0.25);
  EXPECT_EQ(frame.trajectory->points.view<2>()(24, 1), 0.25);
  EXPECT_EQ(frame.trajectory->points.view<2>()(25, 1), 0.125);
  EXPECT_TRUE(has_note(scan, "1 frame has readouts of different lengths"));
}

// Samples without readouts are written in pieces as long as acquisitions can be: no partial readouts.
TEST_F(PlanTest, PiecesAndARestAreNoPartialReadouts) {
  const Scan scan = read({readout(16, 1, 0), readout(16, 1, 0.25F), readout(9, 1, 0.125F)});
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 0);
  EXPECT_FALSE(has_note(scan, "readouts of different lengths"));
}

TEST_F(PlanTest, AveragesAndSegmentsAreFurtherSamplesOfTheirFrame) {
  ISMRMRD::Acquisition average = readout(16, 1, 0);
  average.idx().average = 1;
  ISMRMRD::Acquisition segment = readout(16, 1, 0);
  segment.idx().segment = 2;
  const Scan scan = read({readout(16, 1, 0), average, segment});
  ASSERT_EQ(scan.frames.size(), 1U);
  EXPECT_EQ(scan.frames[0].data.shape(), (Shape{1, 48}));
  EXPECT_TRUE(has_note(scan, "2 averages"));
  EXPECT_TRUE(has_note(scan, "2 segments"));
}

TEST_F(PlanTest, FramesAreOrderedByTheirCounters) {
  const auto at = [](std::uint16_t slice, std::uint16_t repetition, float value) {
    ISMRMRD::Acquisition acquisition = readout(16, 1, 0);
    acquisition.idx().slice = slice;
    acquisition.idx().repetition = repetition;
    acquisition.position()[2] = value;
    acquisition.data(0, 0) = value;
    return acquisition;
  };
  const Scan scan = read({at(1, 1, 11), at(0, 1, 1), at(1, 0, 10), at(0, 0, 0), at(0, 1, 100)});
  ASSERT_EQ(scan.frames.size(), 4U);
  const std::array<float, 4> expected{0, 1, 10, 11};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(scan.frames[i].data.data()[0], expected[i]);
    EXPECT_EQ(scan.frames[i].geometry.position_mm[2], expected[i]);
    EXPECT_EQ(scan.frames[i].index.slice, static_cast<int>(i / 2));
    EXPECT_EQ(scan.frames[i].index.repetition, static_cast<int>(i % 2));
  }
  EXPECT_EQ(scan.frames[1].data.shape(), (Shape{1, 32})) << "two interleaves, far apart in the file";
  EXPECT_EQ(scan.frames[1].data.data()[16], 100.0F);
}

TEST_F(PlanTest, OneEncodingOfSeveralIsTaken) {
  header.encoding.push_back(header.encoding[0]);
  header.encoding[1].reconSpace.matrixSize = ISMRMRD::MatrixSize(16, 20);
  header.encoding[1].encodedSpace.matrixSize = ISMRMRD::MatrixSize(16, 20);
  ISMRMRD::Acquisition second = readout(10, 1, 0.25F);
  second.encoding_space_ref() = 1;
  Scan scan = read({readout(16, 1, 0), second});
  EXPECT_EQ(scan.frames[0].data.shape(), (Shape{1, 16}));
  EXPECT_TRUE(has_note(scan, "Encoding 0 of the header's 2"));
  EXPECT_TRUE(has_note(scan, "1 acquisition of encoding 1 was left out"));
  ScanReadOptions options;
  options.encoding = 1;
  scan = read({readout(16, 1, 0), second}, options);
  EXPECT_EQ(scan.frames[0].data.shape(), (Shape{1, 10}));
  EXPECT_EQ(scan.matrix[1], 20);
  options.encoding = 2;
  EXPECT_THAT(message_of<ValueError>([&] { read({readout(16, 1, 0)}, options); }), HasSubstr("has 2 (0 to 1)"));
}

TEST_F(PlanTest, ContradictionsAreRefused) {
  EXPECT_THAT(message_of<IoError>([&] {
                read({readout(16, 2, 0), readout(16, 3, 0)});
              }),
              HasSubstr("acquisition 1 has 3 channels, those before it 2"));
  EXPECT_THAT(message_of<IoError>([&] {
                read({readout(16, 2, 0), readout(16, 2, 0, {0})});
              }),
              HasSubstr("acquisition 1 has 3 trajectory columns"));
  ISMRMRD::Acquisition discarding = readout(16, 2, 0);
  discarding.discard_pre() = 10;
  discarding.discard_post() = 7;
  EXPECT_THAT(message_of<IoError>([&] { read({readout(16, 2, 0), discarding}); }), HasSubstr("discards 10 + 7"));
  EXPECT_THAT(message_of<IoError>([&] { read({flagged(ISMRMRD::ISMRMRD_ACQ_IS_DUMMYSCAN_DATA)}); }),
              HasSubstr("no acquisition in it belongs to an image"));
  EXPECT_THAT(message_of<IoError>([&] { read({ISMRMRD::Acquisition(16, 0, 0)}); }),
              HasSubstr("neither active channels nor a trajectory"));
}

TEST_F(PlanTest, AFileWithoutAnImageSaysWhatIsThere) {
  ISMRMRD::Acquisition other = readout(16, 2, 0);
  other.encoding_space_ref() = 1;
  const std::vector<ISMRMRD::Acquisition> all{
      flagged(ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT), flagged(ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT),
      flagged(ISMRMRD::ISMRMRD_ACQ_IS_NAVIGATION_DATA), flagged(ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION), other};
  const std::string message = message_of<IoError>([&] { read(all); });
  for (const char* part :
       {"2 noise", "1 flagged as navigator", "1 flagged as calibration", "1 of encoding 1", "keep-flags"}) {
    EXPECT_THAT(message, HasSubstr(part));
  }
}

TEST_F(PlanTest, SurfaceCoilCorrectionIsTheImageWhereNothingElseIsThere) {
  const ISMRMRD::Acquisition vendor = flagged(ISMRMRD::ISMRMRD_ACQ_IS_SURFACECOILCORRECTIONSCAN_DATA);
  const ISMRMRD::Acquisition navigator = flagged(ISMRMRD::ISMRMRD_ACQ_IS_NAVIGATION_DATA);
  const ISMRMRD::Acquisition noise = flagged(ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT);
  const Scan scan = read({noise, vendor, navigator, vendor});
  EXPECT_EQ(scan.frames[0].data.shape(), (Shape{2, 32}));
  EXPECT_EQ(scan.noise.shape(), (Shape{2, 16}));
  EXPECT_TRUE(has_note(scan, "All 2 image readouts are flagged as surface coil correction"));
  ScanReadOptions options;
  options.drop_flags = {"surface coil correction"};
  EXPECT_THAT(message_of<IoError>([&] { read({vendor}, options); }), HasSubstr("1 flagged as surface coil correction"));
}

TEST_F(PlanTest, FlagsAreKeptAndDroppedByName) {
  const ISMRMRD::Acquisition navigator = flagged(ISMRMRD::ISMRMRD_ACQ_IS_NAVIGATION_DATA);
  const ISMRMRD::Acquisition user = flagged(ISMRMRD::ISMRMRD_ACQ_USER2);
  const ISMRMRD::Acquisition noise = flagged(ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT);
  const std::vector<ISMRMRD::Acquisition> all{noise, navigator, user, readout(16, 2, 0)};
  const auto samples = [&](std::vector<std::string> keep, std::vector<std::string> drop) {
    ScanReadOptions options;
    options.keep_flags = std::move(keep);
    options.drop_flags = std::move(drop);
    const Scan scan = read(all, options);
    return std::pair{scan.frames[0].data.extent(1) / 16, scan.noise.size() > 0};
  };
  EXPECT_EQ(samples({}, {}), (std::pair{Index{2}, true}));
  for (const char* name :
       {"navigator", "NAVIGATION", "ACQ_IS_NAVIGATION_DATA", "ismrmrd_acq_is_navigation_data", "23"}) {
    EXPECT_EQ(samples({name}, {}), (std::pair{Index{3}, true})) << name;
  }
  EXPECT_EQ(samples({"ACQ_FIRST_IN_REPETITION"}, {"last in encode step 2"}), (std::pair{Index{2}, true}));
  EXPECT_EQ(samples({}, {"user2"}), (std::pair{Index{1}, true}));
  EXPECT_EQ(samples({}, {"USER-2", "noise"}), (std::pair{Index{1}, false}));
  EXPECT_EQ(samples({"noise-measurement", "navigation-data"}, {}), (std::pair{Index{4}, false}));
  EXPECT_THAT(message_of<ValueError>([&] { samples({"navel"}, {}); }), HasSubstr("keep-flags: \"navel\" is no flag"));
  EXPECT_THAT(message_of<ValueError>([&] { samples({"65"}, {}); }), HasSubstr("1 to 64"));
  EXPECT_THAT(message_of<ValueError>([&] { samples({"user1"}, {"user-1"}); }), HasSubstr("user 1 is to be kept and"));
}

TEST_F(PlanTest, AcquisitionsWithoutSamplesAreLeftOut) {
  ISMRMRD::Acquisition all_discarded = readout(16, 2, 0);
  all_discarded.discard_pre() = 16;
  const Scan scan = read({readout(16, 2, 0), all_discarded});
  EXPECT_EQ(scan.frames[0].data.shape(), (Shape{2, 16}));
  EXPECT_TRUE(has_note(scan, "1 acquisition without samples"));
}

TEST_F(PlanTest, MissingDirectionsAreReplacedAndSaid) {
  ISMRMRD::Acquisition acquisition = readout(16, 1, 0);
  EXPECT_FALSE(has_note(read({acquisition}), "directions"));
  acquisition.position()[0] = 5;
  acquisition.phase_dir()[1] = 0;
  const Scan scan = read({acquisition});
  EXPECT_TRUE(has_note(scan, "directions"));
  const Geometry& geometry = scan.frames[0].geometry;
  EXPECT_EQ(geometry.phase_direction, (std::array<double, 3>{0, 1, 0}));
  EXPECT_EQ(geometry.position_mm, (std::array<double, 3>{5, 0, 0}));
  acquisition.phase_dir()[0] = 1;  // the same as read: no volume
  EXPECT_TRUE(has_note(read({acquisition}), "directions"));
  acquisition = readout(16, 1, 0);
  acquisition.position()[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(read({acquisition}).frames[0].geometry.position_mm, (std::array<double, 3>{0, 0, 0}));
  // Directions that are not quite of length 1 are made so.
  acquisition = readout(16, 1, 0);
  acquisition.phase_dir()[1] = 1.01F;
  const Scan rounded = read({acquisition});
  EXPECT_FALSE(has_note(rounded, "directions"));
  EXPECT_DOUBLE_EQ(rounded.frames[0].geometry.phase_direction[1], 1);
}

TEST_F(PlanTest, AnotherGroupIsTakenWhereItIsTheOnlyOne) {
  const auto path = folder / "group.h5";
  test::write_by_library(path, test::to_xml(header), {readout(16, 1, 0)}, "measurement");
  EXPECT_TRUE(has_note(read_ismrmrd(ctx, path), "\"measurement\", the only group with a scan"));
  ScanReadOptions wrong;  // a group that somebody asked for is not exchanged
  wrong.group = "none";
  EXPECT_THAT(message_of<IoError>([&] { read_ismrmrd(ctx, path, wrong); }),
              HasSubstr("no group \"none\"; the only group with a scan is measurement"));
  test::write_by_library(path, test::to_xml(header), {readout(10, 1, 0)}, "other");
  EXPECT_THAT(message_of<IoError>([&] { read_ismrmrd(ctx, path); }), HasSubstr("choose one of measurement, other"));
  ScanReadOptions options;
  options.group = "other";
  EXPECT_EQ(read_ismrmrd(ctx, path, options).frames[0].data.shape(), (Shape{1, 10}));
}

TEST_F(PlanTest, TimesCountFromTheCenterSample) {
  const auto timed = [](Index center, float dwell, Index discarded) {
    ISMRMRD::Acquisition acquisition = readout(16, 2, 0);
    acquisition.sample_time_us() = dwell;
    acquisition.center_sample() = static_cast<std::uint16_t>(center);
    acquisition.discard_pre() = static_cast<std::uint16_t>(discarded);
    return acquisition;
  };
  Scan scan = read({timed(8, 4, 0), timed(8, 4, 0)});
  EXPECT_EQ(scan.dwell_us, 4);
  EXPECT_EQ(scan.readout_start_us, -32);
  // The first sample that is kept is 3 later.
  EXPECT_EQ(read({timed(8, 4, 3)}).readout_start_us, -20);
  EXPECT_EQ(read({timed(0, 4, 0)}).readout_start_us, 0);
  // Rounded to either side
  EXPECT_EQ(read({timed(8, 4, 0), timed(7, 4, 0)}).readout_start_us, -32);
  // Contradictions
  EXPECT_TRUE(std::isnan(read({timed(8, 4, 0), timed(6, 4, 0)}).readout_start_us));
  EXPECT_TRUE(std::isnan(read({timed(8, 4, 0), timed(8, 5, 0)}).readout_start_us));
  EXPECT_TRUE(std::isnan(read({timed(16, 4, 0)}).readout_start_us));
}

}  // namespace
}  // namespace whorl
