// whorl bench: how fast the transforms are on this machine, and how exact.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "bench/case_runner.hpp"
#include "bench/export_case.hpp"
#include "bench/filter_runner.hpp"
#include "cli/command.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/print.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/version.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/op/option_tables.hpp"

namespace whorl::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string only;
  std::string json;
  std::string export_folder;
  NufftOptions nufft{.tolerance = 0};  // 0: those of the list
  bool list = false;
};

Json to_json(const Context& ctx, const bench::Measurement& measured) {
  const bench::Case& what = measured.what;
  Json record{{"case", what.problem->name},
              {"name", what.name()},
              {"transform", to_string(what.transform)},
              {"direction", to_string(what.direction)},
              {"coils", what.coils},
              {"tolerance", what.tolerance},
              {"accuracy", what.accuracy == NufftAccuracy::guaranteed ? "guaranteed" : "typical"},
              {"image", std::vector<Index>(what.problem->image.begin(), what.problem->image.end())},
              {"samples", measured.samples},
              {"device", to_string(ctx.device())},
              {"threads", ctx.threads()},
              {"repetitions", measured.repetitions},
              {"median_ms", measured.median_ms},
              {"samples_per_s", measured.samples_per_s()}};
  if (what.transform != bench::Transform::nufft) record["pairs_per_s"] = measured.pairs_per_s();
  record["error"] = measured.error;
  return record;
}

Json to_json(const Context& ctx, const bench::FilterMeasurement& measured) {
  return {{"name", measured.what.name()},
          {"pipeline", measured.what.text},
          {"image", to_string(measured.what.format)},
          {"device", to_string(ctx.device())},
          {"threads", ctx.threads()},
          {"repetitions", measured.timing.repetitions},
          {"median_ms", measured.timing.median_ms},
          {"bytes", measured.bytes}};
}

struct Measurements {
  std::vector<bench::Measurement> transforms;
  std::vector<bench::FilterMeasurement> filters;
};

