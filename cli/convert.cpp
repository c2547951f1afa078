// whorl convert: other layouts into an ISMRMRD scan.
#include "whorl/io/convert.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "option_of.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/io/record.hpp"

namespace whorl::cli {

namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> inputs;
  std::string output;
  std::vector<Index> matrix;
  std::vector<double> field_of_view_mm;
  ConvertOptions convert;
};

void check_output(const Options& options) {
  std::error_code ignored;
  for (const std::string& input : options.inputs) {
    if (fs::equivalent(input, options.output, ignored)) {
      throw ValueError(fmt::format("'{}' is an input; give the scan another name", options.output));
    }
  }
}

RunRecord make_record(const Options& options, const Session& session, const Scan& scan) {
  RunRecord record;
  record.command_line = session.command_line;
  for (const std::string& input : options.inputs) record.inputs.push_back(describe_input(session.ctx, input));
  record.outputs = {options.output};
  const ConvertOptions& convert = options.convert;
  record.parameters = {{"matrix", fmt::format("{}", fmt::join(convert.matrix, " x "))},
                       {"field_of_view_mm", fmt::format("{}", fmt::join(convert.field_of_view_mm, " x "))},
                       {"trajectory_kind", convert.trajectory_kind},
                       {"trajectory_unit", scan.trajectory_unit},
                       {"dwell_us", convert.dwell_us}};
  record.notes = scan.notes;
  return record;
}

void run(Options options, const Session& session) {
  check_output(options);
  // Two numbers are a 2D image; a field of view in the plane leaves the thickness unknown.
  options.convert.matrix = {options.matrix[0], options.matrix[1], options.matrix.size() > 2 ? options.matrix[2] : 1};
  std::copy(options.field_of_view_mm.begin(), options.field_of_view_mm.end(), options.convert.field_of_view_mm.begin());
  const std::vector<fs::path> inputs(options.inputs.begin(), options.inputs.end());

  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const Scan scan = convert_scan(session.ctx, inputs, options.convert);
  const auto converted = Clock::now();
  write_ismrmrd(session.ctx, scan, options.output);
  const auto written = Clock::now();

  RunRecord record = make_record(options, session, scan);
  record.stage_seconds = {{"convert", std::chrono::duration<double>(converted - start).count()},
                          {"write", std::chrono::duration<double>(written - converted).count()}};
  write_record(session.ctx, record, record_path(options.output));
  if (session.quiet) return;
  std::string text;
  for (const std::string& note : scan.notes) text += note + "\n";
  std::fputs(text.c_str(), stdout);
}

constexpr const char* examples = R"(Examples:
  whorl convert liver.mat -o scan.h5 --matrix 256 256 --fov 320 320
                                        a MATLAB file with data and trajectory
  whorl convert scan.mat -o scan.h5 --matrix 128 128 --data kdata --data-axes readout,shot,coil,repetition
                                        when the names or the axes can not be told
  whorl convert traj.raw coil0.raw coil1.raw -o scan.h5 --matrix 128 128 128 --trajectory-unit cycles/fov
                                        raw files: trajectory (float32), then one file a coil (complex64)
Then look at what was taken for what: whorl info scan.h5)";

void add_layout_options(CLI::App& app, ConvertOptions& options) {
  constexpr const char* group = "What the files do not say";
  app.add_option("--dwell", options.dwell_us, "Sample time in us")->check(CLI::NonNegativeNumber)->group(group);
  app.add_option("--kind", options.trajectory_kind, "cartesian, epi, radial, goldenangle, spiral or other")
      ->check(CLI::IsMember({"cartesian", "epi", "radial", "goldenangle", "spiral", "other"}, CLI::ignore_case))
      ->capture_default_str()
      ->group(group);
  add_text_option(app, "--trajectory-unit", options.trajectory_unit, trajectory_unit_from_string,
                  "auto, cycles/fov, cycles/pixel, rad/pixel or 1/m")
      ->group(group);
  add_text_option(app, "--trajectory-columns", options.trajectory_columns, trajectory_columns_from_string,
                  "Raw files: auto, xy, xyz, xyw or xyzw (w: density weight)")
      ->group(group);
  app.add_option("--readout-length", options.readout_length, "Samples of one readout (spoke, arm)")
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  app.add_option("--data", options.data_variable, "MATLAB: name of the data")->group(group);
  app.add_option("--trajectory", options.trajectory_variable, "MATLAB: name of the trajectory")->group(group);
  app.add_option("--weights", options.weights_variable, "MATLAB: name of the density weights, or none")->group(group);
  app.add_option(
         "--data-axes", options.data_axes,
         "MATLAB: axes of the data, first fastest: readout, shot, coil, slice, contrast, phase, repetition, set")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--trajectory-axes", options.trajectory_axes, "MATLAB: axes of the trajectory: dim and those above")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
}

std::string check_extension(const std::string& path) {
  return path.ends_with(".h5") ? std::string() : "'" + path + "': an ISMRMRD scan's name ends in .h5";
}

}  // namespace

Command convert_command() {
  return {"convert", "Make an ISMRMRD scan of MATLAB or raw files", examples, [](CLI::App& app) -> Run {
            const auto options = std::make_shared<Options>();
            app.add_option("inputs", options->inputs, "MATLAB file, or raw trajectory and coils")->required();
            app.add_option("-o,--output", options->output, "Scan to write (.h5); the record of the run lies beside it")
                ->check(CLI::Validator(check_extension, "", "extension"))
                ->required();
            app.add_option("--matrix", options->matrix, "Pixels of the image to be made: x y, or x y z in 3D")
                ->expected(2, 3)
                ->check(CLI::PositiveNumber)
                ->required();
            app.add_option("--fov", options->field_of_view_mm, "Field of view in mm: x y, or x y z")
                ->expected(2, 3)
                ->check(CLI::PositiveNumber);
            add_layout_options(app, options->convert);
            return [options](const Session& session) { run(*options, session); };
          }};
}

}  // namespace whorl::cli
