// Sodium in a numerical head: from twisted projections to millimoles per liter with error bars.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "joint.hpp"
#include "report.hpp"
#include "whorl/core/error.hpp"

namespace {

int run(int count, char** arguments) {
  CLI::App app{
      "Sodium concentrations in a numerical head: gridding, least squares, and least squares with a proton "
      "image as prior, with error bars."};
  sodium::StudySettings settings;
  std::string folder = "sodium";
  std::string device = "cpu";
  int threads = 0;
  app.add_option("-o,--output", folder, "Folder of the results")->capture_default_str();
  app.add_option("--size", settings.scan.size, "Voxels along each axis of 24 cm")
      ->check(CLI::Range(24, 128))
      ->capture_default_str();
  app.add_option("--coils", settings.scan.coils, "Receive coils")->check(CLI::Range(1, 64))->capture_default_str();
  app.add_option("--reduction", settings.scan.reduction, "Reduction factor of the readouts relative to full sampling")
      ->check(CLI::Range(1.0, 8.0))
      ->capture_default_str();
  app.add_option("--noise", settings.scan.noise, "Standard deviation of a sample's noise")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--replicas", settings.replicas, "Number of scans with different noise")
      ->check(CLI::Range(2, 10000))
      ->capture_default_str();
  app.add_option("--predictions", settings.predictions, "Replicas of pure noise for the error bars")
      ->check(CLI::Range(2, 10000))
      ->capture_default_str();
  app.add_option("--lambda", settings.recon.lambda, "Weight of Tikhonov's penalty")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--prior-lambda", settings.recon.prior_lambda, "Weight of the prior")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--device", device, "auto, cpu, cuda or cuda:N")->capture_default_str();
  app.add_option("--threads", threads, "0: as many as there are")->check(CLI::NonNegativeNumber)->capture_default_str();
  sodium::JointSettings joint;
  bool jointly = false;
  app.add_flag("--joint", jointly,
               "Instead, scans with receivers, readouts, gains and noise of their own, alone and solved jointly");
  app.add_option("--scans", joint.scans, "Scans that are solved jointly, of 4 coils each; they share the readouts")
      ->check(CLI::Range(2, 8))
      ->capture_default_str();
  CLI11_PARSE(app, count, arguments);
  const auto start = std::chrono::steady_clock::now();
  const whorl::Context ctx({.device = whorl::parse_device(device), .threads = threads});
  if (jointly) {
    joint.scan.size = settings.scan.size;
    fmt::print("{}", sodium::table_of(sodium::run_joint(ctx, joint)));
    return 0;
  }
  std::filesystem::create_directories(folder);
  const sodium::Study study = sodium::run_study(ctx, settings, folder);
  sodium::write_report(ctx.host(), study, folder);
  for (const std::string& fact : study.facts) fmt::print("{}\n", fact);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print("\n{}\n{:.0f} s; results in {}\n", sodium::table_of(study), took.count(), folder);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "example_sodium: %s\n", error.what());
    return 1;
  }
}
