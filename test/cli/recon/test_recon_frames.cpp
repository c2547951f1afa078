// whorl recon: frames made of readouts, gating, movies.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/file_content.hpp"
#include "support/phantom_scan.hpp"
#include "support/run_process.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/io/nifti.hpp"
#include "whorl/phantom/dynamic.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

// 60 golden-angle spokes of 32 samples, every 20 ms, of a beating ellipse: 20 x 16 pixels, 3 coils.
class ReconFrames : public ::testing::Test {
 protected:
  void SetUp() override {
    const Context ctx;
    Scan scan;
    scan.matrix = {20, 16, 1};
    scan.trajectory_kind = "radial";
    scan.readout_interval_ms = 20;
    scan.frames.emplace_back().trajectory =
        std::make_shared<Trajectory>(radial_trajectory(ctx, 60, 32, SpokeOrder::golden_angle));
    scan = dynamic_phantom_scan(ctx, [](double time) { return beating_phantom(time, {.rate_hz = 2.5}); },
                                std::move(scan), {.coils = 3, .noise_standard_deviation = 0.01});
    write_ismrmrd(ctx, scan, folder_ / "scan.h5");
  }

  test::ProcessResult recon(std::vector<std::string> arguments) const {
    std::vector<std::string> command{WHORL_PROGRAM, "recon", folder_ / "scan.h5", "--iterations", "3"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return test::run_process(command);
  }

  test::TemporaryFolder folder_;
};

// The samples that were read fit into half of the limit; those of the frames that are made of them do not fit beside these.
TEST_F(ReconFrames, AreMadeWithinALimitOfMemory) {
  const Context ctx;
  const auto trajectory = std::make_shared<Trajectory>(radial_trajectory(ctx, 1200, 64, SpokeOrder::golden_angle));
  write_ismrmrd(ctx, test::make_phantom_scan(ctx, trajectory, {20, 16, 1}, {.coils = 8}), folder_ / "long.h5");
  const auto image = [&](const std::string& name, const std::string& limit) {
    const auto result = test::run_process({WHORL_PROGRAM, "recon", folder_ / "long.h5", "-o", folder_ / name,
                                           "--complex", "--iterations", "3", "--spokes-per-frame", "20", "--maps-from",
                                           "first", "--device", "cpu", "--threads", "2", "--max-memory", limit});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return test::read_file(folder_ / name);
  };
  EXPECT_EQ(image("limited.npy", "10MB"), image("whole.npy", "1GB"));
  const auto record = nlohmann::json::parse(test::read_file(folder_ / "limited.npy.json"));
  EXPECT_LE(record["peak_memory_bytes"]["arrays"].get<std::size_t>(), std::size_t{10} << 20);
}

TEST_F(ReconFrames, SlidingWindowWithItsTimeAndAMovie) {
  const auto result = recon({"-o", folder_ / "f.nii", "--spokes-per-frame", "20", "--frame-step", "10", "--movie",
                             folder_ / "f.png", "--fps", "5"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Context ctx;
  EXPECT_EQ(shape_of(read_nifti(ctx, folder_ / "f.nii").values), (Shape{5, 1, 16, 20}));
  const std::string header = test::read_file(folder_ / "f.nii");
  float interval = 0;
  std::copy_n(header.data() + 92, sizeof(interval), reinterpret_cast<char*>(&interval));  // pixdim[4]
  EXPECT_FLOAT_EQ(interval, 0.2F);                                                        // 10 readouts of 20 ms
  EXPECT_NE(test::read_file(folder_ / "f.png").find("acTL"), std::string::npos);
  EXPECT_NE(result.out.find("all frames of a slice together"), std::string::npos) << result.out;
  const auto record = nlohmann::json::parse(test::read_file(folder_ / "f.nii.json"));
  EXPECT_EQ(record["parameters"]["spokes_per_frame"], 20);
  EXPECT_EQ(record["parameters"]["maps_from"], "all");
  EXPECT_EQ(record["outputs"].size(), 2U);
}

TEST_F(ReconFrames, GatesAndWritesItsSignal) {
  const auto result =
      recon({"-o", folder_ / "g.nii", "--gate", "3", "--gate-band", "1.5,4", "--gate-signal", folder_ / "signal.npy"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("moves at 2.5 Hz"), std::string::npos) << result.out;
  const Context ctx;
  const auto signal = read_array(ctx, folder_ / "signal.npy");
  ASSERT_EQ(shape_of(signal.values), (Shape{1, 60, 4}));
  const auto& values = std::get<Array<double>>(signal.values);
  EXPECT_DOUBLE_EQ(values.data()[4 * 7], 0.14);
  std::array<int, 3> bins{};
  for (Index i = 0; i < 60; ++i) ++bins.at(static_cast<std::size_t>(values.data()[4 * i + 3]));
  for (const int count : bins) EXPECT_GT(count, 10);
}

// Readouts of weight 0 are as if they were not there: the first 40 spokes, cut to a frame by another option, give the same
// image. Three iterations in float of encodings whose NUFFTs have a tolerance of 1e-5.
TEST_F(ReconFrames, WeighsReadouts) {
  const Context ctx;
  const auto write_weights = [&](Index count, Index ones) {
    auto weights = zeros<float>(ctx, {count});
    std::fill_n(weights.data(), ones, 1.0F);
    write_array(ctx, folder_ / "weights.npy", {"weights", std::move(weights)});
    return folder_ / "weights.npy";
  };
  const auto image = [&](const std::string& name, const std::vector<std::string>& options) {
    std::vector<std::string> all{"-o", folder_ / name, "--complex", "--no-prewhitening", "--nufft-tolerance", "1e-5"};
    all.insert(all.end(), options.begin(), options.end());
    const auto result = recon(all);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return std::get<Array<std::complex<float>>>(read_array(ctx, folder_ / name).values);
  };
  const auto weighted = image("w.npy", {"--gate-weights", write_weights(60, 40)});
  const auto cut = image("c.npy", {"--spokes-per-frame", "40", "--maps-from", "first"});
  const auto whole = image("a.npy", {});
  ASSERT_EQ(weighted.size(), cut.size());
  double difference = 0;
  double other = 0;
  double total = 0;
  for (Index i = 0; i < cut.size(); ++i) {
    difference += std::norm(weighted.data()[i] - cut.data()[i]);
    other += std::norm(whole.data()[i] - cut.data()[i]);
    total += std::norm(cut.data()[i]);
  }
  EXPECT_LT(std::sqrt(difference / total), 1e-3);
  EXPECT_GT(std::sqrt(other / total), 1e-2);
  const auto wrong = recon({"-q", "-o", folder_ / "x.nii", "--gate-weights", write_weights(59, 40)});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_NE(wrong.err.find("sample weights: 59 numbers, expected one for each of the 60 readouts"), std::string::npos)
      << wrong.err;
}

TEST_F(ReconFrames, WeighsReadoutsByTheirOwnMotion) {
  const auto result = recon({"-o", folder_ / "s.nii", "--soft-gate", "0.4", "--gate-band", "1.5,4"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("Sample weights: 60 readouts of"), std::string::npos) << result.out;
}

TEST_F(ReconFrames, SubspaceGivesComponentsAndFrames) {
  const auto result = recon({"-o", folder_ / "c.npy", "--complex", "--spokes-per-frame", "6", "--subspace-from",
                             "frames", "--subspace-resolution", "6", "--subspace-rank", "3", "--subspace-frames",
                             folder_ / "f.npy", "--save-subspace", folder_ / "b.npy"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Context ctx;
  const auto components = std::get<Array<std::complex<float>>>(read_array(ctx, folder_ / "c.npy").values);
  const auto frames = std::get<Array<std::complex<float>>>(read_array(ctx, folder_ / "f.npy").values);
  const auto basis = std::get<Array<std::complex<double>>>(read_array(ctx, folder_ / "b.npy").values);
  ASSERT_EQ(components.shape(), (Shape{3, 1, 16, 20}));
  ASSERT_EQ(frames.shape(), (Shape{10, 1, 16, 20}));
  ASSERT_EQ(basis.shape(), (Shape{10, 3}));
  for (Index t = 0; t < 10; ++t) {
    std::complex<double> sum = 0;
    for (Index k = 0; k < 3; ++k) {
      sum += basis.data()[t * 3 + k] * std::complex<double>(components.data()[k * 320 + 150]);
    }
    // A sum of three products in float.
    EXPECT_LT(std::abs(sum - std::complex<double>(frames.data()[t * 320 + 150])), 1e-5 * std::abs(sum));
  }
  // The basis comes back from its file.
  const auto again = recon({"-o", folder_ / "d.npy", "--complex", "--spokes-per-frame", "6", "--subspace",
                            folder_ / "b.npy", "--subspace-rank", "3"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const auto same = std::get<Array<std::complex<float>>>(read_array(ctx, folder_ / "d.npy").values);
  for (Index i = 0; i < same.size(); ++i) {
    EXPECT_LT(std::abs(same.data()[i] - components.data()[i]), 1e-4) << i;  // orthonormalized again: rounding in double
  }
}

TEST_F(ReconFrames, RefusesWhatDoesNotGoTogether) {
  const auto refused = [&](std::vector<std::string> arguments, int code, const std::string& part) {
    arguments.insert(arguments.end(), {"-q", "-o", folder_ / "x.nii"});
    const auto result = recon(arguments);
    EXPECT_EQ(result.exit_code, code) << part;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  };
  refused({"--frame-step", "3"}, 2, "spokes-per-frame");
  refused({"--gate", "3", "--spokes-per-frame", "5"}, 2, "--gate");
  refused({"--soft-gate", "0.4", "--gate", "3"}, 2, "--gate");
  refused({"--soft-gate", "0.4", "--gate-weights", folder_ / "scan.h5"}, 2, "--soft-gate");
  refused({"--gate-signal", folder_ / "s.npy"}, 2, "--gate");
  refused({"--fps", "3"}, 2, "--movie");
  refused({"--movie", folder_ / "m.avi"}, 2, ".gif or .png");
  refused({"--movie", folder_ / "x.nii"}, 2, ".gif or .png");
  refused({"--frames-by", "slice"}, 2, "slice");
  refused({"--subspace-rank", "3"}, 2, "a subspace");
  refused({"--spokes-per-frame", "6", "--subspace-from", "t2", "--method", "gridding"}, 2, "cg-sense");
  refused({"--spokes-per-frame", "20", "--subspace-from", "frames", "--subspace-rank", "4"}, 1, "rank of 4");
  refused({"--spokes-per-frame", "61"}, 1, "60 readouts");
  EXPECT_EQ(folder_.entries(), 1);
}

}  // namespace
}  // namespace whorl
