// Where the samples of an ISMRMRD file are in k-space: columns, units, matrices, counters.
#include <algorithm>
#include <numbers>
#include <span>
#include <vector>

#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using test::has_note;
using test::message_of;
using test::readout;
using ::testing::HasSubstr;

class PositionTest : public test::FolderTest {
 protected:
  Scan read(const std::vector<ISMRMRD::Acquisition>& acquisitions, const ScanReadOptions& options = {}) {
    std::filesystem::remove(folder / "scan.h5");  // the library appends to what is there
    test::write_by_library(folder / "scan.h5", test::to_xml(header), acquisitions);
    return read_ismrmrd(ctx, folder / "scan.h5", options);
  }
  std::string refusal(const std::vector<ISMRMRD::Acquisition>& acquisitions, const ScanReadOptions& options = {}) {
    return message_of<ValueError>([&] { read(acquisitions, options); });
  }
  static ScanReadOptions columns(TrajectoryColumns stated) {
    ScanReadOptions options;
    options.trajectory_columns = stated;
    return options;
  }

  ISMRMRD::IsmrmrdHeader header = test::small_header(16, 12);
};

double k(const Scan& scan, Index sample, Index axis) {
  return scan.frames[0].trajectory->points.view<2>()(sample, axis);
}

TEST_F(PositionTest, ThreeColumnsInTwoDimensions) {
  Scan scan = read({readout(16, 1, 0.25F, {0})});
  EXPECT_EQ(scan.frames[0].trajectory->dim(), 2);
  EXPECT_EQ(scan.frames[0].weights, nullptr);
  EXPECT_TRUE(has_note(scan, "kz is zero everywhere"));

  scan = read({readout(16, 1, 0.25F, {0}), readout(16, 1, 0, {0.5F})});
  ASSERT_NE(scan.frames[0].weights, nullptr);
  EXPECT_EQ(scan.frames[0].weights->data()[15], 0);
  EXPECT_EQ(scan.frames[0].weights->data()[16], 0.5F);
  EXPECT_TRUE(has_note(scan, "kx, ky, density weight"));

  EXPECT_THAT(refusal({readout(16, 1, 0, {0.5F}), readout(16, 1, 0, {-0.5F})}), HasSubstr("trajectory-columns"));
  EXPECT_THAT(refusal({readout(16, 1, 0, {-0.5F})}, columns(TrajectoryColumns::xyw)), HasSubstr("weight of sample 0"));
  EXPECT_THAT(refusal({readout(16, 1, 0, {-0.5F})}, columns(TrajectoryColumns::xyz)), HasSubstr("kz is not zero"));
  scan = read({readout(16, 1, 0.25F, {-0.5F})}, columns(TrajectoryColumns::xy));
  EXPECT_EQ(scan.frames[0].weights, nullptr);
  EXPECT_EQ(k(scan, 3, 1), 0.25);
  EXPECT_FALSE(has_note(scan, "taken as"));  // what was asked for needs no word
}

TEST_F(PositionTest, ThreeAndFourColumnsInThreeDimensions) {
  header = test::small_header(16, 12, 8);
  Scan scan = read({readout(16, 1, 0.25F, {0.125F})});
  EXPECT_EQ(scan.frames[0].trajectory->dim(), 3);
  EXPECT_EQ(k(scan, 7, 2), 0.125);
  EXPECT_EQ(scan.frames[0].weights, nullptr);

  scan = read({readout(16, 1, 0.25F, {-0.125F, 3})});
  EXPECT_EQ(k(scan, 7, 2), -0.125);
  ASSERT_NE(scan.frames[0].weights, nullptr);
  EXPECT_EQ(scan.frames[0].weights->data()[7], 3);
  EXPECT_TRUE(has_note(scan, "kx, ky, kz, density weight"));
}

