#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/file_content.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

class TrajCommand : public ::testing::Test {
 protected:
  test::ProcessResult run(const std::string& words) const {
    std::vector<std::string> command{WHORL_PROGRAM, "traj"};
    std::istringstream stream(words);
    for (std::string word; stream >> word;) command.push_back(word);
    return test::run_process(command, {.folder = folder_.path()});
  }

  Scan made(const std::string& words, const std::string& file) const {
    const auto result = run(words + " -o " + file);
    EXPECT_EQ(result.exit_code, 0) << words << ": " << result.err;
    return read_scan(ctx_, folder_ / file, {});
  }

  const Context ctx_;
  test::TemporaryFolder folder_;
};

// Files hold positions as float32: half a unit of the last place of 0.5 is 3e-8.
constexpr double file_rounding = 3.1e-8;

void expect_same_points(const Trajectory& read, const Trajectory& expected) {
  ASSERT_EQ(read.points.shape(), expected.points.shape());
  for (std::size_t i = 0; i < expected.points.span().size(); ++i) {
    ASSERT_NEAR(read.points.span()[i], expected.points.span()[i], file_rounding) << i;
  }
}

TEST_F(TrajCommand, WritesAScanWithoutDataInEveryFormat) {
  const Trajectory expected = radial_trajectory(ctx_, 13, 40, SpokeOrder::fibonacci);
  for (const std::string file : {"t.h5", "t.npz", "t.cfl"}) {
    const Scan scan =
        made("radial --matrix 20 24 --fov 200 --spokes 13 --order fibonacci --readout 40 --dwell 4", file);
    EXPECT_EQ(scan.coils, 0) << file;
    EXPECT_EQ(scan.matrix, (std::array<Index, 3>{20, 24, 1})) << file;
    EXPECT_EQ(scan.frames.at(0).trajectory->readout_length, 40) << file;
    expect_same_points(*scan.frames[0].trajectory, expected);
    if (file == "t.cfl") continue;
    EXPECT_EQ(scan.dwell_us, 4) << file;
    EXPECT_EQ(scan.trajectory_kind, "radial");
    EXPECT_EQ(scan.frames[0].geometry.field_of_view_mm[0], 200);
    EXPECT_EQ(scan.frames[0].geometry.field_of_view_mm[1], 240);
  }
  const auto record = nlohmann::json::parse(test::read_file(folder_ / "t.cfl.json"));
  EXPECT_EQ(record["parameters"]["order"], "fibonacci");
  EXPECT_EQ(record["parameters"]["samples"], 520);
}

TEST_F(TrajCommand, EveryFamilyMakesATrajectoryAndAPicture) {
  struct Case {
    std::string words;
    int dim;
    std::string fact;  // a line of what it says holds this
  };
  const std::vector<Case> cases{
      {"radial --matrix 16 --center-out --order golden --golden-index 7", 2, "816 in 51 readouts of 16"},
      {"kooshball --matrix 8 --order phyllotaxis --interleaves 13", 3, "1664 in 104 readouts of 16"},
      {"radial --matrix 16,12 --fov 200,150 --spokes 4", 2, "128 in 4 readouts of 32"},
      {"kooshball --matrix 8 --center-out", 3, "1616 in 202 readouts of 8"},
      {"stack-of-stars --matrix 12 12 4 --spokes 5 --rotate --kz-order centric", 3, "480 in 20 readouts of 24"},
      {"spiral --matrix 32 --arms 4 --samples 300 --power 1.5", 2, "fully sampled"},
      {"spiral --matrix 32 --fov 240 --arms 4", 2, "150 T/m/s"},
      {"stack-of-spirals --matrix 16 16 3 --arms 2 --samples 90 --rotate", 3, "540 in 6 readouts of 90"},
      {"rosette --matrix 16 --fov 240 --swings 3 --rotations 2", 2, "1 waveform of"},
      {"rosette --matrix 16 --shots 2 --samples 100", 2, "200 in 2 readouts of 100"},
      {"cones --matrix 8 --fov 160 --interleaves 3", 3, "13 waveforms of"},
      {"cones --matrix 8 --samples 20 --cones 3", 3, "60 in 3 readouts of 20"},
      {"tpi --matrix 12 --fov 240 --cones 4 --reduction 2 --dwell 20", 3, "4 waveforms of"},
      {"density-adapted --matrix 12 12 12 --fov 60 --spokes 40 --dwell 20", 3, "in 40 readouts of"},
      {"density-adapted --matrix 12 12 12 --fov 60 --spokes 40 --order phyllotaxis --dwell 20", 3, "undersampled"},
      {"density-adapted --matrix 12 --fov 60 --order uniform --dwell 20", 2, "in 38 readouts of"},
      {"propeller --matrix 32 --lines 8", 2, "fully sampled"},
      {"propeller --matrix 32 --lines 8 --blades 4 --order golden", 2, "undersampled"},
      {"cartesian --matrix 16 12 --partial-fourier 0.75", 2, "144 in 9 readouts of 16"},
      {"cartesian --matrix 16 12 --undersampling regular --acceleration 3 --calibration 2", 2,
       "undersampled 3.00 times"},
      {"cartesian --matrix 4 20 18 --undersampling poisson --acceleration 2 2 --calibration 4", 3,
       "360 in 90 readouts"},
      {"cartesian --matrix 4 20 18 --undersampling random --acceleration 4", 3, "360 in 90 readouts of 4"},
      {"random --matrix 10 10 --region ball", 2, "samples       100\n"},
      {"random --matrix 10 10 10 --samples 77 --seed 5", 3, "samples       77\n"}};
  for (const Case& test : cases) {
    const auto result = run(test.words + " -o t.npz --plot t.png");
    ASSERT_EQ(result.exit_code, 0) << test.words << ": " << result.err;
    EXPECT_NE(result.out.find(test.fact), std::string::npos) << test.words << '\n' << result.out;
    EXPECT_NE(result.out.find("wrote t.npz\nwrote t.png\n"), std::string::npos) << result.out;
    const Scan scan = read_scan(ctx_, folder_ / "t.npz", {});
    EXPECT_EQ(scan.dim(), test.dim) << test.words;
    EXPECT_NO_THROW(check_trajectory(scan.frames.at(0).trajectory->points));
    // The content of pictures is that of test_figure; here it is there, and a picture.
    EXPECT_EQ(test::read_file(folder_ / "t.png").substr(1, 3), "PNG");
  }
}

