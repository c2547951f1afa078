// `whorl recon` as several processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "ranks/ranks.hpp"
#include "support/file_content.hpp"
#include "support/phantom_scan.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"
#include "whorl/core/random.hpp"
#include "whorl/correct/shift_k_space.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

Index lines_with(const std::string& text, const std::string& part) {
  Index count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(Ranks, FramesHaveTheBitsOfOneProcess) {
  expect_bits_of_one("alike.h5", {});
  expect_bits_of_one("turned.h5", {});
}

TEST_F(Ranks, GriddedFramesHaveTheBitsOfOneProcess) { expect_bits_of_one("turned.h5", {"--method", "gridding"}); }

TEST_F(Ranks, ChosenLambdaAndCompressedCoilsHaveTheBitsOfOneProcess) {
  expect_bits_of_one("turned.h5", {"--lambda", "gcv", "--coils", "2"});
}

// The sum over coils is rounded in another order. With lambda = 0.5 the equation's condition is at most 1 + 1/0.5 = 3, so
// roundings by 2^-24 in the sum and in the solver's few steps, each amplified by at most that, stay below five times
// 3 * 2^-24 = 9e-7 of the solution. With 4 ranks one has no coil.
TEST_F(Ranks, CoilsAddUpToTheImageOfOneProcess) {
  const auto expect_near = [&](const Words& options, const std::vector<int>& counts) {
    test::expect_success(recon("single.h5", "one.npy", options));
    for (const int ranks : counts) {
      const test::ProcessResult result = run({launch(ranks, recon("single.h5", "ranks.npy", options))});
      ASSERT_EQ(result.exit_code, 0) << result.err;
      EXPECT_LT(difference("ranks.npy", "one.npy"), 1e-6) << ranks << " ranks, " << options.back();
    }
  };
  expect_near({"--lambda", "0.5", "--iterations", "40", "--tolerance", "1e-7"}, {2, 3, 4});
  expect_near({"--lambda", "0.5", "--iterations", "40", "--tolerance", "1e-7", "--coils", "2"}, {2});
}

// The object has 37 pixels along y. The limit is that of the test before.
TEST_F(Ranks, FieldsOfViewAreWidenedAsByOneProcess) {
  const Context ctx;
  const auto spokes = std::make_shared<Trajectory>(radial_trajectory(ctx, 120, 96, SpokeOrder::golden_angle));
  Scan scan = test::make_phantom_scan(ctx, spokes, {48, 40, 1}, {.coils = 2, .noise_standard_deviation = 0.02});
  scan.matrix = {48, 30, 1};
  write_ismrmrd(ctx, scan, folder_ / "part.h5");
  const Words options{"--lambda", "0.5", "--iterations", "40", "--tolerance", "1e-7"};
  test::expect_success(recon("part.h5", "one.npy", options));
  EXPECT_NE(test::read_file(folder_ / "one.npy.json").find("solved_matrix"), std::string::npos);
  ASSERT_EQ(run({launch(2, recon("part.h5", "ranks.npy", options))}).exit_code, 0);
  EXPECT_LT(difference("ranks.npy", "one.npy"), 1e-6);
}

// A term joins the frames of a slice. The two slices of the scan are a rank's each; with 4 ranks the coils of a slice are on two.
TEST_F(Ranks, RegularizedSlicesAreSharedThenTheirCoils) {
  const Words options{"--regularize", "tv:0.05,unit=largest,axes=t", "--lambda", "0.5", "--iterations", "20"};
  test::expect_success(recon("turned.h5", "one.npy", options));
  for (const int ranks : {2, 4}) {
    const test::ProcessResult result = run({launch(ranks, recon("turned.h5", "ranks.npy", options))});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    if (ranks == 2) {
      EXPECT_EQ(test::read_file(folder_ / "ranks.npy"), test::read_file(folder_ / "one.npy"));
    }
    // The steps do not expand, so roundings of 20 steps add up; each is at most 3 * 2^-24 by the condition of the step's
    // equation: 4e-6.
    EXPECT_LT(difference("ranks.npy", "one.npy"), 4e-6) << ranks << " ranks";
  }
}

// No term joins frames, and each has a trajectory of its own: ranks share them, also those of one slice. Those that begin
// within a slice find the unit of weights, or the weight, from the slice's first frame.
TEST_F(Ranks, RegularizedFramesAreSharedWhereNoTermJoinsThem) {
  const Words options{"--regularize", "wavelet:0.05,unit=largest", "--lambda", "0.5", "--iterations", "20"};
  expect_bits_of_one("turned.h5", options);
  expect_bits_of_one("turned.h5", {"--regularize", "tv:auto", "--iterations", "10"});
  Words words = recon("turned.h5", "image.npy", options);
  words.erase(std::find(words.begin(), words.end(), "-q"));
  const test::ProcessResult result = run({launch(4, words)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(lines_with(result.out, "Ranks: 4 by MPI; 4 of 6 frames at a time."), 1) << result.out;
}

// The first process says what the reconstruction takes; nothing is written. One process may have too little memory.
TEST_F(Ranks, ADryRunOfSeveralProcesses) {
  const Words dry{"recon", folder_ / "turned.h5", "-o", folder_ / "image.npy", "--dry-run", "--device", "cpu"};
  Words limited = dry;
  limited.insert(limited.end(), {"--max-memory", "200kB"});
  for (const bool limits_one : {false, true}) {
    const test::ProcessResult result = limits_one ? run({launch(1, dry), launch(1, limited)}) : run({launch(2, dry)});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(lines_with(result.out, "memory on cpu: "), 1) << result.out;
    EXPECT_FALSE(fs::exists(folder_ / "image.npy"));
  }
}

// Noise in so many frames, each with a trajectory of its own.
Scan noise_scan(const Context& ctx, int frames, Index spokes, Index readout, Index coils) {
  Scan scan = test::make_small_scan(ctx);
  scan.coils = coils;
  scan.noise = {};
  scan.frames.clear();
  const auto straight =
      std::make_shared<const Trajectory>(radial_trajectory(ctx, spokes, readout, SpokeOrder::uniform));
  for (int t = 0; t < frames; ++t) {
    ScanFrame frame{{}, straight, nullptr, Array<std::complex<float>>(ctx, {coils, spokes * readout}), {}};
    frame.index.repetition = t;
    fill_random_normal<float>(frame.data, static_cast<std::uint64_t>(t));
    scan.frames.push_back(std::move(frame));
  }
  return turned(ctx, std::move(scan));
}

// What the kernel says that each process has read. All read the positions (float, two columns; with 4 KB before each readout,
// where the file's heap says what follows), and each some 3 MB with which a process of MPI starts: data are several times as much.
// The first process also hashes the file for the record.
TEST_F(Ranks, ProcessesReadTheDataThatTheyNeed) {
  const Context ctx;
  constexpr Index readout = 4000;
  constexpr double start = 5e6;
  const auto positions_of = [](double readouts) { return readouts * (2.0 * 4 * readout + 2 * 4096); };
  const auto bytes_read = [&](int ranks, const Words& words) {
    Words all{"-n",
              std::to_string(ranks),
              "/bin/sh",
              "-c",
              "\"$@\" && grep rchar /proc/$$/io > \"$0.$OMPI_COMM_WORLD_RANK\"",
              folder_ / "read",
              WHORL_PROGRAM};
    all.insert(all.end(), words.begin(), words.end());
    const test::ProcessResult result = run({all});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<double> bytes;
    for (int rank = 0; rank < ranks; ++rank) {
      std::string name;
      std::ifstream(folder_ / ("read." + std::to_string(rank))) >> name >> bytes.emplace_back(0);
    }
    return bytes;
  };
  // 16 frames, of which each of 4 ranks has 4 and needs the first, for the maps and the unit of weights.
  write_ismrmrd(ctx, noise_scan(ctx, 16, 10, readout, 4), folder_ / "series.h5");
  constexpr double series = 8.0 * 16 * 4 * 10 * readout;
  const auto by_frames = bytes_read(
      4, recon("series.h5", "image.npy", {"--regularize", "wavelet:0.05,unit=largest", "--iterations", "1"}));
  for (const std::size_t rank : {1, 2, 3}) {
    EXPECT_GT(by_frames[rank], series / 4) << "rank " << rank;
    EXPECT_LT(by_frames[rank], series * 5 / 16 + positions_of(160) + start) << "rank " << rank;
  }
  // One frame, whose coils two ranks share: the first sends the other those that it has.
  write_ismrmrd(ctx, noise_scan(ctx, 1, 60, readout, 8), folder_ / "frame.h5");
  const auto by_coils = bytes_read(2, recon("frame.h5", "image.npy", {"--iterations", "1"}));
  EXPECT_LT(by_coils[1], positions_of(60) + start);  // the data are 15 MB
}

// The two slices are a rank's each. With 4 ranks the coils of a slice are on two: the tolerance is that of
// CoilsAddUpToTheImageOfOneProcess. A regularizer has one unit for all slices, so that the coils alone are shared, and of 4 ranks one
// has none: the tolerance is that of RegularizedSlicesAreSharedThenTheirCoils.
TEST_F(Ranks, SubspacesAreSharedBySlicesAndCoils) {
  const Words subspace{"--subspace-from",       "frames", "--subspace-rank", "2",
                       "--subspace-resolution", "8",      "--lambda",        "0.5"};
  const auto with = [&](const Words& more) {
    Words options = subspace;
    options.insert(options.end(), more.begin(), more.end());
    return options;
  };
  const Words linear = with({"--iterations", "40", "--tolerance", "1e-7"});
  expect_bits_of_one("turned.h5", linear, {2});
  const auto expect_near = [&](const Words& options, double tolerance) {
    test::expect_success(recon("turned.h5", "one.npy", options));
    const test::ProcessResult result = run({launch(4, recon("turned.h5", "ranks.npy", options))});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_LT(difference("ranks.npy", "one.npy"), tolerance) << options.back();
  };
  expect_near(linear, 1e-6);
  expect_near(with({"--iterations", "20", "--regularize", "tv:0.05,unit=largest"}), 4e-6);
}

// A brain whose k-space has another center in each spoke. All processes find the same shifts: they read all data, and the
// fit is the work of one thread.
TEST_F(Ranks, MovedCentersOfKSpaceGiveTheImageOfOneProcess) {
  const Context ctx;
  const auto nominal = std::make_shared<const Trajectory>(radial_trajectory(ctx, 30, 64, SpokeOrder::golden_angle));
  std::vector<std::array<double, 3>> shifts;
  for (int i = 0; i < 30; ++i) shifts.push_back({0.25 * std::cos(2.4 * i * i), 0.25 * std::sin(1.7 * i * i), 0});
  const auto moved = std::make_shared<const Trajectory>(shifted_readouts(ctx, *nominal, {32, 32, 1}, shifts));
  Scan scan = phantom_scan(ctx, brain_phantom(2), test::make_trajectory_scan(moved, {32, 32, 1}), {.coils = 4});
  scan.frames.front().trajectory = nominal;
  write_ismrmrd(ctx, scan, folder_ / "centers.h5");
  // A second slice, on the same trajectory.
  Scan slices = clone(ctx, scan);
  ScanFrame& second = slices.frames.emplace_back(std::move(clone(ctx, scan).frames.front()));
  second.trajectory = slices.frames.front().trajectory;
  second.index.slice = 1;
  for (std::complex<float>& value : second.data.span()) value *= 0.5F;
  write_ismrmrd(ctx, slices, folder_ / "slices.h5");
  Array<double> rows(ctx, {30, 2});
  for (Index i = 0; i < 60; ++i) {
    rows.data()[i] = shifts[static_cast<std::size_t>(i / 2)][static_cast<std::size_t>(i % 2)];
  }
  write_array(ctx, folder_ / "shifts.npy", {"shifts", std::move(rows)});

  const std::string given = folder_ / "shifts.npy";
  const std::vector<Words> forms{{"--k-shift", "2,-1.5"},
                                 {"--k-shift", "auto"},
                                 {"--k-shift", "readouts"},
                                 {"--readout-shifts", given},
                                 {"--readout-shifts", given, "--k-shift", "auto"}};
  for (const Words& form : forms) {
    SCOPED_TRACE(form.back());
    expect_bits_of_one("slices.h5", form, {2});
    // By coils: the tolerance is that of CoilsAddUpToTheImageOfOneProcess.
    Words options{"--lambda", "0.5", "--iterations", "40", "--tolerance", "1e-7"};
    options.insert(options.end(), form.begin(), form.end());
    test::expect_success(recon("centers.h5", "one.npy", options));
    const test::ProcessResult result = run({launch(2, recon("centers.h5", "two.npy", options))});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_LT(difference("two.npy", "one.npy"), 1e-6);
  }
  const auto saved = [&](const std::string& name) {
    return recon("centers.h5", "image.npy", {"--k-shift", "readouts", "--save-readout-shifts", folder_ / name});
  };
  test::expect_success(saved("one_shifts.npy"));
  const test::ProcessResult result = run({launch(2, saved("two_shifts.npy"))});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(test::read_file(folder_ / "two_shifts.npy"), test::read_file(folder_ / "one_shifts.npy"));
}

TEST_F(Ranks, OneSpeaksForAll) {
  Words words = recon("alike.h5", "image.npy");
  words.erase(std::find(words.begin(), words.end(), "-q"));
  const test::ProcessResult result = run({launch(4, words)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(lines_with(result.out, "wrote "), 1) << result.out;
  EXPECT_EQ(lines_with(result.out, "Ranks: 4 by MPI; 4 of 6 frames at a time"), 1) << result.out;
  EXPECT_LE(lines_with(result.err, "reconstruction: done"), 1) << result.err;  // stages of a second or more are said
}

// The scan is missing for the second process alone.
TEST_F(Ranks, AFailureOfOneEndsAllWithOneLine) {
  const test::ProcessResult result =
      run({launch(1, recon("alike.h5", "image.npy")), launch(1, recon("missing.h5", "image.npy"))});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_EQ(lines_with(result.err, "whorl: error: "), 1) << result.err;
  EXPECT_NE(result.err.find("missing.h5"), std::string::npos) << result.err;
  EXPECT_FALSE(fs::exists(folder_ / "image.npy"));
}

TEST_F(Ranks, MistakesAreSaidOnce) {
  const test::ProcessResult option = run({launch(3, recon("alike.h5", "image.npy", {"--iterations", "-3"}))});
  EXPECT_EQ(option.exit_code, 2) << option.err;
  EXPECT_EQ(lines_with(option.err, "whorl: error: "), 1) << option.err;
  const test::ProcessResult other = run({launch(3, {"info", folder_ / "alike.h5"})});
  EXPECT_EQ(other.exit_code, 2) << other.err;
  EXPECT_EQ(lines_with(other.err, "whorl info is the work of one process, and 3 were started"), 1) << other.err;
}

// Two hosts that are network namespaces, with messages over TCP alone.
TEST_F(Ranks, HostsGiveTheBitsOfOneProcess) {
  const test::ProcessResult result =
      test::run_process({WHORL_NAMESPACES, WHORL_PROGRAM, WHORL_MPIEXEC, folder_ / "alike.h5", folder_.path()});
  if (result.exit_code == 77) GTEST_SKIP() << result.out;
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(lines_with(result.out, "two hosts, the bits of one process"), 1) << result.out;
}

// A process is killed after the first frame is kept. mpirun says which; a run with another number of processes goes on, and
// its images have the bits of a run that nothing ended.
TEST_F(Ranks, AKilledProcessLeavesTheCheckpoint) {
  const Words long_work{"--iterations", "3000", "--tolerance", "1e-12", "--lambda", "1e-3", "--threads", "1"};
  test::expect_success(recon("turned.h5", "one.npy", long_work));
  Words options = long_work;
  options.insert(options.end(), {"--checkpoint", folder_ / "kept"});
  const Words words = recon("turned.h5", "image.npy", options);
  Words second{"-n", "1", "/bin/sh", "-c", "echo $$ > \"$0\"; exec \"$@\"", folder_ / "pid", WHORL_PROGRAM};
  second.insert(second.end(), words.begin(), words.end());
  const auto kept = [&] {
    std::error_code ignored;
    Index count = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / "kept", ignored)) {
      count += entry.path().extension() == ".bin" ? 1 : 0;
    }
    return count;
  };
  std::atomic<bool> is_over{false};
  std::thread killer([&] {
    while (kept() == 0 && !is_over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    pid_t process = 0;
    std::ifstream(folder_ / "pid") >> process;
    if (process > 0) ::kill(process, SIGKILL);
  });
  const test::ProcessResult killed = run({launch(1, words), second});
  is_over = true;
  killer.join();
  EXPECT_NE(killed.exit_code, 0);
  EXPECT_EQ(lines_with(killed.err, "exited on signal 9 (Killed)"), 1) << killed.err;
  EXPECT_GE(kept(), 1);
  EXPECT_FALSE(fs::exists(folder_ / "image.npy"));
  const test::ProcessResult again = run({launch(3, words)});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(test::read_file(folder_ / "image.npy"), test::read_file(folder_ / "one.npy"));
}

}  // namespace
}  // namespace whorl