std::string to_json(const Context& ctx, const Measurements& all) {
  Json json{{"version", version()}, {"cases", Json::array()}, {"filters", Json::array()}};
  for (const bench::Measurement& measured : all.transforms) json["cases"].push_back(to_json(ctx, measured));
  for (const bench::FilterMeasurement& measured : all.filters) json["filters"].push_back(to_json(ctx, measured));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_table(const std::vector<bench::FilterMeasurement>& all) {
  std::string text = fmt::format("{:<70}{:>12}{:>10}\n", "filter", "median ms", "GB/s");
  for (const bench::FilterMeasurement& measured : all) {
    text += fmt::format("{:<70}{:>12.4g}{:>10.4g}\n", measured.what.name(), measured.timing.median_ms,
                        measured.gigabytes_per_s());
  }
  return text;
}

std::string to_table(const std::vector<bench::Measurement>& all) {
  std::string text =
      fmt::format("{:<50}{:>12}{:>11}{:>12}{:>10}\n", "case", "median ms", "ns/sample", "samples/s", "error");
  for (const bench::Measurement& measured : all) {
    text += fmt::format("{:<50}{:>12.4g}{:>11.4g}{:>12.3e}{:>10.1e}", measured.what.name(), measured.median_ms,
                        measured.ns_per_sample(), measured.samples_per_s(), measured.error);
    if (measured.what.transform != bench::Transform::nufft)
      text += fmt::format("  {:.2e} pairs/s", measured.pairs_per_s());
    text += "\n";
  }
  return text;
}

Measurements measure(const Options& options, const std::vector<bench::Case>& cases,
                     const std::vector<bench::FilterCase>& filters, const Context& ctx) {
  Measurements all;
  bench::CaseRunner runner(ctx);
  ProgressStage progress(ctx, "timing", static_cast<Index>(cases.size() + filters.size()));
  for (const bench::Case& what : cases) {
    all.transforms.push_back(runner.measure(what));
    if (!options.export_folder.empty()) bench::export_case(ctx.host(), runner, options.export_folder);
    progress.advance(1, what.name());
  }
  for (const bench::FilterCase& what : filters) {
    all.filters.push_back(bench::measure_filter(ctx, what));
    progress.advance(1, what.name());
  }
  return all;
}

// With a tolerance of its own, cases that differed by that alone are one.
std::vector<bench::Case> chosen_cases(const Options& options) {
  std::vector<bench::Case> cases = bench::cases_like(options.only);
  for (bench::Case& what : cases) {
    if (what.transform == bench::Transform::nufft) what.accuracy = options.nufft.accuracy;
  }
  if (options.nufft.tolerance == 0) return cases;
  std::vector<bench::Case> changed;
  std::set<std::string> names;
  for (bench::Case what : cases) {
    what.tolerance = options.nufft.tolerance;
    if (names.insert(what.name()).second) changed.push_back(std::move(what));
  }
  return changed;
}

void run(const Options& options, const Session& session) {
  const std::vector<bench::Case> cases = chosen_cases(options);
  const std::vector<bench::FilterCase> filters = bench::filters_like(options.only);
  if (cases.empty() && filters.empty()) {
    throw ValueError(
        fmt::format("bench: no case has a name like '{}'; see --list, and --list --only ^filter/", options.only));
  }
  if (options.list) {
    for (const bench::Case& what : cases) std::puts(what.name().c_str());
    for (const bench::FilterCase& what : filters) std::puts(what.name().c_str());
    return;
  }
  if (!options.export_folder.empty() && !std::filesystem::is_directory(options.export_folder)) {
    throw IoError(fmt::format("'{}' is no folder; create it first, or name another folder", options.export_folder));
  }
  const Measurements all = measure(options, cases, filters, session.device());
  const std::string json = to_json(session.device(), all);
  if (options.json == "-") {
    print(json);
    return;
  }
  if (!options.json.empty()) write_file(options.json, json);
  if (session.quiet) return;
  if (!all.transforms.empty()) print(to_table(all.transforms));
  if (!all.filters.empty()) print(to_table(all.filters));
}

// Filters have no tolerance, and are not exported.
void add_conditions(App& app, const Options& options) {
  const auto any = [&options](bool (*wanted)(const bench::Case& what)) {
    try {
      const std::vector<bench::Case> cases = bench::cases_like(options.only);
      // Where nothing at all is chosen, that is what is wrong.
      return cases.empty() ? bench::filters_like(options.only).empty()
                           : std::any_of(cases.begin(), cases.end(), wanted);
    } catch (const ValueError&) {
      return true;
    }
  };
  for (const char* name : {"--tolerance", "--export"}) {
    app.get_option(name)->when("cases of transforms", [any] { return any([](const bench::Case&) { return true; }); });
  }
  app.get_option("--accuracy")->when("cases of the NUFFT", [any] {
    return any([](const bench::Case& what) { return what.transform == bench::Transform::nufft; });
  });
}

constexpr const char* examples =
    R"(A case is named TRANSFORM/PROBLEM/DIRECTION/COILS/TOLERANCE. Single precision. The plan is made once; a time is the
median of five repetitions or more, over 0.3 s at least, after a first one that does not count.
  ns/sample, samples/s  of the samples of all coils together
  pairs/s               of the exact transform: samples times pixels times coils
  error                 relative l2 error against the exact sums in double, at up to 1000 random samples or pixels; of
                        the direction normal against the NUFFT in double with a tolerance of 1e-10
Filters are named filter/PIPELINE/IMAGE and timed where --only asks for them, from image to image on the device; GB/s
counts the input and the result once.
On a GPU a time is that between two marks in its own stream of work, with the data there.
The input is complex normal noise. The largest case, random-3d-256, takes about 3 GB.
Examples:
  whorl bench --threads 1               every case but the small, the large and the series, on one core
  whorl bench --list                    their names
  whorl bench --only 'radial-2d-256/(forward|adjoint)/12-coils'
                                        twelve coils along golden spokes
  whorl bench --only '^filter/gaussian'
                                        filters
  whorl bench --only 'dft/random' --json -
                                        for programs)";

}  // namespace

Command bench_command() {
  return {
      "bench", "Time transforms, with their measured errors, and filters on this machine", examples,
      [](App& app) -> Run {
        const auto options = std::make_shared<Options>();
        app.add_flag("--list", options->list, "Print the names of the cases, and do nothing else");
        app.add_word("--only", options->only,
                     "Only cases in whose name this regular expression is found (default: all transforms but "
                     "small-..., large-... and series-...)");
        add_options(
            app, options->nufft,
            {.only = {"tolerance", "accuracy"},
             .changed = {{.name = "tolerance", .summary = "Tolerance instead of the cases' own", .group = "Options"},
                         {.name = "accuracy", .group = "Options"}}});
        Option* json = app.add_output(
            "--json", options->json, json_output(),
            "Write case, direction, coils, tolerance, device, threads, median_ms, samples_per_s, error as JSON; "
            "-: to standard output");
        Option* folder = app.add_output(
            "--export", options->export_folder, folder_output({".npy"}),
            "Folder for the trajectory, input and exact values of each case as .npy, for other programs");
        app.get_option("--list")->excludes(json)->excludes(folder);
        add_conditions(app, *options);
        return [options](const Session& session) { run(*options, session); };
      }};
}

}  // namespace whorl::cli
