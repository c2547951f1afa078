// whorl map: quantitative maps from a series of images; here those of relaxation times.
#include "cli/map/map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <memory>

#include "cli/command.hpp"
#include "cli/fieldmap/echoes.hpp"
#include "cli/map/map_series.hpp"
#include "cli/output/run_notes.hpp"
#include "whorl/fit/relaxation.hpp"
#include "whorl/io/array_files.hpp"

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
  SeriesInput series;
  std::vector<double> times;
  MapOutput output{"-o,--output", "time", ""};
  MapOutput error{"--error", "time_error", ""};
  MapOutput amplitude{"--amplitude", "amplitude", "Also write the amplitude A"};
  MapOutput amplitude_error{"--amplitude-error", "amplitude_error", "Also write its standard deviation"};
  MapOutput inversion{"--inversion", "inversion", "Also write B, 2 after a perfect inversion, 1 after a saturation"};
};

const OptionTable<MapOptions>& relaxation_times() {
  static const OptionTable<MapOptions> table = OptionTable<MapOptions>("map").list(
      "times", &MapOptions::times, 2, 0, OptionRange{0, 1e9}, "ms", "Time of each image of the series, in its order");
  return table;
}

void run_relaxation(const MapOptions& options, const MapKind& kind, const Session& session) {
  const MapSeries series = read_series(session.ctx, options.series);
  RunRecord record = begin_record(session);
  const std::vector<double> times = settle_times(session.ctx, options.times, options.series.files, record.notes);
  record.parameters = {{"map", kind.name}, {"times_ms", fmt::format("{}", fmt::join(times, ","))}};
  append(record.parameters, parameters_of(options.series.fit));
  const auto start = std::chrono::steady_clock::now();
  RelaxationMaps maps =
      fit_relaxation(session.device(), series.values, times, kind.model, options.series.fit, series.errors_ref());
  record.stage_seconds = {{"fit", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()}};
  record.notes.emplace_back(fmt::format("{} in ms: {}", kind.quantity, counts_text(maps.fitted, maps.failed)));
  record.quantity = fmt::format("{} (ms)", kind.quantity);
  write_map(session.ctx, options.output, maps.time, series.affine);
  write_map(session.ctx, options.error, maps.time_error, series.affine);
  write_map(session.ctx, options.amplitude, maps.amplitude, series.affine);
  write_map(session.ctx, options.amplitude_error, maps.amplitude_error, series.affine);
  write_map(session.ctx, options.inversion, maps.inversion, series.affine);
  finish_run(session, record);
}

Run define_relaxation(App& app, const MapKind& kind) {
  const auto options = std::make_shared<MapOptions>();
  add_series(app, options->series);
  add_options(app, *options, relaxation_times());
  // Times after an inversion are of the sequence, which no file of images says.
  if (kind.model == RelaxationModel::recovery) app.get_option("--times")->required();
  options->output.help = fmt::format("Map of {} in ms ({})", kind.quantity, array_extensions());
  options->error.help = fmt::format("Also write the standard deviation of {} in ms", kind.quantity);
  add_map(app, options->output)->required();
  add_map(app, options->error);
  add_map(app, options->amplitude);
  add_map(app, options->amplitude_error);
  if (kind.model == RelaxationModel::recovery) add_map(app, options->inversion);
  return [options, kind](const Session& session) { run_relaxation(*options, kind, session); };
}

constexpr const char* decay_text =
    R"(Each voxel's magnitudes are fitted by A exp(-t / {0}) in least squares (Levenberg-Marquardt), all voxels at once on the
GPU or in the processor's vectors. The error bars are those of the fit: by --series-error, by --noise or by what it leaves.

Examples:
  whorl map {1} echoes.nii.gz --times 10,20,40,80 -o {1}.nii.gz --error {1}_error.nii.gz
                                        one file with all echoes
  whorl map {1} echo1.nii.gz echo2.nii.gz echo3.nii.gz --times 10,20,40 -o {1}.nii.gz
                                        a file for each echo
  whorl map {1} echoes.nii.gz --times 10,20,40,80 --noise 3.5 --threshold 0.1 -o {1}.nii.gz
                                        noise that is known, and voxels above a tenth of the largest)";

constexpr const char* recovery_text =
    R"(Each voxel is fitted by A (1 - B exp(-t / T1)) in least squares (Levenberg-Marquardt). Magnitudes have lost the
sign of their first values: it is found by trying. Real images keep theirs.

Examples:
  whorl map t1 inversions.nii.gz --times 50,150,400,800,1500,3000 -o t1.nii.gz --error t1_error.nii.gz
                                        one file with all images
  whorl map t1 time1.nii.gz time2.nii.gz time3.nii.gz --times 50,400,3000 -o t1.nii.gz
                                        a file for each image
  whorl map t1 inversions.nii.gz --times 50,150,400,800,1500,3000 --noise 3.5 --threshold 0.1 -o t1.nii.gz --inversion b.nii.gz
                                        noise that is known, voxels above a tenth of the largest, and how well it inverted)";

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
                  "Relaxation times, diffusion, water and fat with their error bars, from a series of images",
                  "Each explains itself: whorl map t2 --help",
                  {},
                  {}};
  for (const MapKind& kind : kinds()) {
    command.subcommands.push_back(
        {kind.name, kind.summary, kind.examples, [kind](App& app) -> Run { return define_relaxation(app, kind); }});
  }
  command.subcommands.push_back(diffusion_map_command());
  command.subcommands.push_back(water_fat_map_command());
  return command;
}

}  // namespace whorl::cli