TEST_F(PositionTest, FourColumnsInTwoDimensionsHoldNoKz) {
  const Scan scan = read({readout(16, 1, 0.25F, {0, 3})});
  EXPECT_EQ(scan.frames[0].trajectory->dim(), 2);
  EXPECT_EQ(scan.frames[0].weights->data()[7], 3);
  EXPECT_THAT(refusal({readout(16, 1, 0.25F, {0.25F, 3})}), HasSubstr("kz is not zero"));
}

TEST_F(PositionTest, OtherNumbersOfColumnsNeedToBeNamed) {
  EXPECT_THAT(message_of<Unsupported>([&] { read({readout(16, 1, 0, {0, 1, 9})}); }), HasSubstr("5 columns"));
  const Scan scan = read({readout(16, 1, 0, {2, 1, 9})}, columns(TrajectoryColumns::xyw));
  EXPECT_EQ(scan.frames[0].weights->data()[0], 2);
  EXPECT_THAT(refusal({readout(16, 1, 0)}, columns(TrajectoryColumns::xyzw)), HasSubstr("the file has 2"));
}

TEST_F(PositionTest, StackTakesKzFromTheCounter) {
  header = test::small_header(16, 12, 8);
  header.encoding[0].encodingLimits.kspace_encoding_step_2 = ISMRMRD::Limit(0, 7, 3);
  ISMRMRD::Acquisition acquisition = readout(16, 1, 0.25F);
  const ISMRMRD::Acquisition lowest = acquisition;
  acquisition.idx().kspace_encode_step_2 = 7;
  Scan scan = read({acquisition, lowest});
  EXPECT_EQ(scan.frames[0].trajectory->dim(), 3);
  EXPECT_DOUBLE_EQ(k(scan, 2, 2), 4.0 / 8);
  EXPECT_TRUE(has_note(scan, "kspace_encode_step_2"));
  header.encoding[0].encodingLimits.kspace_encoding_step_2 = ISMRMRD::Optional<ISMRMRD::Limit>();
  acquisition.idx().kspace_encode_step_2 = 1;
  scan = read({acquisition, lowest});
  EXPECT_DOUBLE_EQ(k(scan, 2, 2), -3.0 / 8);
  // The stack's weights are a third column that has to be named.
  acquisition = readout(16, 1, 0.25F, {2});
  const ISMRMRD::Acquisition lowest_weighted = acquisition;
  acquisition.idx().kspace_encode_step_2 = 1;
  scan = read({acquisition, lowest_weighted}, columns(TrajectoryColumns::xyw));
  EXPECT_DOUBLE_EQ(k(scan, 2, 2), -3.0 / 8);
  EXPECT_EQ(scan.frames[0].weights->data()[0], 2);
}

TEST_F(PositionTest, UnitsAreDetectedOrStated) {
  const auto scaled = [](float factor) {
    ISMRMRD::Acquisition acquisition = readout(16, 1, 0.25F);
    for (std::uint16_t i = 0; i < 16; ++i) {
      acquisition.traj(0, i) *= factor * 16;
      acquisition.traj(1, i) *= factor * 12;
    }
    return acquisition;
  };
  Scan scan = read({scaled(1)});
  EXPECT_EQ(scan.trajectory_unit, "cycles/fov (detected)");
  EXPECT_DOUBLE_EQ(k(scan, 0, 0), -0.5);
  EXPECT_DOUBLE_EQ(k(scan, 0, 1), 0.25);
  const auto doubts_unit = [](const Note& note) {
    return note.is_doubt() && note.find("of Nyquist") != std::string::npos;
  };
  EXPECT_TRUE(std::none_of(scan.notes.begin(), scan.notes.end(), doubts_unit));
  scan = read({scaled(0.5F)});
  EXPECT_EQ(scan.trajectory_unit, "cycles/fov (detected)");
  EXPECT_TRUE(std::any_of(scan.notes.begin(), scan.notes.end(), doubts_unit));
  ScanReadOptions options;
  options.trajectory_unit = TrajectoryUnit::cycles_per_fov;
  scan = read({scaled(0.03125F)}, options);
  EXPECT_EQ(scan.trajectory_unit, "cycles/fov (stated)");
  EXPECT_DOUBLE_EQ(k(scan, 0, 0), -0.5 / 32);
  EXPECT_THAT(refusal({scaled(0.001F)}), HasSubstr("not recognized"));
  EXPECT_THAT(refusal({scaled(1.5F)}, options), HasSubstr("expected |k| <= 0.5"));
  // 1/m on pixels of 2 mm: Nyquist is 250.
  ISMRMRD::Acquisition metric = readout(16, 1, 0.25F);
  for (std::uint16_t i = 0; i < 16; ++i) metric.traj(0, i) *= 500;
  for (std::uint16_t i = 0; i < 16; ++i) metric.traj(1, i) *= 500;
  scan = read({metric});
  EXPECT_EQ(scan.trajectory_unit, "1/m (detected)");
  EXPECT_NEAR(k(scan, 0, 0), -0.5, 1e-7);  // the field of view is float: 32 mm and 24 mm are exact, the rest is double
  EXPECT_NEAR(k(scan, 0, 1), 0.25, 1e-7);
}