TEST_F(TrajCommand, GradientsAsText) {
  const std::string words =
      "spiral --matrix 24 --fov 192 --arms 3 --dwell 4 --max-gradient 25 --max-slew 100 --nucleus 23Na";
  const Scan scan = made(words + " --raster 8 --gradients g.csv", "t.h5");
  const DesignOptions options{{25, 100, 11.262, 8}, 4, 8, GradientEnd::ramp_down};
  const DesignedTrajectory expected = designed_spiral(ctx_, 3, 4, 1, options);
  expect_same_points(*scan.frames.at(0).trajectory, expected.trajectory);
  EXPECT_EQ(scan.dwell_us, 4);
  EXPECT_EQ(scan.trajectory_kind, "spiral");
  std::istringstream text(test::read_file(folder_ / "g.csv"));
  std::string line;
  std::getline(text, line);
  EXPECT_EQ(line, "time_us,gx_mt_per_m,gy_mt_per_m,slew_t_per_m_s");
  const auto g = expected.gradients.mt_per_m.view<3>();
  const Array<double> slew = slew_rates(ctx_, expected.gradients);
  Index row = 0;
  for (; std::getline(text, line); ++row) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream numbers(line);
    double time = 0;
    double x = 0;
    double y = 0;
    double rate = 0;
    numbers >> time >> x >> y >> rate;
    EXPECT_EQ(time, 8 * static_cast<double>(row) + 4);
    // Nine digits of at most 100.
    EXPECT_NEAR(x, g(0, row, 0), 1e-7);
    EXPECT_NEAR(y, g(0, row, 1), 1e-7);
    EXPECT_NEAR(rate, slew.view<2>()(0, row), 1e-6);
  }
  EXPECT_EQ(row, g.extent(1));
}

TEST_F(TrajCommand, GradientsOfSeveralReadouts) {
  made("cones --matrix 8 --fov 160 --cones 3 --interleaves 2 --rewind --gradients g.npz", "t.h5");
  const auto gradient = read_array(ctx_, (folder_ / "g.npz").string() + ":gradient_mt_per_m");
  const Shape shape = shape_of(gradient.values);
  EXPECT_EQ(shape[0], 3);
  EXPECT_EQ(shape[2], 3);
  EXPECT_EQ(shape_of(read_array(ctx_, (folder_ / "g.npz").string() + ":slew_t_per_m_s").values), (Shape{3, shape[1]}));
  EXPECT_EQ(shape_of(read_array(ctx_, (folder_ / "g.npz").string() + ":time_us").values), (Shape{shape[1]}));
  // Back at the center: the waveforms sum to nothing, up to the rounding of their values.
  const auto& g = std::get<Array<double>>(gradient.values);
  for (Index waveform = 0; waveform < 3; ++waveform) {
    double sum = 0;
    for (Index i = 0; i < shape[1]; ++i) sum += g.view<3>()(waveform, i, 2);
    EXPECT_NEAR(sum, 0, 1e-9);
  }
  made("cones --matrix 8 --fov 160 --cones 3 --gradients g.csv", "t.h5");
  EXPECT_TRUE(test::read_file(folder_ / "g.csv").starts_with("waveform,time_us,gx_mt_per_m,gy_mt_per_m,gz_mt_per_m,"));
}

