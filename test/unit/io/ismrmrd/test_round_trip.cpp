// A scan that is written and read back is the same. Positions are float in the file: made of multiples of 1/1024 here,
// they are the same to the bit.
#include <algorithm>
#include <array>

#include "support/temporary_folder.hpp"
#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/read_scan.hpp"

namespace whorl {
namespace {

using test::cfloat;
using test::sample_value;

struct Case {
  std::array<Index, 3> matrix{24, 20, 1};
  Index coils = 3;
  Index readouts = 5;
  Index length = 16;
  Index readout_length = 16;
  bool weighted = false;
  bool oblique = false;
  std::vector<FrameIndex> frames{{}};
  Index noise_samples = 0;
};

std::shared_ptr<const Trajectory> make_trajectory(const Context& ctx, const Case& made, int turn) {
  const int dim = made.matrix[2] > 1 ? 3 : 2;
  const Index samples = made.readouts * made.length;
  auto trajectory = std::make_shared<Trajectory>();
  trajectory->points = Array<double>(ctx, {samples, dim});
  trajectory->readout_length = made.readout_length;
  for (Index sample = 0; sample < samples; ++sample) {
    for (Index axis = 0; axis < dim; ++axis) {
      const Index steps = (37 * sample + 211 * axis + 5 * turn) % 1024 - 512;
      trajectory->points.view<2>()(sample, axis) = static_cast<double>(steps) / 1024;
    }
  }
  return trajectory;
}

Scan make_scan(const Context& ctx, const Case& made) {
  Scan scan;
  scan.system = "Vendor Model";
  scan.matrix = made.matrix;
  scan.coils = made.coils;
  scan.trajectory_kind = "spiral";
  scan.dwell_us = 2.5;
  const Index samples = made.readouts * made.length;
  const auto trajectory = make_trajectory(ctx, made, 0);
  std::shared_ptr<Array<float>> weights;
  if (made.weighted) {
    weights = std::make_shared<Array<float>>(ctx, Shape{samples});
    for (Index i = 0; i < samples; ++i) weights->data()[i] = 0.1F * static_cast<float>(i);
  }
  for (std::size_t number = 0; number < made.frames.size(); ++number) {
    ScanFrame& frame = scan.frames.emplace_back();
    frame.index = made.frames[number];
    frame.trajectory = trajectory;
    frame.weights = weights;
    frame.geometry.field_of_view_mm = {240, 200, made.matrix[2] > 1 ? 80.0 : 5.0};
    if (made.oblique) {
      // A turn about x by the angle of the 3-4-5 triangle: cosines that float holds to its rounding.
      frame.geometry.phase_direction = {0, 0.8, 0.6};
      frame.geometry.slice_direction = {0, -0.6, 0.8};
      frame.geometry.position_mm = {12.5, -30.25, 7.0 + static_cast<double>(number)};
    }
    frame.data = Array<cfloat>(ctx, {made.coils, samples});
    for (Index coil = 0; coil < made.coils; ++coil) {
      for (Index i = 0; i < samples; ++i) {
        frame.data.view<2>()(coil, i) = sample_value(static_cast<int>(number), coil, i);
      }
    }
  }
  if (made.noise_samples > 0) {
    scan.noise = Array<cfloat>(ctx, {made.coils, made.noise_samples});
    scan.noise_dwell_us = 5;
    for (Index coil = 0; coil < made.coils; ++coil) {
      for (Index i = 0; i < made.noise_samples; ++i) scan.noise.view<2>()(coil, i) = sample_value(-1, coil, i);
    }
  }
  return scan;
}

template <class T>
void expect_equal(const Array<T>& read, const Array<T>& written) {
  ASSERT_EQ(read.shape(), written.shape());
  EXPECT_TRUE(std::equal(read.span().begin(), read.span().end(), written.span().begin()));
}

void expect_near(const std::array<double, 3>& read, const std::array<double, 3>& written) {
  // Float in the file: half a unit in the last place of numbers below 256 is 2^-17.
  for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(read[axis], written[axis], 7.7e-6);
}

void expect_same_scan(const Scan& read, const Scan& written) {
  EXPECT_EQ(read.system, written.system);
  EXPECT_EQ(read.matrix, written.matrix);
  EXPECT_EQ(read.coils, written.coils);
  EXPECT_EQ(read.trajectory_kind, written.trajectory_kind);
  EXPECT_EQ(read.dwell_us, written.dwell_us);
  EXPECT_EQ(read.noise_dwell_us, written.noise_dwell_us);
  expect_equal(read.noise, written.noise);
  ASSERT_EQ(read.frames.size(), written.frames.size());
  for (std::size_t i = 0; i < read.frames.size(); ++i) {
    const ScanFrame& one = read.frames[i];
    const ScanFrame& other = written.frames[i];
    EXPECT_EQ(one.index, other.index);
    expect_equal(one.data, other.data);
    expect_equal(one.trajectory->points, other.trajectory->points);
    EXPECT_EQ(one.trajectory->readout_length, other.trajectory->readout_length);
    ASSERT_EQ(one.weights != nullptr, other.weights != nullptr);
    if (one.weights) expect_equal(*one.weights, *other.weights);
    expect_near(one.geometry.field_of_view_mm, other.geometry.field_of_view_mm);
    expect_near(one.geometry.position_mm, other.geometry.position_mm);
    expect_near(one.geometry.read_direction, other.geometry.read_direction);
    expect_near(one.geometry.phase_direction, other.geometry.phase_direction);
    expect_near(one.geometry.slice_direction, other.geometry.slice_direction);
  }
}

class RoundTrip : public test::FolderTest {
 protected:
  Scan write_and_read(const Scan& scan) {
    write_ismrmrd(ctx, scan, folder / "scan.h5");
    EXPECT_EQ(files_in_folder(), 1U);
    return read_ismrmrd(ctx, folder / "scan.h5");
  }
};

TEST_F(RoundTrip, PlainFrame) {
  const Scan scan = make_scan(ctx, {});
  expect_same_scan(write_and_read(scan), scan);
}

TEST_F(RoundTrip, FramesOfAllCountersWithNoiseWeightsAndObliqueSlices) {
  Case made;
  made.weighted = made.oblique = true;
  made.noise_samples = 70000;  // more than one acquisition holds
  made.frames = {{0, 0, 0, 0, 0}, {0, 0, 0, 1, 0}, {0, 1, 0, 0, 0}, {1, 0, 2, 0, 0}, {3, 0, 0, 0, 1}};
  const Scan scan = make_scan(ctx, made);
  const Scan read = write_and_read(scan);
  expect_same_scan(read, scan);
  for (const ScanFrame& frame : read.frames) {
    EXPECT_EQ(frame.trajectory, read.frames.front().trajectory) << "equal trajectories are shared";
    EXPECT_EQ(frame.weights, read.frames.front().weights);
  }
}

TEST_F(RoundTrip, ThreeDimensionsWithAndWithoutWeights) {
  for (const bool weighted : {false, true}) {
    Case made;
    made.matrix = {24, 20, 16};
    made.weighted = weighted;
    const Scan scan = make_scan(ctx, made);
    expect_same_scan(write_and_read(scan), scan);
  }
}

TEST_F(RoundTrip, FramesOfDifferentTrajectoriesKeepTheirs) {
  Case made;
  made.frames = {{0, 0, 0, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 2, 0}};
  Scan scan = make_scan(ctx, made);
  scan.frames[1].trajectory = make_trajectory(ctx, made, 1);
  const Scan read = write_and_read(scan);
  expect_same_scan(read, scan);
  EXPECT_NE(read.frames[0].trajectory, read.frames[1].trajectory);
  EXPECT_EQ(read.frames[0].trajectory, read.frames[2].trajectory);
}

TEST_F(RoundTrip, UnknownReadoutLengthStaysUnknown) {
  for (const Index length : {Index{16}, Index{30000}}) {  // 80 and 150000 samples: one and three acquisitions
    Case made;
    made.coils = 1;
    made.length = length;
    made.readout_length = 0;
    const Scan scan = make_scan(ctx, made);
    expect_same_scan(write_and_read(scan), scan);
  }
}

TEST_F(RoundTrip, SmallTrajectoryIsNotMistakenForAnotherUnit) {
  // 0.01 cycles per pixel could be detected as nothing: the file says its unit.
  Case made;
  Scan scan = make_scan(ctx, made);
  auto small = std::make_shared<Trajectory>();
  small->points = zeros<double>(ctx, {80, 2});
  small->points.view<2>()(3, 1) = 0.0078125;
  small->readout_length = 16;
  scan.frames.front().trajectory = small;
  expect_same_scan(write_and_read(scan), scan);
}

TEST_F(RoundTrip, FlagsMarkFirstAndLastOfFrameRepetitionAndScan) {
  Case made;
  made.noise_samples = 8;
  made.frames = {{0, 0, 0, 0, 0}, {0, 0, 0, 1, 0}, {1, 0, 0, 0, 0}, {1, 0, 0, 1, 0}};
  write_ismrmrd(ctx, make_scan(ctx, made), folder / "scan.h5");
  ISMRMRD::Dataset dataset((folder / "scan.h5").c_str(), "dataset", false);
  ASSERT_EQ(dataset.getNumberOfAcquisitions(), 21U);
  const auto flagged = [&](ISMRMRD::ISMRMRD_AcquisitionFlags flag) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < 21; ++i) {
      ISMRMRD::Acquisition acquisition;
      dataset.readAcquisition(i, acquisition);
      EXPECT_EQ(acquisition.scan_counter(), i);
      EXPECT_TRUE(acquisition.isChannelActive(2));
      EXPECT_FALSE(acquisition.isChannelActive(3));
      if (acquisition.getHead().isFlagSet(flag)) found.push_back(i);
    }
    return found;
  };
  using Numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(flagged(ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT), (Numbers{0}));
  EXPECT_EQ(flagged(ISMRMRD::ISMRMRD_ACQ_FIRST_IN_SLICE), (Numbers{1, 6, 11, 16}));
  EXPECT_EQ(flagged(ISMRMRD::ISMRMRD_ACQ_LAST_IN_SLICE), (Numbers{5, 10, 15, 20}));
  EXPECT_EQ(flagged(ISMRMRD::ISMRMRD_ACQ_FIRST_IN_REPETITION), (Numbers{1, 6}));
  EXPECT_EQ(flagged(ISMRMRD::ISMRMRD_ACQ_LAST_IN_REPETITION), (Numbers{15, 20}));
  EXPECT_EQ(flagged(ISMRMRD::ISMRMRD_ACQ_LAST_IN_MEASUREMENT), (Numbers{20}));
}