// The first of two frames alone would be kx, ky, kz in cycles per pixel. Each reader has one of them, and takes what the file as
// a whole says.
TEST_F(PositionTest, ReadersOfPartsAgreeOnColumnsAndUnit) {
  ISMRMRD::Acquisition second = readout(16, 1, 0.25F, {0.5F});
  for (std::uint16_t i = 0; i < 16; ++i) {
    second.traj(0, i) *= 16;
    second.traj(1, i) *= 12;
  }
  second.idx().repetition = 1;
  const Scan whole = read({readout(16, 1, 0.25F, {0}), second});
  EXPECT_EQ(whole.trajectory_unit, "cycles/fov (detected)");
  std::vector<std::vector<double>> largest;  // in each call, of both readers
  const auto read_part = [&](std::size_t own, bool agree) {
    std::size_t call = 0;
    ScanReadOptions options;
    options.frames_to_read = [own](const Scan& scan) {
      std::vector<FrameRead> parts(scan.frames.size(), FrameRead::nothing);
      parts[own] = FrameRead::all;
      return parts;
    };
    options.largest_of_all = [&, agree](std::span<double> values) {
      if (largest.size() == call) largest.emplace_back(values.begin(), values.end());
      for (std::size_t i = 0; i < values.size(); ++i) {
        double& known = largest[call][i];
        known = std::max(known, values[i]);
        if (agree) values[i] = known;
      }
      ++call;
    };
    return read_ismrmrd(ctx, folder / "scan.h5", options);
  };
  EXPECT_EQ(read_part(0, false).trajectory_unit, "cycles/pixel (detected)");
  read_part(1, false);
  EXPECT_EQ(largest.size(), 2U);
  for (const std::size_t own : {0, 1}) {
    const Scan part = read_part(own, true);
    EXPECT_EQ(part.trajectory_unit, whole.trajectory_unit);
    const ScanFrame& frame = part.frames[own];
    const ScanFrame& expected = whole.frames[own];
    EXPECT_TRUE(std::ranges::equal(frame.trajectory->points.span(), expected.trajectory->points.span()));
    ASSERT_NE(frame.weights, nullptr);
    EXPECT_TRUE(std::ranges::equal(frame.weights->span(), expected.weights->span()));
    EXPECT_TRUE(std::ranges::equal(frame.data.span(), expected.data.span()));
    EXPECT_EQ(part.frames[1 - own].trajectory->points.shape(), (Shape{0, 2}));
    EXPECT_EQ(part.frames[1 - own].data.shape(), (Shape{1, 0}));
  }
}

