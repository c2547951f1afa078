// whorl map: maps of relaxation times from a series of images.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "cli/command.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/run_notes.hpp"
#include "whorl/core/error.hpp"
#include "whorl/fit/relaxation.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/record.hpp"

namespace whorl::cli {

namespace {

struct MapKind {
  std::string name;
  std::string quantity;
  std::string summary;
  RelaxationModel model;
  std::string examples;
};

struct MapOptions {
  std::string series;
  std::vector<double> times;
  std::string output;
  std::string error;
  std::string amplitude;
  std::string amplitude_error;
  std::string inversion;
  FitOptions fit;
};

const OptionTable<MapOptions>& time_table() {
  static const OptionTable<MapOptions> table = OptionTable<MapOptions>("map").list(
      "times", &MapOptions::times, 2, 0, OptionRange{0, 1e9}, "ms", "Time of each image of the series, in its order");
  return table;
}

// Real values with their signs; of complex ones the magnitude.
Array<float> real_values(const Context& ctx, const AnyArray& values) {
  Array<float> real(ctx, shape_of(values));
  std::visit(
      [&]<class T>(const Array<T>& from) {
        std::transform(from.span().begin(), from.span().end(), real.span().begin(), [](T value) {
          if constexpr (std::is_floating_point_v<T>) {
            return static_cast<float>(value);
          } else {
            return static_cast<float>(std::abs(value));
          }
        });
      },
      values);
  return real;
}

void run(const MapOptions& options, const MapKind& kind, const Session& session) {
  const NamedArray file = read_array(session.ctx, options.series);
  const Array<float> series = real_values(session.ctx, file.values);
  RunRecord record = begin_record(session);
  record.parameters = {{"map", kind.name}, {"times_ms", fmt::format("{}", fmt::join(options.times, ","))}};
  append(record.parameters, parameters_of(options.fit));
  const auto start = std::chrono::steady_clock::now();
  RelaxationMaps maps = fit_relaxation(session.ctx, series, options.times, kind.model, options.fit);
  record.stage_seconds = {{"fit", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()}};
  record.notes = {fmt::format(
      "{} in ms: fitted in {} voxels{}.", kind.quantity, maps.fitted,
      maps.failed > 0 ? fmt::format("; {} above the threshold do not determine it, and are 0", maps.failed) : "")};
  const auto write = [&](const std::string& path, const char* name, Array<float>& values) {
    if (path.empty()) return;
    write_array(session.ctx, path, {name, std::move(values), file.affine});
  };
  write(options.output, "time", maps.time);
  write(options.error, "time_error", maps.time_error);
  write(options.amplitude, "amplitude", maps.amplitude);
  write(options.amplitude_error, "amplitude_error", maps.amplitude_error);
  write(options.inversion, "inversion", maps.inversion);
  finish_run(session, record);
}

Run define(App& app, const MapKind& kind) {
  const auto options = std::make_shared<MapOptions>();
  app.add_input("series", options->series, "Series of images [time, (z,) y, x]: FILE or FILE:NAME")->required();
  add_options(app, *options, time_table());
  app.get_option("--times")->required();
  const auto add = [&](const std::string& name, std::string& path, const std::string& help) {
    return app.add_output(name, path, with_record(array_output()), help);
  };
  add("-o,--output", options->output, fmt::format("Map of {} in ms ({})", kind.quantity, array_extensions()))
      ->required();
  add("--error", options->error, fmt::format("Also write the standard deviation of {} in ms", kind.quantity));
  add("--amplitude", options->amplitude, "Also write the amplitude A");
  add("--amplitude-error", options->amplitude_error, "Also write its standard deviation");
  if (kind.model == RelaxationModel::recovery) {
    add("--inversion", options->inversion, "Also write B, 2 after a perfect inversion, 1 after a saturation");
  }
  add_options(app, options->fit);
  return [options, kind](const Session& session) { run(*options, kind, session); };
}

constexpr const char* decay_text =
    R"(Each voxel's magnitudes are fitted by A exp(-t / {0}) in least squares (Levenberg-Marquardt); the error bars are
those of the fit, by --noise or by what the fit leaves.

Examples:
  whorl map {1} echoes.nii.gz --times 10,20,40,80 -o {1}.nii.gz --error {1}_error.nii.gz
  whorl map {1} echoes.nii.gz --times 10,20,40,80 --noise 3.5 --threshold 0.1 -o {1}.nii.gz)";

constexpr const char* recovery_text =
    R"(Each voxel is fitted by A (1 - B exp(-t / T1)) in least squares (Levenberg-Marquardt). Magnitudes have lost the
sign of their first values: it is found by trying. Real images keep theirs.

Examples:
  whorl map t1 inversions.nii.gz --times 50,150,400,800,1500,3000 -o t1.nii.gz --error t1_error.nii.gz)";

std::vector<MapKind> kinds() {
  const auto decay = [](const std::string& quantity, const std::string& name) {
    return fmt::format(fmt::runtime(decay_text), quantity, name);
  };
  return {{"t2", "T2", "T2 from spin echoes", RelaxationModel::decay, decay("T2", "t2")},
          {"t2star", "T2*", "T2* from gradient echoes", RelaxationModel::decay, decay("T2*", "t2star")},
          {"t1", "T1", "T1 from times after an inversion or saturation", RelaxationModel::recovery, recovery_text}};
}

}  // namespace

Command map_command() {
  Command command{"map",
                  "Relaxation times with their error bars, from a series of images",
                  "Each explains itself: whorl map t2 --help",
                  {},
                  {}};
  for (const MapKind& kind : kinds()) {
    command.subcommands.push_back(
        {kind.name, kind.summary, kind.examples, [kind](App& app) -> Run { return define(app, kind); }});
  }
  return command;
}

}  // namespace whorl::cli
