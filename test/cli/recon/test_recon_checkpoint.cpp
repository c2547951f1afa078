// `whorl recon --checkpoint` after ends that nobody planned, and --dry-run.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "support/file_content.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/io/checked_file.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl {
namespace {

namespace fs = std::filesystem;

// 0: there is no such file.
ino_t file_number(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

// Frames with trajectories of their own, so that each is solved by itself.
Scan turned_scan(const Context& ctx) {
  Scan scan = test::make_small_scan(ctx);
  for (std::size_t f = 0; f < scan.frames.size(); ++f) {
    const Trajectory& straight = *scan.frames[f].trajectory;
    auto turned = std::make_shared<Trajectory>();
    turned->points = Array<double>(ctx, straight.points.shape());
    turned->readout_length = straight.readout_length;
    const double angle = 0.1 * static_cast<double>(f);
    for (Index i = 0; i < straight.samples(); ++i) {
      const double* const k = straight.points.data() + 2 * i;
      turned->points.data()[2 * i] = std::cos(angle) * k[0] - std::sin(angle) * k[1];
      turned->points.data()[2 * i + 1] = std::sin(angle) * k[0] + std::cos(angle) * k[1];
    }
    scan.frames[f].trajectory = std::move(turned);
  }
  return scan;
}

class ReconCheckpoint : public ::testing::Test {
 protected:
  void SetUp() override {
    const Context ctx;
    write_ismrmrd(ctx, turned_scan(ctx), folder_ / "scan.h5");
  }

  std::vector<std::string> recon(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"recon",        "-q",  folder_ / "scan.h5", "--complex", "--device", "cpu",
                                   "--iterations", "400", "--tolerance",       "1e-12",     "--lambda", "1e-3",
                                   "--threads",    "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::vector<std::string> with_checkpoint(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"-o", folder_ / "image.npy", "--checkpoint", folder_ / "kept"});
    return recon(std::move(more));
  }

  std::string uninterrupted() const {
    test::expect_success(recon({"-o", folder_ / "whole.npy"}));
    return test::read_file(folder_ / "whole.npy");
  }
  std::string image() const { return test::read_file(folder_ / "image.npy"); }

  Index kept_frames() const {
    Index count = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_ / "kept", ignored)) {
      count += entry.path().filename().string().starts_with("frame-") ? 1 : 0;
    }
    return count;
  }

  // State of a scan with one frame, or with six that are solved together.
  fs::path state_of_last_frame(const std::string& scan) const {
    return folder_ / (scan == "one.h5" ? "kept/state-000000.bin" : "kept/state-000005.bin");
  }

  // Kills a run with SIGKILL as soon as `now` says so. False: it ended by itself before.
  bool killed_when(const std::function<bool()>& now, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = with_checkpoint(std::move(more));
    words.insert(words.begin(), WHORL_PROGRAM);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    if (::posix_spawn(&child, WHORL_PROGRAM, nullptr, nullptr, arguments.data(), environ) != 0) return false;
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
      if (now()) {
        ::kill(child, SIGKILL);
        ::waitpid(child, &status, 0);
        break;
      }
      std::this_thread::yield();
    }
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

  test::TemporaryFolder folder_;
};

// Killed at the first frame, then at each further number of frames, and at moments that follow the clock alone: also
// within the writing of a file. What was finished stays, and the last run's images are those of a run that nothing
// ended.
TEST_F(ReconCheckpoint, GoesOnAfterBeingKilled) {
  const std::string whole = uninterrupted();
  int kills = 0;
  for (Index frames = 1; frames < 6; ++frames) {
    kills += killed_when([&] { return kept_frames() >= frames; }) ? 1 : 0;
    EXPECT_GE(kept_frames(), frames);
  }
  EXPECT_GT(kills, 0);
  // The last of these runs may have ended before it was killed: what has the image's name is whole.
  if (fs::exists(folder_ / "image.npy")) {
    EXPECT_EQ(image(), whole);
  }
  test::expect_success(with_checkpoint());
  EXPECT_EQ(image(), whole);
  const auto record = nlohmann::json::parse(test::read_file(folder_ / "image.npy.json"));
  EXPECT_EQ(record["residuals"].size(), 6U);
  const auto of_whole = nlohmann::json::parse(test::read_file(folder_ / "whole.npy.json"));
  EXPECT_EQ(record["residuals"], of_whole["residuals"]);

  fs::remove_all(folder_ / "kept");
  for (int milliseconds = 5; milliseconds < 400; milliseconds += milliseconds / 2) {
    const auto start = std::chrono::steady_clock::now();
    killed_when([&] { return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(milliseconds); });
  }
  fs::remove(folder_ / "image.npy");
  test::expect_success(with_checkpoint());
  EXPECT_EQ(image(), whole);
  EXPECT_EQ(kept_frames(), 6);
  // Neither the kills nor the last run leave temporary files in the checkpoint.
  for (const auto& entry : fs::directory_iterator(folder_ / "kept")) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".whorl")) << entry.path();
  }
}