TEST_F(PositionTest, AUnitThatTheHeaderStatesInOtherWordsIsLeftAsideAndSaid) {
  ISMRMRD::UserParameters parameters;
  parameters.userParameterString = {{"trajectory_unit", "turns"}};
  header.userParameters = parameters;
  const Scan scan = read({readout(16, 1, 0.4F)});
  EXPECT_EQ(scan.trajectory_unit, "cycles/pixel (detected)");
  EXPECT_TRUE(has_note(scan, "\"turns\" is not known"));
}

TEST_F(PositionTest, RoundingBeyondNyquistIsMovedAndSaid) {
  ISMRMRD::Acquisition acquisition = readout(16, 1, 0.25F);
  acquisition.traj(0, 0) = -0.50005F;
  const Scan scan = read({acquisition});
  EXPECT_EQ(k(scan, 0, 0), -0.5);
  EXPECT_TRUE(has_note(scan, "1 positions were beyond Nyquist"));
}

TEST_F(PositionTest, PixelsOfTheImageScaleThePositions) {
  // Twofold readout oversampling: same pixels. Finer image: half the pixel, half the cycles per pixel.
  header.encoding[0].encodedSpace.matrixSize.x = 32;
  header.encoding[0].encodedSpace.fieldOfView_mm.x = 64;
  header.encoding[0].reconSpace.matrixSize.y = 15;
  Scan scan = read({readout(16, 1, 0.25F)});
  EXPECT_EQ(scan.matrix, (std::array<Index, 3>{16, 15, 1}));
  EXPECT_DOUBLE_EQ(k(scan, 0, 0), -0.5);
  EXPECT_DOUBLE_EQ(k(scan, 0, 1), 0.2);
  EXPECT_EQ(scan.frames[0].geometry.field_of_view_mm[1], 24);
  // A coarser image has no place for the outer samples.
  header.encoding[0].reconSpace.matrixSize.x = 8;
  scan = read({readout(16, 1, 0.25F)});
  EXPECT_EQ(scan.matrix[0], 16);
  EXPECT_TRUE(has_note(scan, "its matrix became 16 in place of 8"));
}

TEST_F(PositionTest, MissingFieldsOfViewAreTakenAsEqualPixels) {
  auto& encoding = header.encoding[0];
  encoding.encodedSpace.matrixSize.x = 32;
  encoding.encodedSpace.fieldOfView_mm = {0, 0, 0};
  Scan scan = read({readout(16, 1, 0.25F)});
  EXPECT_DOUBLE_EQ(k(scan, 0, 0), -0.5);
  EXPECT_TRUE(has_note(scan, "equal size"));
  encoding.encodedSpace.fieldOfView_mm = {64, 24, 2};
  encoding.reconSpace.fieldOfView_mm = {0, -1, 0};
  scan = read({readout(16, 1, 0.25F)});
  EXPECT_EQ(scan.frames[0].geometry.field_of_view_mm[0], 32);
  EXPECT_EQ(scan.frames[0].geometry.field_of_view_mm[1], 24);
}

TEST_F(PositionTest, SlicesOfTheMatricesAreReconciled) {
  header = test::small_header(16, 12, 8);
  header.encoding[0].reconSpace.matrixSize.z = 1;
  Scan scan = read({readout(16, 1, 0.25F, {0.125F})});
  EXPECT_EQ(scan.matrix[2], 8);
  EXPECT_TRUE(has_note(scan, "all 8 slices are made"));
  header = test::small_header(16, 12, 0);
  header.encoding[0].reconSpace.matrixSize.z = 8;
  scan = read({readout(16, 1, 0.25F)});
  EXPECT_EQ(scan.matrix[2], 1);
  EXPECT_TRUE(has_note(scan, "each slice is its own image"));
  header = test::small_header(16, 1);
  EXPECT_THAT(message_of<IoError>([&] { read({readout(16, 1, 0.25F)}); }), HasSubstr("matrix is 16 x 1 x 1"));
}