// The data of some frames, in an order of their own, read after all else: those of a scan that is read whole, also where its
// center is moved and where positions come from another file.
TEST(IsmrmrdFile, DataReadLaterAreThoseReadAtOnce) {
  const Context ctx;
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "scan.h5";
  write_ismrmrd(ctx, make_scan(ctx, {.frames = {{.repetition = 0}, {.repetition = 1}, {.repetition = 2}}}), path);
  for (const bool other_positions : {false, true}) {
    ScanReadOptions options{.center = ImageCenter::middle};
    if (other_positions) options.trajectory_from = path.string();
    const Scan whole = read_scan(ctx, path, options);
    options.later = std::make_shared<FrameData>();
    const Scan bare = read_scan(ctx, path, options);
    for (const ScanFrame& frame : bare.frames) EXPECT_EQ(frame.data.shape(), (Shape{whole.coils, 0}));
    const std::array<Index, 2> wanted{2, 0};
    const auto data = (*options.later)(ctx, wanted);
    ASSERT_EQ(data.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const ScanFrame& expected = whole.frames[static_cast<std::size_t>(wanted[i])];
      EXPECT_TRUE(std::ranges::equal(data[i].span(), expected.data.span())) << "frame " << wanted[i];
      EXPECT_TRUE(std::ranges::equal(bare.frames[static_cast<std::size_t>(wanted[i])].trajectory->points.span(),
                                     expected.trajectory->points.span()));
    }
  }
}

}  // namespace
}  // namespace whorl
