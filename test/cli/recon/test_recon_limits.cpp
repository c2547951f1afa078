// whorl recon --max-memory: what the plan says is what the run does, at any limit.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/phantom_scan.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using test::run_process;

// Three frames of one trajectory, five coils: data of 1.5 MB, maps of 0.2 MB.
void write_series(const std::filesystem::path& file) {
  const Context ctx({.threads = 2});
  const auto trajectory = std::make_shared<Trajectory>(radial_trajectory(ctx, 96, 128, SpokeOrder::golden_angle));
  Scan scan = test::make_phantom_scan(ctx, trajectory, {64, 60, 1}, {.coils = 5, .noise_standard_deviation = 0.1});
  scan.noise = {};
  for (int repetition = 1; repetition < 3; ++repetition) {
    const ScanFrame& first = scan.frames.front();
    scan.frames.push_back(
        {{.repetition = repetition}, trajectory, nullptr, clone<std::complex<float>>(ctx, first.data), first.geometry});
  }
  write_ismrmrd(ctx, scan, file);
}

class ReconLimits : public ::testing::TestWithParam<std::vector<std::string>> {};

// From limits that even spilling cannot meet to those that all fits into.
TEST_P(ReconLimits, ThePlanAndTheRunAgree) {
  const test::TemporaryFolder folder;
  write_series(folder / "scan.h5");
  std::vector<std::string> recon{WHORL_PROGRAM, "recon", folder / "scan.h5", "-o",         folder / "image.npy",
                                 "--threads",   "2",     "--temp-dir",       folder.path()};
  recon.insert(recon.end(), GetParam().begin(), GetParam().end());
  bool has_worked = false;
  int refused = 0;
  for (int kilobytes = 500; kilobytes <= 12000; kilobytes += kilobytes / 2) {
    std::vector<std::string> limited = recon;
    limited.insert(limited.end(), {"--max-memory", std::to_string(kilobytes) + "KB"});
    const auto run = run_process(limited);
    limited.push_back("--dry-run");
    const auto dry = run_process(limited);
    const bool fits = dry.exit_code == 0 && dry.out.find("recon would be refused") == std::string::npos;
    EXPECT_EQ(run.exit_code == 0, fits) << kilobytes << " kB: " << run.err << dry.out << dry.err;
    EXPECT_FALSE(has_worked && run.exit_code != 0) << kilobytes << " kB, and less was enough: " << run.err;
    has_worked = has_worked || run.exit_code == 0;
    refused += run.exit_code == 0 ? 0 : 1;
  }
  EXPECT_TRUE(has_worked);
  EXPECT_GT(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(All, ReconLimits,
                         ::testing::Values(std::vector<std::string>{"--iterations", "3"},
                                           std::vector<std::string>{"--iterations", "3", "--k-shift", "readouts"},
                                           std::vector<std::string>{"--iterations", "3", "--lambda", "0.01",
                                                                    "--regularize", "tv:1"},
                                           std::vector<std::string>{"--iterations", "3", "--support", "ball"},
                                           std::vector<std::string>{"--method", "gridding"},
                                           std::vector<std::string>{"--method", "nlinv", "--nlinv-steps", "3"}));

}  // namespace
}  // namespace whorl