class CartesianTest : public PositionTest {
 protected:
  void SetUp() override {
    PositionTest::SetUp();
    header.encoding[0].trajectory = ISMRMRD::TrajectoryType::CARTESIAN;
  }
  static ISMRMRD::Acquisition line(std::uint16_t samples, std::uint16_t step, std::uint16_t center) {
    ISMRMRD::Acquisition acquisition(samples, 1, 0);
    acquisition.idx().kspace_encode_step_1 = step;
    acquisition.center_sample() = center;
    return acquisition;
  }
};

TEST_F(CartesianTest, PositionsAreMadeOfCountersAndCenterSample) {
  header.encoding[0].encodingLimits.kspace_encoding_step_1 = ISMRMRD::Limit(0, 11, 5);
  // A partial echo of 11 of 16 samples, k = 0 at its fourth; the first one is to be discarded.
  ISMRMRD::Acquisition partial = line(11, 9, 3);
  partial.discard_pre() = 1;
  const Scan scan = read({partial});
  EXPECT_EQ(scan.frames[0].trajectory->samples(), 10);
  EXPECT_DOUBLE_EQ(k(scan, 0, 0), -2.0 / 16);
  EXPECT_DOUBLE_EQ(k(scan, 9, 0), 7.0 / 16);
  EXPECT_DOUBLE_EQ(k(scan, 4, 1), 4.0 / 12);
  EXPECT_EQ(scan.trajectory_unit, "cycles/pixel (made of counters)");
  EXPECT_TRUE(has_note(scan, "Cartesian positions were made"));
}

TEST_F(CartesianTest, ReversedReadoutsRunBackward) {
  ISMRMRD::Acquisition reversed = line(16, 2, 8);
  reversed.setFlag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE);
  const Scan scan = read({line(16, 1, 8), reversed});
  EXPECT_DOUBLE_EQ(k(scan, 0, 0), -0.5);
  EXPECT_DOUBLE_EQ(k(scan, 16, 0), 7.0 / 16);
  EXPECT_DOUBLE_EQ(k(scan, 31, 0), -0.5);
  EXPECT_DOUBLE_EQ(k(scan, 31, 1), -4.0 / 12);
  EXPECT_TRUE(has_note(scan, "1 readouts are flagged as reversed"));
}

TEST_F(CartesianTest, ACenterSampleThatIsNotSetIsTheMiddle) {
  const Scan scan = read({line(16, 6, 0)});
  EXPECT_DOUBLE_EQ(k(scan, 0, 0), -0.5);
  EXPECT_DOUBLE_EQ(k(scan, 8, 0), 0);
  EXPECT_TRUE(has_note(scan, "center_sample is not set"));
}

TEST_F(CartesianTest, ThreeDimensions) {
  header = test::small_header(16, 12, 8);
  header.encoding[0].trajectory = ISMRMRD::TrajectoryType::CARTESIAN;
  ISMRMRD::Acquisition acquisition = line(16, 6, 8);
  acquisition.idx().kspace_encode_step_2 = 7;
  const Scan scan = read({acquisition, line(16, 6, 8)});
  EXPECT_DOUBLE_EQ(k(scan, 8, 2), 3.0 / 8);
}

TEST_F(CartesianTest, OtherKindsNeedATrajectory) {
  for (const auto& [kind, name] :
       {std::pair{ISMRMRD::TrajectoryType::EPI, "epi"}, std::pair{ISMRMRD::TrajectoryType::SPIRAL, "spiral"},
        std::pair{ISMRMRD::TrajectoryType::GOLDENANGLE, "goldenangle"},
        std::pair{ISMRMRD::TrajectoryType::OTHER, "other"}}) {
    header.encoding[0].trajectory = kind;
    EXPECT_THAT(message_of<Unsupported>([&] { read({line(16, 6, 8)}); }), HasSubstr(name));
  }
}

}  // namespace
}  // namespace whorl
