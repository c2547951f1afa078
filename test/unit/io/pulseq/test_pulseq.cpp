// Pulseq: the expected positions are integrals of the gradients by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.hpp"
#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "unit/io/pulseq/sequence_text.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/convert.hpp"
#include "whorl/io/describe_file.hpp"
#include "whorl/io/pulseq.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl {
namespace {

using test::error_of;
using test::pulse_shapes;
using test::read_sequence;
using test::sequence_of;
using test::TemporaryFolder;
using test::write_file;
using testing::HasSubstr;

// Sums of some ten numbers of up to 1e3.
constexpr double rounding = 1e-12 * 1e3;

// Block pulses of 100 us: 1 excites (90 degrees), 2 refocuses (180 degrees). Their center is after 50 us.
const std::string pulses_1_5 = "[RF]\n1 2500 1 0 2 50 0 0 0 0 0 e\n2 5000 1 0 2 50 0 0 0 0 0 r\n";
const std::string pulses_1_4 = "[RF]\n1 2500 1 0 2 0 0 0\n2 5000 1 0 2 0 0 0\n";
double k(const PulseqReadouts& found, Index sample, Index axis) {
  return found.positions_per_m.view<2>()(sample, axis);
}

TEST(Pulseq, TrapezoidsAreIntegrated) {
  const PulseqReadouts found = read_sequence(
      sequence_of("5\nrevision 0",
                  "[BLOCKS]\n1 10 1 0 0 0 0 0\n2 130 0 1 2 0 1 0\n3 10 1 0 0 0 0 0\n4 130 0 2 0 1 1 0\n" + pulses_1_5 +
                      "[TRAP]\n1 1000 100 1000 200 0\n2 -400 0 500 0 20\n[ADC]\n1 10 100000 100 0 0 0 0 0\n[SHAPES]\n" +
                      pulse_shapes));
  ASSERT_EQ(found.readouts.size(), 2);
  EXPECT_EQ(found.readouts[1].first, 10);
  EXPECT_EQ(found.readouts[1].samples, 10);
  EXPECT_NEAR(found.readouts[1].dwell_us, 100, 1e-9);
  for (Index i = 0; i < 10; ++i) {
    const double time = 100e-6 + (static_cast<double>(i) + 0.5) * 100e-6;  // in its block
    const double ramp_up = 0.5 * 1000 * 100e-6;
    const double along = ramp_up + 1000 * (time - 100e-6);
    const double other = -400 * std::min(time - 20e-6, 500e-6);
    EXPECT_NEAR(k(found, i, 0), along, rounding);
    EXPECT_NEAR(k(found, i, 1), other, rounding);
    EXPECT_EQ(k(found, i, 2), 0);
    // The second shot begins at 0 again.
    EXPECT_NEAR(k(found, 10 + i, 0), other, rounding);
    EXPECT_EQ(k(found, 10 + i, 1), 0);
    EXPECT_NEAR(k(found, 10 + i, 2), along, rounding);
    EXPECT_NEAR(found.seconds.data()[i], 100e-6 + time, 1e-15);
    EXPECT_NEAR(found.seconds.data()[10 + i], 1500e-6 + time, 1e-15);
    EXPECT_NEAR(found.seconds_after_excitation.data()[10 + i], 50e-6 + time, 1e-15);
  }
}

// A ramp of 0 to 1000 Hz/m in 50 us and a plateau of 50 us, then its end in the next block: as values at the centers of
// the raster, with half the raster, and as corners. All are the same gradient.
const std::string ramp_shapes =
    "shape_id 3\nnum_samples 10\n0.1\n0.2\n0.2\n2\n0.1\n0\n0\n2\n\n"
    "shape_id 4\nnum_samples 19\n0.1\n0.1\n7\n0.1\n0\n0\n7\n\n"
    "shape_id 5\nnum_samples 3\n0\n1\n1\n\nshape_id 6\nnum_samples 3\n0\n5\n10\n\n"
    "shape_id 7\nnum_samples 2\n1\n0\n\nshape_id 8\nnum_samples 2\n0\n5\n\n";

void expect_ramp(const PulseqReadouts& found, double rounding_of_file) {
  ASSERT_EQ(found.seconds.size(), 30);
  const double g = 1000;
  for (Index i = 0; i < 30; ++i) {
    const double time = (static_cast<double>(i) + 0.5) * 5e-6;
    double expected = g * time * time / (2 * 50e-6);
    if (time > 50e-6) expected = g * (time - 25e-6);
    if (time > 100e-6) expected = g * (75e-6 + (time - 100e-6) - std::pow(time - 100e-6, 2) / (2 * 50e-6));
    EXPECT_NEAR(k(found, i, 0), expected, rounding_of_file) << i;
  }
}

std::string ramp_sequence(const std::string& gradients, const std::string& version, const std::string& adc) {
  return sequence_of(version, "[BLOCKS]\n1 10 1 0 0 0 0 0\n2 10 0 1 0 0 1 0\n3 5 0 2 0 0 2 0\n" +
                                  (version[0] == '5' ? pulses_1_5 : pulses_1_4) + "[GRADIENTS]\n" + gradients +
                                  "[ADC]\n1 " + "20 5000 0" + adc + "\n2 10 5000 0" + adc + "\n[SHAPES]\n" +
                                  pulse_shapes + ramp_shapes);
}

TEST(Pulseq, ShapesOfAllKindsAreTheSameGradient) {
  const std::string end_1_5 = "2 1000 1000 0 7 8 0\n";
  expect_ramp(read_sequence(ramp_sequence("1 1000 0 1000 5 6 0\n" + end_1_5, "5\nrevision 0", " 0 0 0 0 0")), rounding);
  expect_ramp(read_sequence(ramp_sequence("1 1000 0 1000 4 -1 0\n" + end_1_5, "5\nrevision 0", " 0 0 0 0 0")),
              rounding);
  expect_ramp(read_sequence(ramp_sequence("1 1000 5 6 0\n2 1000 7 8 0\n", "4\nrevision 1", " 0 0")), rounding);
  // Between the centers of the raster's cells around the corner at 50 us, the line cuts it off: a triangle of 10 us and
  // as high as half of what the ramp rises in 5 us.
  constexpr double corner = 1000 / 50e-6 * 5e-6 * 5e-6 / 2;
  expect_ramp(read_sequence(ramp_sequence("1 1000 0 1000 3 0 0\n" + end_1_5, "5\nrevision 0", " 0 0 0 0 0")),
              corner + rounding);
  expect_ramp(read_sequence(ramp_sequence("1 1000 3 0 0\n2 1000 7 8 0\n", "4\nrevision 1", " 0 0")), corner + rounding);
}

TEST(Pulseq, RefocusingReversesK) {
  for (const bool old : {false, true}) {
    const std::string trapezoid = "[TRAP]\n1 1000 0 300 0 0\n";
    const PulseqReadouts found =
        read_sequence(sequence_of(old ? "4\nrevision 0" : "5\nrevision 1",
                                  "[BLOCKS]\n1 10 1 0 0 0 0 0\n2 30 0 1 0 0 0 0\n3 30 2 0 1 0 0 0\n4 30 0 1 0 0 1 0\n" +
                                      (old ? pulses_1_4 : pulses_1_5) + trapezoid + "[ADC]\n1 3 100000 0 " +
                                      (old ? "0 0" : "0 0 0 0 0") + "\n[SHAPES]\n" + pulse_shapes));
    // In x -0.3 after the pulse, and back; in y the gradient is on during the pulse: 50 us before and 250 us after it.
    EXPECT_NEAR(k(found, 0, 0), -0.3 + 0.05, rounding);
    EXPECT_NEAR(k(found, 2, 0), -0.3 + 0.25, rounding);
    EXPECT_NEAR(k(found, 0, 1), -0.05 + 0.25, rounding);
    EXPECT_EQ(std::count_if(found.notes.begin(), found.notes.end(),
                            [](const std::string& note) { return note.find("up to 90 degrees") != std::string::npos; }),
              old ? 1 : 0);
  }
}

TEST(Pulseq, RotationsTurnTheBlock) {
  // By 90 degrees about z: x becomes y; by 120 degrees about (1, 1, 1): x becomes y, y becomes z.
  const PulseqReadouts found = read_sequence(sequence_of(
      "5\nrevision 1",
      "[BLOCKS]\n1 10 1 0 0 0 0 0\n2 30 0 1 2 0 1 1\n3 10 1 0 0 0 0 0\n4 30 0 1 2 0 1 2\n" + pulses_1_5 +
          "[TRAP]\n1 1000 0 300 0 0\n2 -500 0 300 0 0\n[ADC]\n1 1 200000 0 0 0 0 0 0\n"
          "[EXTENSIONS]\n1 7 1 0\n2 7 2 0\nextension ROTATIONS 7\n1 0.707107 0 0 0.707107\n2 0.5 0.5 0.5 0.5\n"
          "[SHAPES]\n" +
          pulse_shapes));
  // The file has six digits of the quaternion.
  constexpr double digits = 1e-6;
  EXPECT_NEAR(k(found, 0, 0), 0.05, digits);
  EXPECT_NEAR(k(found, 0, 1), 0.1, digits);
  EXPECT_NEAR(k(found, 0, 2), 0, digits);
  EXPECT_NEAR(k(found, 1, 0), 0, rounding);
  EXPECT_NEAR(k(found, 1, 1), 0.1, rounding);
  EXPECT_NEAR(k(found, 1, 2), -0.05, rounding);
}

TEST(Pulseq, LabelsMakeFrames) {
  const Context ctx;
  const TemporaryFolder folder;
  // A noise scan before the first pulse, a navigator, then two echoes of two slices.
  std::string blocks = "[BLOCKS]\n1 10 0 0 0 0 1 0\n2 10 1 0 0 0 0 1\n3 30 0 1 1 0 1 2\n4 1 0 0 0 0 0 3\n";
  blocks += "5 30 0 1 0 0 1 0\n6 30 0 0 1 0 1 4\n7 10 1 0 0 0 0 5\n8 30 0 1 0 0 1 0\n9 30 0 0 1 0 1 4\n";
  write_file(
      folder / "a.seq",
      sequence_of("4\nrevision 1",
                  blocks + pulses_1_4 +
                      "[TRAP]\n1 1000000 0 300 0 0\n[ADC]\n1 2 20000 0 0 0\n[EXTENSIONS]\n1 1 1 0\n2 2 9 0\n3 1 2 0\n"
                      "4 2 1 0\n5 1 3 6\n6 2 2 0\nextension LABELSET 1\n1 1 NAV\n2 0 NAV\n3 0 ECO\nextension LABELINC "
                      "2\n1 1 ECO\n2 1 SLC\n9 0 ECO\n[SHAPES]\n" +
                      pulse_shapes));
  EXPECT_EQ(describe_file(folder / "a.seq").format, "pulseq");
  const Scan scan = read_scan(ctx, folder / "a.seq");
  ASSERT_EQ(scan.frames.size(), 4);
  EXPECT_EQ(scan.frames[1].index, (FrameIndex{.slice = 0, .contrast = 1}));
  EXPECT_EQ(scan.frames[2].index, (FrameIndex{.slice = 1, .contrast = 0}));
  EXPECT_EQ(scan.frames[0].trajectory->samples(), 2);
  EXPECT_EQ(scan.coils, 0);
  EXPECT_EQ(scan.dim(), 2);
  std::string notes;
  for (const Note& note : scan.notes) notes += note + "\n";
  EXPECT_THAT(notes, HasSubstr("before the first pulse were left out: 1"));
  EXPECT_THAT(notes, HasSubstr("navigators were left out: 1"));
  // Echo 0 of slice 0 begins at k = 310 1/m in x, after the navigator's 300; echo 1 is at 600 in x, and up to 330 in y:
  // 120 and 66 cycles over 200 mm.
  EXPECT_EQ(scan.matrix, (std::array<Index, 3>{240, 132, 1}));
  EXPECT_NEAR(scan.frames[0].trajectory->points.data()[0], 310 * 0.2 / 240, rounding);
}

TEST(Pulseq, OldVersionsHaveDelaysAndOtherColumns) {
  // 1.2: no extensions, durations from events and delays.
  const PulseqReadouts found = read_sequence(
      "[VERSION]\nmajor 1\nminor 2\nrevision 1\n[BLOCKS]\n1 0 1 0 0 0 0\n2 1 0 1 0 0 0\n3 0 0 1 0 0 1\n"
      "[RF]\n1 2500 1 2 0 0 0\n[GRADIENTS]\n1 1000 3 0\n[ADC]\n1 2 10000 30 0 0\n[DELAYS]\n1 500\n[SHAPES]\n"
      // 100 ones, 100 zeros, and 10 ones that are as long as their shape.
      "shape_id 1\nnum_samples 100\n1\n0\n0\n97\n\nshape_id 2\nnum_samples 100\n0\n0\n98\n\n"
      "shape_id 3\nnum_samples 4\n1\n0\n0\n1\n");
  ASSERT_EQ(found.seconds.size(), 2);
  // 4 rasters of 10 us from 0 to 1000 Hz/m at 5 us: 2.5e-3 less; the second time it begins with 0 too.
  constexpr double area = 1000 * 40e-6 - 1000 * 2.5e-6;
  EXPECT_NEAR(k(found, 0, 0), area + 1000 * 35e-6 - 1000 * 2.5e-6, rounding);
  EXPECT_NEAR(k(found, 1, 0), 2 * area, rounding);
  EXPECT_NEAR(found.seconds.data()[0], 100e-6 + 500e-6 + 35e-6, 1e-15);
}

TEST(Pulseq, TheMatrixMayBeStated) {
  const Context ctx;
  const TemporaryFolder folder;
  write_file(
      folder / "a.seq",
      sequence_of("5\nrevision 0", "[BLOCKS]\n1 10 1 0 0 0 0 0\n2 30 0 1 1 2 1 0\n" + pulses_1_5 +
                                       "[TRAP]\n1 1000000 0 300 0 0\n2 100000 0 300 0 0\n[ADC]\n1 3 100000 0 0 0 0 0 "
                                       "0\n[SHAPES]\n" +
                                       pulse_shapes));
  // 250 1/m: 50 cycles over 200 mm; in z 25 1/m are 0.125 cycles over 5 mm.
  EXPECT_EQ(read_scan(ctx, folder / "a.seq").matrix, (std::array<Index, 3>{100, 100, 1}));
  ConvertOptions options;
  options.matrix = {128, 120, 1};
  options.trajectory_kind = "radial";
  const Scan scan = convert_scan(ctx, {folder / "a.seq"}, options);
  EXPECT_EQ(scan.trajectory_kind, "radial");
  EXPECT_EQ(scan.dwell_us, 100);
  EXPECT_EQ(scan.readout_start_us, 0);
  EXPECT_EQ(scan.frames[0].geometry.field_of_view_mm, (std::array<double, 3>{200, 200, 5}));
  EXPECT_NEAR(scan.frames[0].trajectory->points.data()[5], 250 * 0.2 / 120, rounding);
  // With 100 mm along z the samples are those of a volume of 6 partitions: 2.5 cycles.
  options.field_of_view_mm = {200, 200, 100};
  EXPECT_THAT(error_of<ValueError>([&] { convert_scan(ctx, {folder / "a.seq"}, options); }),
              HasSubstr("the image is a volume"));
  options.matrix[2] = 6;
  EXPECT_NEAR(convert_scan(ctx, {folder / "a.seq"}, options).frames[0].trajectory->points.data()[8], 25 * 0.1 / 6,
              rounding);
  options.matrix[0] = 64;
  EXPECT_THAT(error_of<ValueError>([&] { convert_scan(ctx, {folder / "a.seq"}, options); }),
              HasSubstr("check the matrix size"));
}

// Data and positions that say nothing, but for a sample.
void set_samples(const Context& ctx, ScanFrame& frame, Index samples) {
  frame.data = Array<std::complex<float>>(ctx, {1, samples});
  std::fill(frame.data.span().begin(), frame.data.span().end(), std::complex<float>());
  frame.data.data()[1] = {1, 2};
  Array<double> points(ctx, {samples, 2});
  std::fill(points.span().begin(), points.span().end(), 0.0);
  frame.trajectory = std::make_shared<const Trajectory>(Trajectory{std::move(points), samples});
}

TEST(Pulseq, DataTakeTheirPositions) {
  const Context ctx;
  const TemporaryFolder folder;
  write_file(
      folder / "a.seq",
      sequence_of("5\nrevision 0", "[BLOCKS]\n1 10 1 0 0 0 0 0\n2 30 0 1 2 0 1 0\n" + pulses_1_5 +
                                       "[TRAP]\n1 1000000 0 300 0 0\n2 -500000 0 300 0 0\n[ADC]\n1 3 100000 0 0 0 "
                                       "0 0 0\n[SHAPES]\n" +
                                       pulse_shapes));
  // Two frames of data with other positions, 200 mm in 128 x 100 pixels.
  Scan data;
  data.matrix = {128, 100, 1};
  data.coils = 1;
  data.trajectory_kind = "cartesian";
  for (int repetition = 0; repetition < 2; ++repetition) {
    ScanFrame& frame = data.frames.emplace_back();
    frame.index.repetition = repetition;
    frame.geometry.field_of_view_mm = {200, 200, 5};
    set_samples(ctx, frame, 3);
  }
  ScanReadOptions options;
  options.trajectory_from = folder / "a.seq";
  for (const char* name : {"data.h5", "data.npz"}) {
    write_scan(ctx, data, folder / name);
    const Scan scan = read_scan(ctx, folder / name, options);
    EXPECT_EQ(scan.frames[1].data.data()[1], std::complex<float>(1, 2));
    EXPECT_EQ(scan.frames[1].trajectory, scan.frames[0].trajectory);
    const double* points = scan.frames[0].trajectory->points.data();
    EXPECT_NEAR(points[0], 50 * 0.2 / 128, rounding);
    EXPECT_NEAR(points[5], -125 * 0.2 / 100, rounding);
    EXPECT_EQ(scan.dwell_us, 100);
    // From another scan, by the size of its pixels: twice as large in x.
    Scan plan = clone(ctx, scan);
    plan.matrix[0] = 64;
    plan.frames.resize(1);
    write_scan(ctx, plan, folder / "plan.npz");
    ScanReadOptions other;
    other.trajectory_from = folder / "plan.npz";
    EXPECT_NEAR(read_scan(ctx, folder / name, other).frames[1].trajectory->points.data()[0], points[0] / 2, rounding);
    plan.frames[0].index.repetition = 5;
    Scan copy = clone(ctx, plan);
    plan.frames.push_back(std::move(copy.frames.front()));
    plan.frames[1].index.repetition = 6;
    plan.frames[1].trajectory = std::make_shared<const Trajectory>(Trajectory{zeros<double>(ctx, {3, 2}), 3});
    write_scan(ctx, plan, folder / "plan.npz");
    // As many frames with other counters: in the order of acquisition.
    const Scan ordered = read_scan(ctx, folder / name, other);
    EXPECT_NEAR(ordered.frames[0].trajectory->points.data()[0], points[0] / 2, rounding);
    EXPECT_EQ(ordered.frames[1].trajectory->points.data()[0], 0);
    // Not where some counters are those of the data.
    plan.frames[0].index.repetition = 1;
    write_scan(ctx, plan, folder / "plan.npz");
    EXPECT_THAT(error_of<ShapeError>([&] { read_scan(ctx, folder / name, other); }),
                HasSubstr("repetition 0, set 0, which the data have"));
  }
  set_samples(ctx, data.frames[1], 4);
  write_scan(ctx, data, folder / "data.npz");
  EXPECT_THAT(error_of<ShapeError>([&] { read_scan(ctx, folder / "data.npz", options); }),
              HasSubstr("3 samples in readouts of 3, but the data have 4"));
}

// A few hundred bytes that ask for 2^28 samples, for a gradient of hours, and for one that is played again and again.
TEST(Pulseq, SmallFilesDoNotAskForMuch) {
  const auto refusal = [](const std::string& blocks, const std::string& rest) {
    return error_of<IoError>([&] {
      read_sequence(
          sequence_of("5\nrevision 0", "[BLOCKS]\n" + blocks + pulses_1_5 + rest + "[SHAPES]\n" + pulse_shapes));
    });
  };
  std::string blocks = "1 10 1 0 0 0 0 0\n";
  for (int i = 2; i < 18; ++i) blocks += std::to_string(i) + " 1000000 0 0 0 0 1 0\n";
  EXPECT_THAT(refusal(blocks, "[ADC]\n1 2097152 1000 0 0 0 0 0 0\n"),
              HasSubstr("which is too much for a file of its size"));
  EXPECT_THAT(refusal(blocks, "[ADC]\n1 16777216 1000 0 0 0 0 0 0\n"), HasSubstr("expected a whole number from 0 to"));
  const std::string gradients = "[GRADIENTS]\n1 1000 0 0 3 0 0\n[ADC]\n1 10 1000 0 0 0 0 0 0\n";
  std::string more = "1 10 1 0 0 0 0 0\n";
  for (int i = 2; i < 18; ++i) more += std::to_string(i) + " 1000000 0 1 1 1 1 0\n";
  const auto shape_of_samples = [&](const std::string& samples) {
    return error_of<IoError>([&] {
      read_sequence(sequence_of("5\nrevision 0", "[BLOCKS]\n" + more + pulses_1_5 + gradients + "[SHAPES]\n" +
                                                     pulse_shapes + "shape_id 3\nnum_samples " + samples + "\n0\n0\n" +
                                                     std::to_string(std::stol(samples) - 2) + "\n\n"));
    });
  };
  EXPECT_THAT(shape_of_samples("900000"), HasSubstr("its gradients have more than"));
  EXPECT_THAT(shape_of_samples("9000000"), HasSubstr("expected a whole number from 0 to"));
}

}  // namespace
}  // namespace whorl
