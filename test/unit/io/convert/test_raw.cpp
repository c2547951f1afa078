#include <limits>

#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/convert.hpp"

namespace whorl {
namespace {

using test::cfloat;
using test::has_note;
using test::message_of;
using test::sample_value;
using ::testing::HasSubstr;

class ConvertRaw : public test::FolderTest {
 protected:
  static constexpr Index samples = 12;

  template <class T>
  std::filesystem::path write(const std::string& name, const std::vector<T>& values) {
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
    return folder / name;
  }
  /// Rows of kx = i/32, then the given further numbers.
  std::filesystem::path trajectory(const std::vector<float>& rest) {
    std::vector<float> rows;
    for (Index i = 0; i < samples; ++i) {
      rows.push_back(static_cast<float>(i) / 32);
      rows.insert(rows.end(), rest.begin(), rest.end());
    }
    return write("scan.trj", rows);
  }
  std::filesystem::path coil(Index number, Index repetitions) {
    std::vector<cfloat> values;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      for (Index i = 0; i < samples; ++i) values.push_back(sample_value(repetition, number, i));
    }
    return write("scan." + std::to_string(number), values);
  }
  static ConvertOptions options(Index z = 1) {
    ConvertOptions made;
    made.matrix = {24, 20, z};
    return made;
  }
  template <class E>
  std::string refusal(const std::vector<std::filesystem::path>& inputs, const ConvertOptions& made) {
    return message_of<E>([&] { convert_scan(ctx, inputs, made); });
  }
};

TEST_F(ConvertRaw, CoilsAndRepetitions) {
  ConvertOptions made = options();
  made.readout_length = 4;
  made.field_of_view_mm = {240, 200, 5};
  made.dwell_us = 3;
  made.trajectory_kind = "spiral";
  const Scan scan = convert_scan(ctx, {trajectory({0.25F, 0.5F}), coil(0, 3), coil(1, 3)}, made);
  EXPECT_EQ(scan.coils, 2);
  EXPECT_EQ(scan.trajectory_kind, "spiral");
  EXPECT_EQ(scan.dwell_us, 3);
  EXPECT_EQ(scan.trajectory_unit, "cycles/pixel (detected)");
  ASSERT_EQ(scan.frames.size(), 3U);
  for (int repetition = 0; repetition < 3; ++repetition) {
    const ScanFrame& frame = scan.frames[static_cast<std::size_t>(repetition)];
    EXPECT_EQ(frame.index, (FrameIndex{0, 0, 0, repetition, 0}));
    EXPECT_EQ(frame.data.view<2>()(1, 7), sample_value(repetition, 1, 7));
    EXPECT_EQ(frame.trajectory, scan.frames[0].trajectory);
    EXPECT_EQ(frame.trajectory->readout_length, 4);
    EXPECT_EQ(frame.trajectory->points.view<2>()(8, 0), 0.25);
    EXPECT_EQ(frame.trajectory->points.view<2>()(8, 1), 0.25);
    EXPECT_EQ(frame.weights->data()[8], 0.5F);
    EXPECT_EQ(frame.geometry.field_of_view_mm, made.field_of_view_mm);
  }
  EXPECT_TRUE(has_note(scan, "12 samples (xyw), 2 coils, 3 repetitions, readouts of 4 samples"));
}

TEST_F(ConvertRaw, OtherColumns) {
  ConvertOptions made = options();
  made.trajectory_columns = TrajectoryColumns::xy;
  Scan scan = convert_scan(ctx, {trajectory({0.25F}), coil(0, 1)}, made);
  EXPECT_EQ(scan.frames[0].weights, nullptr);
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 0);
  scan = convert_scan(ctx, {trajectory({0.25F, 0.125F, 2}), coil(0, 1)}, options(16));
  EXPECT_EQ(scan.frames[0].trajectory->dim(), 3);
  EXPECT_EQ(scan.frames[0].trajectory->points.view<2>()(5, 2), 0.125);
  EXPECT_EQ(scan.frames[0].weights->data()[5], 2);
  EXPECT_THAT(refusal<ValueError>({trajectory({0.25F}), coil(0, 1)},
                                  [] {
                                    ConvertOptions stated = options(16);
                                    stated.trajectory_columns = TrajectoryColumns::xy;
                                    return stated;
                                  }()),
              HasSubstr("do not fit a 3D matrix"));
}

