// whorl fieldmap: a map of off-resonance from scans or images of several echoes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "cli/fieldmap/echoes.hpp"
#include "cli/fieldmap/readout_map.hpp"
#include "cli/map/map_series.hpp"
#include "cli/options/scan_options.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/run_notes.hpp"
#include "cli/recon/recon_options.hpp"
#include "whorl/calib/field_map.hpp"
#include "whorl/core/error.hpp"
#include "whorl/fit/water_fat.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/png.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/job/record.hpp"
#include "whorl/plot/colorbar.hpp"
#include "whorl/plot/montage.hpp"
#include "whorl/recon/option_tables.hpp"

namespace whorl::cli {

namespace {

struct Options {
  std::vector<std::string> inputs;
  std::vector<double> times;
  std::string output;
  std::string error;
  std::string png;
  FieldMapOptions field;
  bool fat = false;
  WaterFatOptions species;
  bool from_readout = false;
  ReadoutFieldOptions readout;
  ScanReadOptions read;
  ReconOptions recon;
};

const OptionTable<Options>& time_table() {
  static const OptionTable<Options> table =
      OptionTable<Options>("fieldmap")
          .list("times", &Options::times, 2, 0, OptionRange{-1e6, 1e6}, "ms",
                "Echo time of each echo, in their order (default: as the files say)");
  return table;
}

bool are_scans(const Options& options) {
  return std::all_of(options.inputs.begin(), options.inputs.end(),
                     [](const std::string& file) { return is_scan(file); });
}

// The field in the object, slices side by side.
constexpr const char* field_label = "off-resonance (Hz)";

void write_field_picture(const Context& ctx, const std::string& path, const FieldMap& map) {
  Array<float> shown(ctx, map.hertz.shape());
  for (Index v = 0; v < shown.size(); ++v) shown.data()[v] = map.hertz.data()[v] * map.mask.data()[v];
  MontageOptions montage;
  montage.colormap = Colormap::blue_red;
  montage.window = default_window(ctx, shown);
  if (montage.window->low >= 0) montage.window->low = -montage.window->high;
  if (!(montage.window->high > montage.window->low)) montage.window = DisplayWindow{-1, 1};
  Picture picture = montage_picture(ctx, shown, montage);
  montage.zoom = comfortable_zoom(picture.width, picture.height);
  if (montage.zoom > 1) picture = montage_picture(ctx, shown, montage);
  MontageOptions inside{.colormap = Colormap::gray, .window = DisplayWindow{0, 1}, .zoom = montage.zoom};
  const Picture mask = montage_picture(ctx, map.mask, inside);
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    if (mask.pixels[i] == Color{0, 0, 0}) picture.pixels[i] = {0, 0, 0};
  }
  write_picture(ctx, path, with_colorbar(picture, Colormap::blue_red, *montage.window, field_label));
}

Notes sentences_of(const FieldMap& map, const std::vector<double>& times) {
  float low = 0;
  float high = 0;
  Index voxels = 0;
  for (Index v = 0; v < map.hertz.size(); ++v) {
    if (map.mask.data()[v] == 0) continue;
    low = voxels == 0 ? map.hertz.data()[v] : std::min(low, map.hertz.data()[v]);
    high = voxels == 0 ? map.hertz.data()[v] : std::max(high, map.hertz.data()[v]);
    ++voxels;
  }
  std::vector<double> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  double shortest = sorted.back() - sorted.front();
  for (std::size_t i = 1; i < sorted.size(); ++i) shortest = std::min(shortest, sorted[i] - sorted[i - 1]);
  Notes notes{fmt::format(
      "Field map: {:.4g} to {:.4g} Hz in {:.3g} % of the image; {} echoes agree with it by a mean cosine of "
      "{:.4f}; phases of neighbors by {:.4f}.",
      low, high, 100.0 * static_cast<double>(voxels) / static_cast<double>(map.hertz.size()), times.size(),
      map.agreement, map.coherence)};
  if (map.regions > 1) {
    notes.emplace_back(fmt::format(
        "The object has {} parts that do not touch. The echoes do not tell the multiple of {:.4g} Hz of each part: the "
        "one nearest to 0 is taken.",
        map.regions, 1e3 / shortest));
  }
  return notes;
}

// The field of water, in voxels that hold water, fat or both.
FieldMap field_beside_fat(const Session& session, const Options& options, const Array<std::complex<float>>& echoes,
                          const std::vector<double>& seconds, Notes& notes) {
  WaterFatOptions species = options.species;
  species.threshold = options.field.threshold;
  species.noise = options.field.noise;
  const Index count = echoes.extent(0);
  const auto alone = echoes.ref().reshape(echoes.shape().tail().tail().with_front(count));  // without coils
  const WaterFatMaps maps = fit_water_fat(session.device(), alone, seconds, liver_fat(), species);
  notes.emplace_back(fmt::format("Water and fat: {}.", counts_text(maps.fitted, maps.failed)));
  const auto left = without_fat(session.ctx, alone, seconds, liver_fat(), maps, species);
  FieldMap map = estimate_field_map(session.ctx, left.ref().reshape(echoes.shape()), seconds, options.field);
  if (map.error.size() > 0) map.error = clone(session.ctx, maps.field_error.ref());  // of water and fat together
  return map;
}

// A map from one scan, whose readouts last.
void run_from_readout(const Options& options, const Session& session) {
  if (options.inputs.size() != 1 || !are_scans(options)) {
    throw ValueError(fmt::format("field from readout: {} files, expected one scan", options.inputs.size()));
  }
  RunRecord record = begin_record(session);
  record.parameters = describe(options.recon);
  append(record.parameters, parameters_of(options.readout));
  Scan scan = read_scan(session.ctx, options.inputs.front(), options.read);
  record.notes = scan.notes;
  ReadoutMap found = map_from_readout(session.device(), std::move(scan), options.recon, options.readout);
  record.stage_seconds = std::move(found.stage_seconds);
  record.notes.insert(record.notes.end(), found.notes.begin(), found.notes.end());
  FieldMap map;
  map.hertz = std::move(found.hertz);
  map.mask = Array<float>(session.ctx, map.hertz.shape());
  fill<float>(map.mask, 1);
  if (!options.png.empty()) write_field_picture(session.ctx, options.png, map);
  record.quantity = field_label;
  write_array(session.ctx, options.output, {"field", std::move(map.hertz), found.affine});
  finish_run(session, record);
}

void run(const Options& options, const Session& session) {
  if (options.from_readout) return run_from_readout(options, session);
  RunRecord record = begin_record(session);
  const bool scans = are_scans(options);
  std::vector<double> times = options.times;
  EchoImages echoes = scans ? reconstruct_echoes(session, options.inputs, times, options.read, options.recon)
                            : read_echoes(session.ctx, options.inputs, times);
  record.parameters = {{"times_ms", fmt::format("{}", fmt::join(times, ","))}};
  append(record.parameters, parameters_of(options.field));
  if (options.fat) record.parameters.emplace_back("fat_field_strength_t", options.species.field_strength);
  if (scans) append(record.parameters, describe(options.recon));
  record.stage_seconds = std::move(echoes.stage_seconds);
  record.notes = std::move(echoes.notes);
  std::vector<double> seconds;
  std::transform(times.begin(), times.end(), std::back_inserter(seconds), [](double ms) { return 1e-3 * ms; });
  const auto start = std::chrono::steady_clock::now();
  FieldMap map = options.fat ? field_beside_fat(session, options, echoes.images, seconds, record.notes)
                             : estimate_field_map(session.ctx, echoes.images, seconds, options.field);
  record.stage_seconds.emplace_back("field map",
                                    std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  for (Note& note : sentences_of(map, times)) record.notes.emplace_back(std::move(note));
  if (!options.png.empty()) write_field_picture(session.ctx, options.png, map);
  record.quantity = field_label;
  write_array(session.ctx, options.output, {"field", std::move(map.hertz), echoes.affine});
  if (!options.error.empty()) write_array(session.ctx, options.error, {"error", std::move(map.error), echoes.affine});
  finish_run(session, record);
}

constexpr const char* examples =
    R"(Between two echoes the field turns the phase of a voxel by the field times their distance in time. The map is joined from
neighbor to neighbor, so that fields of several turns are found, and fitted to all echoes with a penalty on what is rough
(docs/howto/field-maps.md). whorl recon takes it by --field-map.

Inputs are scans, whose echoes are reconstructed together as whorl recon does, with the coil maps of the first echo; or complex
images: one file [echo, (z,) y, x], or a file for each echo.

Examples:
  whorl fieldmap echo1.h5 echo2.h5 --times 2,4.5 -o field.nii.gz --png field.png
                                        two scans, and a picture of the map
  whorl fieldmap echo1.h5 echo2.h5 echo3.h5 --times 2,3,6 -o field.nii.gz --smoothness 0.5
                                        three echoes: the first two tell the turns, the last one the field
  whorl fieldmap spiral.h5 --from-readout -o field.nii.gz
                                        one scan with long readouts, together with its image; refused where the data do not
                                        tell the field
  whorl fieldmap echoes.nii.gz --times 1.2,2.4,3.6,4.8 -o field.nii.gz --fat --field-strength 3
                                        water and fat: the field that both are in
  whorl fieldmap echoes.nii.gz --times 2,4.5,7 -o field.nii.gz --noise 0.02 --error field_error.nii.gz
                                        images, and the error bar of each voxel)";

// The group of options that only scans have: "Solver (cg-sense, scans)", "Coils (scans)".
std::string of_scans(const std::string& group) {
  if (group == "Options") return "Reconstruction (scans)";
  return group.ends_with(')') ? group.substr(0, group.size() - 1) + ", scans)" : group + " (scans)";
}

}  // namespace

