// whorl density: density weights of a scan or trajectory, and how good they are.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <utility>

#include "cli/command.hpp"
#include "cli/density/density_report.hpp"
#include "cli/options/scan_options.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/print.hpp"
#include "cli/output/run_notes.hpp"
#include "whorl/core/error.hpp"
#include "whorl/density/option_tables.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/record.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl::cli {

namespace {

struct Options {
  std::string scan;
  std::string output;
  std::string method = "auto";
  std::string json;
  DensityOptions density;
  ScanReadOptions read;
};

// In the order of the table of all. `file` stands for the weights that came with the scan.
constexpr std::array<DensityMethod, 7> methods{
    DensityMethod::none,       DensityMethod::file,    DensityMethod::radial,    DensityMethod::spiral,
    DensityMethod::cell_count, DensityMethod::voronoi, DensityMethod::pipe_menon};

std::string name_of(DensityMethod method) {
  const auto& words = density_method_words();
  return std::find_if(words.begin(), words.end(), [&](const auto& word) { return word.second == method; })->first;
}

DensityMethod method_of(const std::string& name) {
  const auto& words = density_method_words();
  return std::find_if(words.begin(), words.end(), [&](const auto& word) { return word.first == name; })->second;
}

// What --method takes.
std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& [name, method] : density_method_words()) names.push_back(name);
  names.emplace_back("all");
  return names;
}

// Weights of one trajectory, with the time that they took.
struct Made {
  DensityWeights<float> density;
  double seconds = 0;
};

Made make(const Session& session, const Scan& scan, const ScanFrame& frame, DensityMethod method,
          const DensityOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Made made{
      density_weights<float>(session.ctx, *frame.trajectory, scan.image_shape(), frame.weights.get(), method, options)};
  made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return made;
}

DensityReport measure(const Session& session, const Scan& scan, const ScanFrame& frame, DensityMethod method,
                      const Made& made) {
  DensityReport report;
  report.method = name_of(method);
  report.origin = made.density.origin;
  report.seconds = made.seconds;
  report.quality =
      density_quality<float>(session.ctx, frame.trajectory->points, made.density.weights, scan.image_shape());
  const auto weights = made.density.weights.span();
  const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
  report.least_weight = *least;
  report.most_weight = *most;
  return report;
}

void check_options(const Options& options) {
  if (options.method == "all" && !options.output.empty()) {
    refuse_option("--output", "--method all only compares; choose one method to write its weights");
  }
  if (options.method != "all" && options.output.empty()) {
    refuse_option("--output", "is required, the file that takes the weights (--method all needs none)");
  }
}

// The table of all methods, for the trajectory of the first frame.
std::vector<DensityReport> compare_all(const Options& options, const Session& session, const Scan& scan) {
  std::vector<DensityReport> reports;
  const ScanFrame& frame = scan.frames.front();
  for (const DensityMethod method : methods) {
    try {
      const Made made = make(session, scan, frame, method, options.density);
      reports.push_back(measure(session, scan, frame, method, made));
    } catch (const ValueError& error) {
      reports.push_back({.method = name_of(method), .reason = error.what()});
    }
  }
  return reports;
}

// The method that auto stands for: weights that the scan may have are those to be replaced.
DensityMethod chosen_method(const Options& options, const Session& session, const Scan& scan) {
  if (options.method != "auto") return method_of(options.method);
  return automatic_density(session.ctx, *scan.frames.front().trajectory, scan.image_shape());
}

// Puts weights beside every frame's trajectory, and measures those of the first.
DensityReport weight_frames(const Options& options, const Session& session, Scan& scan) {
  const DensityMethod method = chosen_method(options, session, scan);
  DensityReport report;
  std::map<const Trajectory*, std::shared_ptr<const Array<float>>> known;
  for (ScanFrame& frame : scan.frames) {
    std::shared_ptr<const Array<float>>& weights = known[frame.trajectory.get()];
    if (weights == nullptr) {
      Made made = make(session, scan, frame, method, options.density);
      if (known.size() == 1) report = measure(session, scan, frame, method, made);
      weights = std::make_shared<const Array<float>>(std::move(made.density.weights));
    }
    frame.weights = weights;
  }
  return report;
}

void write_outputs(const Options& options, const Session& session, const Scan& scan, const DensityReport& report) {
  write_scan(session.ctx, scan, options.output);
  RunRecord record = begin_record(session);
  record.parameters = {{"method", report.method}, {"trajectory_unit", scan.trajectory_unit}};
  append(record.parameters, parameters_of(options.density));
  record.stage_seconds = {{"density compensation", report.seconds}};
  record.notes = scan.notes;
  write_record(session.ctx, record, record_path(options.output));
}