// Kills after numbers of new states, while the next is computed or written: each run goes on within the frame, and the
// image has the bits of a run that nothing ended. Least squares of one frame and of frames that are solved together, and
// each of the solvers of regularizers.
TEST_F(ReconCheckpoint, GoesOnWithinAFrame) {
  const Context ctx;
  Scan one = test::make_small_scan(ctx);
  one.frames.erase(one.frames.begin() + 1, one.frames.end());
  write_ismrmrd(ctx, one, folder_ / "one.h5");
  write_ismrmrd(ctx, test::make_small_scan(ctx), folder_ / "several.h5");
  std::mt19937 random(24);  // NOLINT(bugprone-random-generator-seed): the same numbers in every run
  std::uniform_int_distribution<int> states(1, 8);
  for (const auto& [scan, more] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"one.h5", {}},
           {"several.h5", {}},
           {"one.h5", {"--regularize", "tv:0.01,unit=largest", "--solver", "admm"}},
           {"one.h5", {"--regularize", "tv:0.01,unit=largest", "--solver", "pdhg"}},
           {"one.h5", {"--regularize", "wavelet:0.01,unit=largest", "--solver", "fista"}}}) {
    SCOPED_TRACE(scan + (more.empty() ? "" : " " + more.back()));
    fs::remove_all(folder_ / "kept");
    fs::copy_file(folder_ / scan, folder_ / "scan.h5", fs::copy_options::overwrite_existing);
    test::expect_success(recon([&, with = more]() mutable {
      with.insert(with.end(), {"-o", folder_ / "whole.npy"});
      return with;
    }()));
    std::vector<std::string> words = more;
    words.insert(words.end(), {"--checkpoint-every", "0"});
    int kills = 0;
    for (int attempt = 0; attempt < 6; ++attempt) {
      // The first run ends with its first state, however fast the machine is. A new state is a new file.
      const int wanted = attempt == 0 ? 1 : states(random);
      int seen = 0;
      ino_t last = file_number(state_of_last_frame(scan));
      kills += killed_when(
                   [&] {
                     const ino_t number = file_number(state_of_last_frame(scan));
                     if (number != 0 && number != last) ++seen;
                     last = number;
                     return seen >= wanted;
                   },
                   words)
                   ? 1
                   : 0;
    }
    EXPECT_GT(kills, 0);
    test::expect_success(with_checkpoint(more));
    EXPECT_EQ(image(), test::read_file(folder_ / "whole.npy"));
    const std::string record = test::read_file(folder_ / "image.npy.json");
    EXPECT_EQ(nlohmann::json::parse(record)["residuals"],
              nlohmann::json::parse(test::read_file(folder_ / "whole.npy.json"))["residuals"]);
    EXPECT_FALSE(fs::exists(state_of_last_frame(scan)));
  }
}

// A state is gone on from, a damaged one is not.
TEST_F(ReconCheckpoint, SaysWhereASolverGoesOn) {
  const std::string whole = uninterrupted();
  const auto first_state =
      folder_ / "kept/state-000002.bin";  // of the frames of the first slice, which are solved together
  const auto went_on = [&] {
    test::expect_success(with_checkpoint());
    EXPECT_EQ(image(), whole);
    const std::string record = test::read_file(folder_ / "image.npy.json");
    return record.find("Checkpoint: frame 1 goes on from iteration ") != std::string::npos;
  };
  ASSERT_TRUE(killed_when([&] { return fs::exists(first_state); }, {"--checkpoint-every", "0"}));
  ASSERT_TRUE(fs::exists(first_state));
  EXPECT_TRUE(went_on());
  fs::remove_all(folder_ / "kept");
  ASSERT_TRUE(killed_when([&] { return fs::exists(first_state); }, {"--checkpoint-every", "0"}));
  std::string bytes = test::read_file(first_state);
  bytes[bytes.size() - 3] ^= 1;
  write_file(first_state, bytes);
  EXPECT_FALSE(went_on());
  test::expect_failure(recon({"-o", folder_ / "image.npy", "--checkpoint-every", "5"}), 2,
                       "--checkpoint-every applies only with --checkpoint");
}