TEST_F(TrajCommand, SequencesPlayTheTrajectory) {
  const Scan scan = made("spiral --matrix 16 --fov 160 --arms 3 --pulseq s.seq --flip-angle 20", "t.h5");
  const Scan played = read_scan(ctx_, folder_ / "s.seq");
  EXPECT_EQ(played.frames[0].trajectory->samples(), scan.frames[0].trajectory->samples());
  EXPECT_EQ(played.frames[0].trajectory->readout_length, scan.frames[0].trajectory->readout_length);
  EXPECT_NE(test::read_file(folder_ / "t.h5.json").find("\"flip_angle\": 20"), std::string::npos);
  EXPECT_NE(test::read_file(folder_ / "t.h5.json").find("s.seq"), std::string::npos);
}

TEST_F(TrajCommand, LargeNumbersAreShort) {
  const auto result = run("spiral --matrix 16 --samples 50 --turns 1e-300 -o t.h5");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("undersampled 8e+300 times"), std::string::npos) << result.out;
}

TEST_F(TrajCommand, QuietSaysNothing) {
  const auto result = run("radial --matrix 16 -o t.h5 --quiet");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out + result.err, "");
}

TEST_F(TrajCommand, WhatCanNotBeIsOneLineAndNoFile) {
  const std::vector<std::pair<std::string, std::string>> failures{
      {"spiral --matrix 32 -o t.h5", "give the field of view with --fov"},
      {"spiral --matrix 32 48 --fov 200 200 -o t.h5", "pixels of one size"},
      {"kooshball --matrix 32 32 1 -o t.h5", "expected a matrix in 3D"},
      {"radial --matrix 32 --spokes 30 --order fibonacci -o t.h5", "21 and 34"},
      {"density-adapted --matrix 16 --fov 200 --order phyllotaxis -o t.h5", "no order phyllotaxis in 2D"},
      {"density-adapted --matrix 16 16 16 --fov 200 --order uniform -o t.h5", "no order uniform in 3D"},
      {"radial --matrix 32 -o missing/t.h5", "missing"}};
  for (const auto& [words, expected] : failures) {
    const auto result = run(words);
    EXPECT_EQ(result.exit_code, 1) << words;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(expected), std::string::npos) << result.err;
    EXPECT_EQ(folder_.entries(), 0) << words;
  }
}

TEST_F(TrajCommand, MistakesNameTheFamily) {
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"", "see whorl traj --help"},
      {"zigzag", "'zigzag' is neither a command nor an option of whorl traj"},
      {"radial", "--matrix is required: whorl traj radial --matrix 192; see whorl traj radial --help"},
      {"radial --matrix 8 -o t.txt", "see whorl traj radial --help"},
      {"radial --matrix 8 -o t.h5 --plot t.jpg", "ends in .png"},
      {"radial --matrix 8 -o t.h5 --order silver", "--order"},
      {"radial --matrix 0 -o t.h5", "--matrix"},
      {"radial --matrix 1 -o t.h5", "--matrix is 1, expected 2 pixels or more along x"},
      {"cartesian --matrix 8 1 -o t.npz", "--matrix is 8,1, expected 2 pixels or more along y"},
      {"radial --matrix 8 8 8 -o t.h5", "see whorl traj radial --help"},
      {"spiral --matrix 32 --fov 200 --gradients t.npz -o t.npz", "'t.npz' is also an output of --output"},
      {"spiral --matrix 8 -o t.h5 --gradients g.txt", "ends in .csv or .npz"},
      {"spiral --matrix 8 -o t.h5 --pulseq g.txt", "ends in .seq"},
      {"spiral --matrix 8 -o t.h5 --flip-angle 20", "--pulseq"},
      {"stack-of-spirals --matrix 8 -o t.h5 --pulseq t.seq", "--pulseq"},
      {"spiral --matrix 8 -o t.h5 --nucleus 2He", "--nucleus is '2He', expected a number, above 0 MHz/T, or 1H"}};
  for (const auto& [words, expected] : mistakes) {
    const auto result = run(words);
    EXPECT_EQ(result.exit_code, 2) << words;
    EXPECT_NE(result.err.find(expected), std::string::npos) << result.err;
  }
}