TEST_F(ConvertRaw, SurvivesWritingAndReading) {
  ConvertOptions made = options();
  made.readout_length = 4;
  const Scan scan = convert_scan(ctx, {trajectory({0.25F, 0.5F}), coil(0, 2)}, made);
  write_ismrmrd(ctx, scan, folder / "scan.h5");
  const Scan read = read_ismrmrd(ctx, folder / "scan.h5");
  ASSERT_EQ(read.frames.size(), 2U);
  const auto written = scan.frames[1].data.span();
  EXPECT_TRUE(std::equal(written.begin(), written.end(), read.frames[1].data.span().begin()));
}

TEST_F(ConvertRaw, FilesThatDoNotFit) {
  const auto good = trajectory({0.25F, 0.5F});
  EXPECT_THAT(refusal<ValueError>({good}, options()), HasSubstr("needs the files of the coils"));
  EXPECT_THAT(refusal<IoError>({good, folder / "missing"}, options()), HasSubstr("No such file"));
  EXPECT_THAT(refusal<IoError>({folder / "missing", good}, options()), HasSubstr("No such file"));
  EXPECT_THAT(refusal<IoError>({good, write<float>("short", {1, 2, 3})}, options()),
              HasSubstr("not a whole number of repetitions of 12 complex64"));
  EXPECT_THAT(refusal<IoError>({good, write<float>("empty", {})}, options()), HasSubstr("not a whole number"));
  EXPECT_THAT(refusal<IoError>({good, coil(0, 1), coil(1, 2)}, options()), HasSubstr("all coils must have the same"));
  ConvertOptions made = options();
  made.readout_length = 5;
  EXPECT_THAT(refusal<ValueError>({good, coil(0, 1)}, made), HasSubstr("not a whole number of readouts of 5"));
  EXPECT_THAT(refusal<IoError>({write<float>("odd", {1, 2, 3, 4, 5}), coil(0, 1)}, options()),
              HasSubstr("trajectory-columns"));
}

TEST_F(ConvertRaw, BadNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refusal<ValueError>({trajectory({nan, 0.5F}), coil(0, 1)}, options()), HasSubstr("element 1 is nan"));
  EXPECT_THAT(refusal<ValueError>({trajectory({0.25F, -1}), coil(0, 1)}, options()), HasSubstr("weight of sample 0"));
  std::vector<cfloat> values(24);
  values[13] = {0, nan};
  EXPECT_THAT(refusal<ValueError>({trajectory({0.25F, 1}), write("bad", values)}, options()),
              HasSubstr("element 13 is 0 + nani"));
  EXPECT_THAT(refusal<ValueError>({trajectory({77, 1}), coil(0, 1)}, options()), HasSubstr("not recognized"));
  ConvertOptions made = options();
  made.trajectory_unit = TrajectoryUnit::cycles_per_pixel;
  EXPECT_THAT(refusal<ValueError>({trajectory({0.6F, 1}), coil(0, 1)}, made), HasSubstr("ky of sample 0 is 0.6"));
}

TEST_F(ConvertRaw, Options) {
  const auto good = trajectory({0.25F, 0.5F});
  EXPECT_THAT(refusal<ValueError>({good, coil(0, 1)}, {}), HasSubstr("the matrix is"));
  EXPECT_THAT(refusal<ValueError>({}, options()), HasSubstr("no input file"));
  ConvertOptions made = options();
  made.trajectory_kind = "zigzag";
  EXPECT_THAT(refusal<ValueError>({good, coil(0, 1)}, made), HasSubstr("goldenangle"));
  EXPECT_THAT(refusal<IoError>({write<char>("hdf5", {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'})}, options()),
              HasSubstr("damaged or truncated"));
}

}  // namespace
}  // namespace whorl