// Frames come from the folder: a changed image with the right hash is taken as it is.
TEST_F(ReconCheckpoint, FramesThatAreThereAreNotSolvedAgain) {
  test::expect_success(with_checkpoint());
  const std::string whole = image();
  const fs::path file = folder_ / "kept/frame-000004.bin";
  std::string body = read_checked_file(file).value_or("");
  ASSERT_FALSE(body.empty());
  body.back() ^= 1;
  write_checked_file(file, body);
  test::expect_success(with_checkpoint());
  const std::string again = image();
  const std::size_t end_of_frame = whole.size() - 16 * 20 * 8;
  EXPECT_EQ(again.substr(0, end_of_frame - 1), whole.substr(0, end_of_frame - 1));
  EXPECT_NE(again[end_of_frame - 1], whole[end_of_frame - 1]);
  EXPECT_EQ(again.substr(end_of_frame), whole.substr(end_of_frame));
}

// Files of sound frames in each other's place, and of another run whose frames have the same shape.
TEST_F(ReconCheckpoint, FramesOfOthersAreSolvedAgain) {
  const auto note = [&] {
    const auto record = nlohmann::json::parse(test::read_file(folder_ / "image.npy.json"));
    return record["notes"].dump().find("is that of another frame or run; the frame is made anew") != std::string::npos;
  };
  test::expect_success(with_checkpoint());
  const std::string whole = image();
  EXPECT_FALSE(note());
  fs::rename(folder_ / "kept/frame-000002.bin", folder_ / "two.bin");
  fs::rename(folder_ / "kept/frame-000004.bin", folder_ / "kept/frame-000002.bin");
  fs::rename(folder_ / "two.bin", folder_ / "kept/frame-000004.bin");
  test::expect_success(with_checkpoint());
  EXPECT_EQ(image(), whole);
  EXPECT_TRUE(note());
  fs::rename(folder_ / "kept", folder_ / "first");
  test::expect_success(recon({"-o", folder_ / "image.npy", "--checkpoint", folder_ / "kept", "--coils", "2"}));
  EXPECT_NE(image(), whole);
  fs::copy_file(folder_ / "kept/frame-000001.bin", folder_ / "first/frame-000001.bin",
                fs::copy_options::overwrite_existing);
  fs::remove_all(folder_ / "kept");
  fs::rename(folder_ / "first", folder_ / "kept");
  test::expect_success(with_checkpoint());
  EXPECT_EQ(image(), whole);
  EXPECT_TRUE(note());
}

TEST_F(ReconCheckpoint, DamagedFramesAreSolvedAgain) {
  test::expect_success(with_checkpoint());
  const std::string whole = image();
  const fs::path file = folder_ / "kept/frame-000001.bin";
  std::string bytes = test::read_file(file);
  bytes[bytes.size() / 2] ^= 1;
  write_file(file, bytes);
  write_file(folder_ / "kept/frame-000003.bin", "");
  test::expect_success(with_checkpoint());
  EXPECT_EQ(image(), whole);
  EXPECT_NE(test::read_file(file), bytes);
}

TEST_F(ReconCheckpoint, RefusesTheFolderOfAnotherRun) {
  test::expect_success(with_checkpoint());
  test::expect_failure(with_checkpoint({"--coils", "2"}), 1,
                       "is that of another run: virtual_coils was 0, is 2; remove the folder, or name another one");
  test::expect_failure(with_checkpoint({"--spokes-per-frame", "4"}), 1, "is that of another run: ");
  test::expect_failure(with_checkpoint({"--delays", "0.1,0.2"}), 1, "delays was not given, is");
  test::expect_failure({"recon", folder_ / "scan.h5", "-o", folder_ / "image.npy", "--method", "gridding",
                        "--checkpoint", folder_ / "kept"},
                       2, "--checkpoint applies only with cg-sense");
  {
    const Context ctx;
    Scan other = turned_scan(ctx);
    other.frames[3].data.data()[5] += 1.0F;
    write_ismrmrd(ctx, other, folder_ / "scan.h5");
  }
  test::expect_failure(with_checkpoint(), 1, "the input \"scan.h5\" is not the \"scan.h5\" of then (SHA-256)");
  write_file(folder_ / "kept/run.json", "{}");
  test::expect_failure(with_checkpoint(), 1, "its run.json is missing or damaged; remove the folder");
}