TEST_F(TrajCommand, FamiliesExplainThemselves) {
  const auto all = run("--help");
  EXPECT_EQ(all.exit_code, 0);
  for (const std::string family : {"radial", "kooshball", "stack-of-stars", "spiral", "stack-of-spirals", "rosette",
                                   "cones", "tpi", "density-adapted", "propeller", "cartesian", "random"}) {
    EXPECT_NE(all.out.find("\n  " + family + " "), std::string::npos) << family;
    const auto help = run(family + " --help all");
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_NE(help.out.find("Examples:\n  whorl traj " + family), std::string::npos) << help.out;
    EXPECT_NE(help.out.find("--threads"), std::string::npos) << family;
  }
}

TEST_F(TrajCommand, DelaysMoveStraightSpokes) {
  const Scan scan = made("radial --matrix 20 --spokes 6 --readout 40 --delays 0.5,-0.25", "t.npz");
  const Trajectory nominal = radial_trajectory(ctx_, 6, 40, SpokeOrder::uniform);
  // Spoke 0 is along x: half a step of 1/40. Files of arrays hold double.
  EXPECT_NEAR(scan.frames[0].trajectory->points.view<2>()(10, 0), nominal.points.view<2>()(10, 0) + 0.0125, 1e-15);
  // A delay of one sample along both axes: each sample is where the next one is without it.
  const Scan before = made("spiral --matrix 20 --arms 4 --samples 90", "before.npz");
  const Scan after = made("spiral --matrix 20 --arms 4 --samples 90 --delays 1,1", "after.npz");
  const auto from = before.frames[0].trajectory->points.view<2>();
  const auto to = after.frames[0].trajectory->points.view<2>();
  EXPECT_NEAR(to(40, 0), from(41, 0), 1e-12);
  EXPECT_NEAR(to(40, 1), from(41, 1), 1e-12);
}

// Positions k become k - shift, in cycles per field of view: 20 pixels along x, 16 along y.
TEST_F(TrajCommand, ShiftsOfReadoutsMoveThem) {
  Array<double> shifts(ctx_, {6, 2});
  for (Index i = 0; i < shifts.size(); ++i) shifts.data()[i] = 0.1 * static_cast<double>(i);
  write_array(ctx_, folder_ / "shifts.npy", {"shifts", std::move(shifts)});
  const Scan scan = made("radial --matrix 20 16 --spokes 6 --readout 40 --readout-shifts shifts.npy", "t.npz");
  const Trajectory nominal = radial_trajectory(ctx_, 6, 40, SpokeOrder::uniform);
  const Index sample = 2 * 40 + 17;  // of readout 2, whose shift is 0.4, 0.5
  EXPECT_NEAR(scan.frames[0].trajectory->points.view<2>()(sample, 0), nominal.points.view<2>()(sample, 0) - 0.4 / 20,
              1e-15);
  EXPECT_NEAR(scan.frames[0].trajectory->points.view<2>()(sample, 1), nominal.points.view<2>()(sample, 1) - 0.5 / 16,
              1e-15);
}

// A response of 1 at all frequencies changes nothing; one of 1/2 halves the way from where the gradients rest.
TEST_F(TrajCommand, GradientsPlayIt) {
  const auto response = [&](double value) {
    std::vector<NamedArray> arrays;
    Array<double> hertz(ctx_, {1});
    hertz.data()[0] = 1e6;
    arrays.push_back({"frequency_hz", std::move(hertz)});
    Array<double> values(ctx_, {1, 3});
    fill<double>(values, value);
    arrays.push_back({"response", std::move(values)});
    write_arrays(ctx_, folder_ / "girf.npz", arrays);
    return " --girf " + std::string(folder_ / "girf.npz");
  };
  const std::string spiral = "spiral --matrix 20 --arms 4 --samples 90 --dwell 5";
  const Scan nominal = made(spiral, "nominal.npz");
  for (const double gain : {1.0, 0.5}) {
    const Scan played = made(spiral + response(gain), "played.npz");
    for (const Index sample : {40, 89}) {
      // Transforms of some hundred steps in double
      EXPECT_NEAR(played.frames[0].trajectory->points.view<2>()(sample, 1),
                  gain * nominal.frames[0].trajectory->points.view<2>()(sample, 1), 1e-13);
    }
  }
  const auto refused = run("spiral --matrix 20 --arms 4 --samples 90 -o t.npz" + response(1));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("give the dwell time"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace whorl