void run(const Options& options, const Session& session) {
  Scan scan = read_scan(session.ctx, options.scan, options.read);
  if (scan.frames.empty()) throw ValueError(options.scan + ": no frames, nothing to weight");
  std::vector<DensityReport> reports;
  if (options.method == "all") {
    reports = compare_all(options, session, scan);
  } else {
    reports = {weight_frames(options, session, scan)};
    write_outputs(options, session, scan, reports.front());
  }
  const Index samples = scan.frames.front().trajectory->samples();
  if (!options.json.empty()) write_json(session.ctx, options.json, options.scan, samples, reports);
  if (session.quiet || options.json == "-") return;
  std::string text = options.method == "all" ? to_table(reports) : to_text(reports.front());
  if (!options.output.empty()) text += fmt::format("wrote             {}\n", options.output);
  print(text);
}

constexpr const char* examples = R"(Methods:
  radial       analytic: |k| in 2D, k^2 in 3D, times the angle or area of the spoke's direction, for straight spokes
               through the center or from it
  spiral       analytic: the area element |k . dk/dt| (Hoge 1997), times the angle of the arm, for arms that are one
               curve, turned, and stacks of them
  cells        1 / number of samples in a cell of a grid (--cell)
  voronoi      area or volume nearer to a sample than to any other, for any trajectory; for 3D spokes radial is better
  pipe-menon   iteration until the gridded weights are even (Pipe and Menon 1999), for any trajectory
  auto         radial for spokes that sample fully, spiral for arms that are one curve, else pipe-menon: as
               whorl recon takes them for scans without weights
  file, none   the weights that the scan has; all equal
  all          compares them; writes nothing
Weights are normalized so that they sum to the number of samples.

What is printed:
  side lobe    largest value of the point-spread function farther than 3 pixels from its peak, over the peak, in dB
  energy       part of the point-spread function's energy that lies farther than 3 pixels from the peak
  main lobe    full width at half maximum, in pixels
  flatness     standard deviation over mean of the gridded weights inside of the sampled part of k-space: 0 is even

Examples:
  whorl density scan.h5 --method all                  which method suits this trajectory
  whorl density scan.h5 -o weighted.h5                add weights; the data are kept
  whorl density traj.npz -o traj_w.npz --method voronoi
  whorl density scan.h5 --method all --json - --quiet | jq .methods
The weights are used by: whorl recon weighted.h5 --method gridding --density file)";

// Options of one method say nothing to another.
void add_conditions(App& app, const Options& options) {
  const auto only_with = [&](const std::string& name, const std::string& what, std::vector<std::string> with) {
    app.get_option(name)->when(what, [&options, with = std::move(with)] {
      return std::find(with.begin(), with.end(), options.method) != with.end();
    });
  };
  for (const char* name : {"--pipe-menon-iterations", "--pipe-menon-tolerance"}) {
    only_with(name, "--method pipe-menon, auto or all", {"pipe-menon", "auto", "all"});
  }
  only_with("--cell", "--method cells or all", {"cells", "all"});
  only_with("--boundary", "--method voronoi or all", {"voronoi", "all"});
  // Weights do not depend on the data, which are only passed on.
  app.get_option("--center")->when("-o", [&options] { return !options.output.empty(); });
}

}  // namespace

Command density_command() {
  return {"density", "Make density compensation weights, and measure how good they are", examples, [](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            app.add_input("scan", options->scan, "Scan or trajectory")->required();
            app.add_output("-o,--output", options->output, with_record(scan_output()),
                           "Scan to write, with the weights: " + scan_extensions());
            app.add_word(
                   "--method", options->method,
                   "Weights: auto, radial, spiral, cells, voronoi, pipe-menon, file, none; all: compare, write nothing")
                ->check(is_member(method_names()).description(""))
                ->capture_default_str();
            app.add_output("--json", options->json, json_output(),
                           "Also write the numbers as JSON to this file (-: standard output)");
            add_options(app, options->density);
            add_scan_options(app, options->read, [options] { return options->scan; }, {.but = {"noise-from"}});
            add_conditions(app, *options);
            app.callback([options] { check_options(*options); });
            return [options](const Session& session) { run(*options, session); };
          }};
}

}  // namespace whorl::cli