Command fieldmap_command() {
  Command command{
      "fieldmap", "Map of off-resonance in Hz from two or more echoes", examples, [](App& app) -> Run {
        const auto options = std::make_shared<Options>();
        options->recon.gridding.combination = CombinationMethod::matched;  // a root of a sum of squares has no phase
        app.add_input("echoes", options->inputs,
                      "Scans, or complex images [echo, (z,) y, x]: FILE or FILE:NAME, in the order of the times")
            ->required();
        add_options(app, *options, time_table());
        const auto echoes = [options] { return !options->from_readout; };
        app.get_option("--times")->when("echoes", echoes);
        app.add_flag(
            "--from-readout", options->from_readout,
            "From one scan instead of echoes: the field with which the samples of all coils, taken at different "
            "times, agree best, together with the image (docs/howto/field-maps.md)");
        app.add_output("-o,--output", options->output, with_record(array_output()),
                       "Map to write, in Hz: " + array_extensions())
            ->required();
        app.add_output("--error", options->error, with_record(array_output()),
                       "Also write the standard deviation of each voxel, in Hz")
            ->when("--noise", [options] { return options->field.noise.has_value(); });
        add_options(app, options->readout);
        add_options(app, options->recon.signal, Shown{.only = {"dwell", "readout-start"}});
        for (const std::string name : {"--steps", "--step-iterations", "--dwell", "--readout-start"}) {
          app.get_option(name)->when("--from-readout", [options] { return options->from_readout; });
        }
        app.add_output("--png", options->png, png_output(), "Also write a picture of the map");
        add_options(app, options->field);
        for (const OptionDescriptor& option : option_table<FieldMapOptions>().descriptors()) {
          if (option.on_command_line) app.get_option("--" + option.name)->when("echoes", echoes);
        }
        app.add_flag("--fat", options->fat,
                     "Voxels hold water and fat (six peaks): fit both, and give the field without the shift of fat; "
                     "four echoes or more, or three with --noise")
            ->when("echoes", echoes);
        add_options(app, options->species, Shown{.only = {"field-strength", "range"}});
        for (const std::string name : {"--field-strength", "--range"}) {
          app.get_option(name)->when("--fat", [options] { return options->fat; });
        }
        const auto scans = [options] { return are_scans(*options); };
        add_recon_options(app, options->recon);
        for (const OptionDescriptor& option : option_table<ReconOptions>().descriptors()) {
          if (!option.on_command_line) continue;  // --noise is the one of the field
          for (const std::string& name : {"--" + option.name, "--no-" + option.name}) {
            if (!app.has_option(name)) continue;
            Option* const added = app.get_option(name);
            added->group(of_scans(added->group()))->when("scans", scans);
          }
        }
        add_scan_options(app, options->read, [options] { return options->inputs.front(); });
        const Option* strength = app.get_option("--field-strength");
        app.callback([options, strength] {
          if (options->fat && options->from_readout) {
            refuse_option("--fat",
                          "does not go with --from-readout: one readout does not tell the field of fat; take echoes");
          }
          if (options->fat && strength->count() == 0) {
            refuse_option("--fat", "needs the main field: give --field-strength");
          }
          if (options->recon.gridding.combination != CombinationMethod::matched) {
            refuse_option("--combine", "is rss, which has no phase, expected matched");
          }
        });
        return [options](const Session& session) { run(*options, session); };
      }};
  command.common_options = {
      "times", "from-readout",    "output",          "error",      "png",    "fat",        "field-strength",
      "range", "method",          "threshold",       "smoothness", "noise",  "iterations", "maps",
      "coils", "trajectory-unit", "trajectory-from", "quiet",      "device", "max-memory"};
  return command;
}

}  // namespace whorl::cli
