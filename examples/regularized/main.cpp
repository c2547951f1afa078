// Images from a quarter of the samples with regularizers: still objects, a beating heart, echoes, measured scans.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cases.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace {

int run(int count, char** arguments) {
  CLI::App app{"Undersampled images and series with regularizers, against their truth: pictures and a table."};
  regularized::Settings settings;
  std::string folder = "regularized";
  std::string data;
  std::vector<std::string> devices{"cpu"};
  int threads = 0;
  app.add_option("-o,--output", folder, "Folder of the results")->capture_default_str();
  app.add_option("--data", data, "Folder with measured scans: liver.trj, liver.0.data, ..., rt_spiral_03.mat");
  app.add_option("--size", settings.size, "Pixels along each axis")->check(CLI::Range(32, 512))->capture_default_str();
  app.add_option("--coils", settings.coils, "Receive coils")->check(CLI::Range(1, 64))->capture_default_str();
  app.add_option("--frames", settings.frames, "Frames and echoes")->check(CLI::Range(6, 256))->capture_default_str();
  app.add_option("--reduction", settings.reduction, "Reduction factor of the spokes relative to full sampling")
      ->check(CLI::Range(1.0, 16.0))
      ->capture_default_str();
  app.add_option("--noise", settings.noise, "Standard deviation of a sample's noise")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--iterations", settings.iterations, "Of each solve, at most")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--device", devices,
                 "auto, cpu, cuda or cuda:N; of several (cpu,cuda) the table has all, pictures are the first's")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--threads", threads, "0: as many as there are")->check(CLI::NonNegativeNumber)->capture_default_str();
  CLI11_PARSE(app, count, arguments);
  std::vector<whorl::Context> contexts;
  for (const std::string& device : devices) {
    contexts.emplace_back(whorl::Context::Options{.device = whorl::parse_device(device), .threads = threads});
  }
  std::filesystem::create_directories(folder);
  std::string table;
  const auto add = [&](const std::function<regularized::Study(const whorl::Context&)>& make) {
    std::vector<std::vector<regularized::Row>> rows;
    for (const whorl::Context& ctx : contexts) {
      const regularized::Study study = make(ctx);
      if (rows.empty()) {
        whorl::write_picture(ctx.host(), std::filesystem::path(folder) / (study.name + ".png"), study.picture);
      }
      rows.push_back(study.rows);
    }
    const std::string text = regularized::table_of(devices, rows);
    fmt::print("{}\n", text);
    std::fflush(stdout);
    table += text + "\n";
  };
  add([&](const whorl::Context& ctx) { return regularized::still_images(ctx, settings); });
  add([&](const whorl::Context& ctx) { return regularized::moving_images(ctx, settings); });
  add([&](const whorl::Context& ctx) { return regularized::echo_images(ctx, settings); });
  if (!data.empty()) {
    add([&](const whorl::Context& ctx) { return regularized::measured_images(ctx, settings, data); });
  }
  whorl::write_file(std::filesystem::path(folder) / "table.md", table);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "example_regularized: %s\n", error.what());
    return 1;
  }
}