// Regularizers in time couple frames; error bars start from the solver's state, so those frames are solved again.
TEST_F(ReconCheckpoint, OfRegularizersAndErrorBars) {
  for (const std::vector<std::string>& what :
       {std::vector<std::string>{"--regularize", "tv:0.01,unit=largest,axes=xyt"},
        std::vector<std::string>{"--stddev", folder_ / "s.npy", "--replicas", "2"}}) {
    fs::remove_all(folder_ / "kept");
    std::vector<std::string> words{
        "recon", "-q",           folder_ / "scan.h5", "-o", folder_ / "image.npy", "--complex", "--iterations",
        "20",    "--checkpoint", folder_ / "kept"};
    words.insert(words.end(), what.begin(), what.end());
    test::expect_success(words);
    const std::string whole = image();
    const bool noisy = what.front() == "--stddev";
    const std::string bars = noisy ? test::read_file(folder_ / "s.npy") : "";
    test::expect_success(words);
    EXPECT_EQ(image(), whole);
    fs::remove(folder_ / "kept/frame-000002.bin");
    test::expect_success(words);
    EXPECT_EQ(image(), whole);
    EXPECT_EQ(noisy ? test::read_file(folder_ / "s.npy") : "", bars);
  }
}

TEST_F(ReconCheckpoint, ADryRunSaysWhatWouldBeDone) {
  const test::TemporaryFolder made_here;
  using Options = std::vector<std::string>;
  const auto record = [&](const Options& options) {
    Options all{"recon",    "-q",  folder_ / "scan.h5", "-o", made_here / "image.npy",
                "--device", "cpu", "--iterations",      "7"};
    all.insert(all.end(), options.begin(), options.end());
    test::expect_success(all);
    return nlohmann::json::parse(test::read_file(made_here / "image.npy.json"));
  };
  // With a limit of its own, for the memory that is free changes from run to run.
  const auto planned = [&](const Options& output) {
    Options all{"recon", folder_ / "scan.h5", "--dry-run", "--device", "cpu", "--iterations",
                "7",     "--max-memory",      "1GB"};
    all.insert(all.end(), output.begin(), output.end());
    return test::expect_success(all);
  };
  const std::string said = planned({"-o", folder_ / "image.npy"});
  EXPECT_EQ(planned({}), said);
  for (const char* part : {"memory on cpu: ", "  coil maps ", "  plan ", "  conjugate gradient ",
                           "frames: 6, trajectories: 6, solves: 2 of at most 3 frames, coils at a time: 3",
                           "At most 7 iterations of each frame; A^H A is a "}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << " in " << said;
  }
  EXPECT_EQ(folder_.entries(), 1);
  // Within a subspace, too: slices are solved.
  const Options subspace{"--subspace-from", "frames", "--subspace-rank", "2", "--subspace-resolution", "4"};
  Options dry{"recon", folder_ / "scan.h5", "-o", folder_ / "image.npy", "--dry-run", "--device",
              "cpu",   "--iterations",      "7"};
  dry.insert(dry.end(), subspace.begin(), subspace.end());
  const std::string within = test::expect_success(dry);
  for (const char* part : {"  right-hand side ", "  conjugate gradient ", "solves: 2 of at most 3 frames"}) {
    EXPECT_NE(within.find(part), std::string::npos) << part << " in " << within;
  }
  for (const Options& options : {Options{}, subspace}) {
    const nlohmann::json made = record(options);
    EXPECT_GT(made["process_seconds"].get<double>(), 0);
    double measured = 0;
    for (const auto& [stage, seconds] : made["stage_seconds"].items()) measured += seconds.get<double>();
    // The stages are all of the process; 1e-9: rounding of the sums.
    EXPECT_NEAR(measured, made["process_seconds"].get<double>(), 1e-9);
  }
  const std::string spills =
      test::expect_success({"recon", folder_ / "scan.h5", "-o", folder_ / "image.npy", "--dry-run", "--device", "cpu",
                            "--threads", "1", "--max-memory", "580kB"});
  EXPECT_NE(spills.find("spilled: samples"), std::string::npos) << spills;
  // What recon would refuse is refused.
  const std::string small = test::expect_success({"recon", folder_ / "scan.h5", "-o", folder_ / "image.npy",
                                                  "--dry-run", "--device", "cpu", "--max-memory", "200kB"});
  EXPECT_NE(small.find("too much, recon would be refused"), std::string::npos) << small;
  test::expect_failure(
      {"recon", folder_ / "scan.h5", "-o", folder_ / "image.npy", "--device", "cpu", "--max-memory", "200kB"}, 1,
      "needs some");
}

}  // namespace
}  // namespace whorl
