// Which readouts of a sequence belong to which frame, and which of the data they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <memory>
#include <string>

#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "unit/io/pulseq/sequence_text.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/convert.hpp"
#include "whorl/io/pulseq.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl {
namespace {

using test::pulse_shapes;
using test::read_sequence;
using test::sequence_of;
using test::TemporaryFolder;
using test::write_file;
using testing::HasSubstr;

// Two slices in turn, a readout of the first and one of the second twice over, by the frequency of the pulse beside a
// gradient along z. k is up to about 1000 1/m in the plane, 200 cycles over 200 mm.
std::string sliced_sequence(double frequency, const std::string& gradient) {
  const std::string rf = "[RF]\n1 2500 1 0 2 50 0 0 0 0 0 e\n2 2500 1 0 2 50 0 0 0 " + std::to_string(frequency) +
                         " 0 e\n3 2500 1 0 2 50 0 0 0 0 0 s\n";
  return sequence_of("5\nrevision 0", "[BLOCKS]\n1 10 1 0 0 " + gradient + " 0 0\n2 130 0 1 2 0 1 0\n3 10 2 0 0 " +
                                          gradient + " 0 0\n4 130 0 2 1 0 1 0\n5 10 1 0 0 " + gradient +
                                          " 0 0\n6 130 0 2 1 0 1 0\n7 10 2 0 0 " + gradient +
                                          " 0 0\n8 130 0 1 2 0 1 0\n" + rf +
                                          "[TRAP]\n1 1000000 100 1000 200 0\n2 -400000 0 500 0 20\n3 2000 10 80 10 0\n"
                                          "[ADC]\n1 10 100000 100 0 0 0 0 0\n[SHAPES]\n" +
                                          pulse_shapes);
}

TEST(PulseqFrames, FrequenciesOfPulsesTellSlicesApart) {
  const PulseqReadouts found = read_sequence(sliced_sequence(8, "3"));  // 4 mm away
  ASSERT_EQ(found.readouts.size(), 4);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(found.readouts[i].frame.slice, static_cast<int>(i % 2));
  EXPECT_THAT(found.notes, testing::Contains(HasSubstr("frequencies of their pulses, 2")));
  // Neither one frequency, nor frequencies without a gradient, select other slices.
  for (const std::string& text : {sliced_sequence(0, "3"), sliced_sequence(8, "0")}) {
    for (const PulseqReadout& readout : read_sequence(text).readouts) EXPECT_EQ(readout.frame.slice, 0);
  }
}

// The second half of a half pulse: the gradient and the frequency have the other sign.
TEST(PulseqFrames, AReversedGradientWithTheOppositeFrequencySelectsTheSameSlice) {
  std::string text = sliced_sequence(8, "3");
  const auto put = [&](const std::string& old, const std::string& made) {
    text.replace(text.find(old), old.size(), made);
  };
  put("7 10 2 0 0 3 0 0", "7 10 4 0 0 4 0 0");
  put("[TRAP]\n", "4 2500 1 0 2 50 0 0 0 -8 0 e\n[TRAP]\n4 -2000 10 80 10 0\n");
  const PulseqReadouts found = read_sequence(text);
  ASSERT_EQ(found.readouts.size(), 4);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(found.readouts[i].frame.slice, static_cast<int>(i % 2));
}

TEST(PulseqFrames, DataWithoutCountersTakeFramesInTheOrderOfAcquisition) {
  const Context ctx;
  const TemporaryFolder folder;
  write_file(folder / "a.seq", sliced_sequence(8, "3"));
  const Scan plan = read_scan(ctx, folder / "a.seq");
  ASSERT_EQ(plan.frames.size(), 2);
  Scan scan;
  scan.matrix = plan.matrix;
  scan.coils = 1;
  ScanFrame& frame = scan.frames.emplace_back();
  frame.geometry = plan.frames[0].geometry;
  frame.trajectory = std::make_shared<const Trajectory>(Trajectory{zeros<double>(ctx, {40, 2}), 10});
  frame.data = Array<std::complex<float>>(ctx, {1, 40});
  for (Index i = 0; i < 40; ++i) frame.data.data()[i] = static_cast<float>(i);
  ScanReadOptions options;
  options.trajectory_from = folder / "a.seq";
  for (const char* name : {"data.npz", "data.h5"}) {
    write_scan(ctx, scan, folder / name);
    const Scan dealt = read_scan(ctx, folder / name, options);
    ASSERT_EQ(dealt.frames.size(), 2) << name;
    EXPECT_EQ(dealt.frames[1].index.slice, 1);
    // The second slice has the second and the fourth readout.
    EXPECT_EQ(dealt.frames[1].data.data()[3], 13.0F);
    EXPECT_EQ(dealt.frames[1].data.data()[10], 30.0F);
    EXPECT_EQ(dealt.frames[1].trajectory->points.view<2>()(10, 0), plan.frames[1].trajectory->points.view<2>()(10, 0));
  }
}

TEST(PulseqFrames, CountersOfTheDataTellWhatNoLabelDoes) {
  const Context ctx;
  const TemporaryFolder folder;
  write_file(folder / "a.seq", sliced_sequence(8, "0"));
  const Scan plan = read_scan(ctx, folder / "a.seq");
  ASSERT_EQ(plan.frames.size(), 1);
  Scan scan;
  scan.matrix = plan.matrix;
  scan.coils = 1;
  for (int contrast = 0; contrast < 2; ++contrast) {
    ScanFrame& frame = scan.frames.emplace_back();
    frame.index.contrast = contrast;
    frame.geometry = plan.frames[0].geometry;
    frame.trajectory = std::make_shared<const Trajectory>(Trajectory{zeros<double>(ctx, {20, 2}), 10});
    frame.data = zeros<std::complex<float>>(ctx, {1, 20});
  }
  write_scan(ctx, scan, folder / "data.h5");
  ScanReadOptions options;
  options.trajectory_from = folder / "a.seq";
  const Scan placed = read_scan(ctx, folder / "data.h5", options);
  ASSERT_EQ(placed.frames.size(), 2);
  // The second contrast was written after the first: it has the third and the fourth readout.
  for (const Index sample : {0, 19}) {
    EXPECT_EQ(placed.frames[1].trajectory->points.view<2>()(sample, 0),
              plan.frames[0].trajectory->points.view<2>()(20 + sample, 0));
  }
}

TEST(PulseqFrames, ArraysMayHoldTheReadoutsOfAllFrames) {
  const Context ctx;
  const TemporaryFolder folder;
  write_file(folder / "a.seq", sliced_sequence(8, "3"));
  Array<std::complex<float>> samples(ctx, {3, 4, 10});
  for (Index i = 0; i < samples.size(); ++i) samples.data()[i] = static_cast<float>(i);
  write_array(ctx, folder / "kdata.npy", {"kdata", std::move(samples)});
  ConvertOptions options;
  options.matrix = {512, 512, 1};
  options.trajectory_from = folder / "a.seq";
  const Scan scan = convert_scan(ctx, {folder / "kdata.npy"}, options);
  ASSERT_EQ(scan.frames.size(), 2);
  EXPECT_EQ(scan.coils, 3);
  // The second slice has the second and the fourth readout.
  EXPECT_EQ(scan.frames[1].data.view<2>()(2, 0), 90.0F);
  EXPECT_EQ(scan.frames[1].data.view<2>()(0, 10), 30.0F);
}

}  // namespace
}  // namespace whorl
