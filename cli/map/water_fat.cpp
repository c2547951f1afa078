// whorl map water-fat: water, fat and their fraction, field map and R2*.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "cli/fieldmap/echoes.hpp"
#include "cli/map/map.hpp"
#include "cli/map/map_series.hpp"
#include "cli/output/run_notes.hpp"
#include "whorl/core/error.hpp"
#include "whorl/fit/water_fat.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl::cli {

namespace {

struct WaterFatMapOptions {
  std::vector<std::string> inputs;
  std::vector<double> times;
  std::vector<double> peaks;
  std::vector<double> amplitudes;
  WaterFatOptions fit;
  std::array<MapOutput, 10> outputs{
      MapOutput{"-o,--output", "fraction", ""},
      MapOutput{"--error", "fraction_error", "Also write the standard deviation of the fraction"},
      MapOutput{"--water", "water", "Also write the water image"},
      MapOutput{"--water-error", "water_error", "Also write its standard deviation"},
      MapOutput{"--fat", "fat", "Also write the fat image"},
      MapOutput{"--fat-error", "fat_error", "Also write its standard deviation"},
      MapOutput{"--r2star", "r2star", "Also write R2* in 1/s"},
      MapOutput{"--r2star-error", "r2star_error", "Also write its standard deviation"},
      MapOutput{"--field", "field", "Also write the field map in Hz"},
      MapOutput{"--field-error", "field_error", "Also write its standard deviation"}};
};

const OptionTable<WaterFatMapOptions>& echo_table() {
  using Options = WaterFatMapOptions;
  static const OptionTable<Options> table =
      OptionTable<Options>("map water-fat")
          .list("times", &Options::times, 3, 0, OptionRange{0, 1e6}, "ms",
                "Echo time of each echo, in their order (default: as the files say)")
          .list("peaks", &Options::peaks, 1, 0, OptionRange{-20, 20}, "ppm",
                "Peaks of fat from water (default: six of liver fat, Hamilton 2011)")
          .list("amplitudes", &Options::amplitudes, 1, 0, OptionRange{0, 1}, "", "Part of each peak, their sum 1");
  return table;
}

std::vector<FatPeak> peaks_of(const WaterFatMapOptions& options) {
  if (options.peaks.empty()) return liver_fat();
  if (options.peaks.size() != options.amplitudes.size()) {
    throw ValueError(fmt::format("water-fat: {} peaks and {} amplitudes; expected one for each", options.peaks.size(),
                                 options.amplitudes.size()));
  }
  std::vector<FatPeak> peaks;
  for (std::size_t n = 0; n < options.peaks.size(); ++n) peaks.push_back({options.peaks[n], options.amplitudes[n]});
  return peaks;
}

void run_water_fat(const WaterFatMapOptions& options, const Session& session) {
  RunRecord record = begin_record(session);
  const std::vector<FatPeak> peaks = peaks_of(options);
  std::vector<double> times = options.times;
  EchoImages echoes = read_echoes(session.ctx, options.inputs, times);
  record.parameters = {{"map", "water-fat"}, {"times_ms", fmt::format("{}", fmt::join(times, ","))}};
  std::vector<std::string> spectrum;
  for (const FatPeak& peak : peaks) spectrum.push_back(fmt::format("{:.4g}:{:.4g}", peak.ppm, peak.amplitude));
  record.parameters.emplace_back("fat_ppm_and_amplitude", fmt::format("{}", fmt::join(spectrum, ",")));
  append(record.parameters, parameters_of(options.fit));
  echoes.images.reshape(echoes.images.shape().tail().tail().with_front(echoes.images.extent(0)));  // without coils
  std::vector<double> seconds;
  std::transform(times.begin(), times.end(), std::back_inserter(seconds), [](double ms) { return 1e-3 * ms; });
  const auto start = std::chrono::steady_clock::now();
  WaterFatMaps maps = fit_water_fat(session.device(), echoes.images, seconds, peaks, options.fit);
  record.stage_seconds = {
      {"water and fat", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()}};
  record.quantity = "fat fraction (1)";
  record.notes = std::move(echoes.notes);
  record.notes.emplace_back(fmt::format("Water and fat: {}", counts_text(maps.fitted, maps.failed)));
  const std::array<Array<float>*, 10> values{&maps.fraction, &maps.fraction_error, &maps.water,   &maps.water_error,
                                             &maps.fat,      &maps.fat_error,      &maps.r2_star, &maps.r2_star_error,
                                             &maps.field,    &maps.field_error};
  for (std::size_t n = 0; n < values.size(); ++n) {
    write_map(session.ctx, options.outputs[n], *values[n], echoes.affine);
  }
  finish_run(session, record);
}

constexpr const char* water_fat_text =
    R"(Each voxel is fitted by (W + F sum_p a_p exp(-2 pi i d_p t)) exp(-R2* t - 2 pi i f t) with the peaks of fat's spectrum. Several
fields f explain a voxel, those with water and fat swapped among them: one is chosen for all voxels together, so that the field is
smooth, and then each voxel is fitted for itself (docs/howto/maps.md). The map is the fraction of fat. Inputs are complex images,
one file [echo, (z,) y, x] or a file for each echo.

Examples:
  whorl map water-fat echoes.nii.gz --times 1.2,2.4,3.6,4.8,6,7.2 --field-strength 3 -o fraction.nii.gz --error fraction_error.nii.gz
  whorl map water-fat echoes.npy --times 1.2,3.2,5.2,7.2 --field-strength 1.5 -o fraction.npy --water w.npy --fat f.npy --r2star r.npy
  whorl map water-fat echoes.npy --times 1.2,2.4,3.6,4.8 --field-strength 3 --opposite -o fraction.npy
                                        phases that turn the other way: fat and water look swapped everywhere without it)";

}  // namespace

Command water_fat_map_command() {
  return {"water-fat", "Water, fat and their fraction, field map and R2*", water_fat_text, [](App& app) -> Run {
            const auto options = std::make_shared<WaterFatMapOptions>();
            app.add_input("echoes", options->inputs,
                          "Complex images [echo, (z,) y, x]: FILE or FILE:NAME, in the order of the times")
                ->required();
            add_options(app, *options, echo_table());
            app.get_option("--amplitudes")->when("--peaks", [options] { return !options->peaks.empty(); });
            add_options(app, options->fit);
            app.get_option("--field-strength")->required();
            options->outputs[0].help = fmt::format("Map of the fraction of fat, 0 to 1 ({})", array_extensions());
            for (MapOutput& output : options->outputs) add_map(app, output);
            app.get_option("--output")->required();
            return [options](const Session& session) { run_water_fat(*options, session); };
          }};
}

}  // namespace whorl::cli
