// whorl recon: a scan becomes images.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.hpp"
#include "cli/filter/arguments.hpp"
#include "cli/options/scan_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/run_notes.hpp"
#include "cli/recon/batch.hpp"
#include "cli/recon/examples.hpp"
#include "cli/recon/output_options.hpp"
#include "cli/recon/print_plan.hpp"
#include "cli/recon/recon_options.hpp"
#include "cli/report/make_report.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/complex_images.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/io/record.hpp"

namespace whorl::cli {

namespace {

// Filters as what the reconstruction does to its images in the end.
ImageHook filter_hook(const std::string& pipeline) {
  const ComplexImageFilter filter(pipeline);
  return {pipeline, [filter](const Shape& images) { filter.check(images); },
          [filter](const Context& ctx, const Array<std::complex<float>>& images) { return filter.apply(ctx, images); }};
}

void run(const ReconWords& words, const Session& session) {
  if (!words.batch.folder.empty()) return reconstruct_batch(words, session);
  ReconRequest request = words.request;
  request.scan.file = words.scans.front();
  JobResources with =
      resources_of(session, words.filter, [&](const std::string& output, std::span<const std::filesystem::path> files) {
        session.files.check_written(output, files);
      });
  with.is_whole_process = true;
  if (words.dry_run) {
    const JobPlan plan = plan_job(std::move(request), with);
    if (session.writes()) print_plan(session.device(), plan);
    return;
  }
  const JobResult made = run_job(std::move(request), with);
  if (!session.writes()) return;
  if (!words.report.empty()) {
    session.keep_results();  // the page is made of the files
    make_report(session, record_path(made.record.outputs.front()), words.report);
  }
  print_run(session, made.record);
}

// A mistake in the text is one in the command line.
std::string take_filters(const std::string& pipeline, ReconOptions& recon) {
  try {
    recon.filter = filter_hook(pipeline);
    return {};
  } catch (const ValueError& error) {
    return error.what();
  }
}

// One scan has a name for its image, several have a folder.
void check_names(const ReconWords& words) {
  if (!words.batch.folder.empty()) return;
  if (words.request.outputs.image.empty() && !words.dry_run) {
    refuse_missing("--output", "or --output-dir for several scans");
  }
  if (words.scans.size() > 1) {
    refuse_option("--output", fmt::format("is one image for {} scans; give --output-dir FOLDER", words.scans.size()));
  }
}

// What contradicts itself is a mistake in the command line.
void settle_words(ReconWords& words) {
  ReconRequest& request = words.request;
  request.references.assign(words.references.begin(), words.references.end());
  try {
    settle(request);
  } catch (const ValueError& error) {
    refuse(error.what());
  }
}

}  // namespace

Command recon_command() {
  Command command = {
      "recon", "Reconstruct a scan: gridding, or iterative least squares with coil sensitivities", recon_examples,
      [](App& app) -> Run {
        const auto words = std::make_shared<ReconWords>();
        ReconRequest& request = words->request;
        ReconOptions& recon = request.recon;
        app.add_input("scan", words->scans, "Scan (ISMRMRD, .h5); several with --output-dir")->required();
        app.add_output("-o,--output", request.outputs.image, with_record(image_output()),
                       "Image to write: " + image_extensions());
        add_batch_options(app, words->batch);
        add_picture_options(app, *words);
        app.add_output("--report", words->report, report_output(),
                       "Also write a page of the run (.html): images with window and level, curves, facts")
            ->when("one scan", [words] { return words->batch.folder.empty(); });
        add_recon_options(app, recon);
        add_lambda_options(app, request.lambda, request.outputs.lambda_curve,
                           fmt::format("spectrum, or {:g} with --no-prewhitening", recon.lambda), true, solver_group,
                           [&recon] {
                             return std::any_of(recon.regularizers.begin(), recon.regularizers.end(),
                                                [](const Regularizer& what) { return what.choice.has_value(); });
                           });
        const auto is_cg_sense = [&recon] { return recon.method == ReconMethod::cg_sense; };
        for (const char* name : {"--lambda", "--lambda-probes", "--lambda-seed", "--lambda-curve"}) {
          app.get_option(name)->when("cg-sense", is_cg_sense);
        }
        add_options(app, request.frames);
        app.get_option("--gate")->excludes("--spokes-per-frame");
        app.get_option("--gate-weights")->excludes("--soft-gate");
        app.get_option("--soft-gate")->excludes("--gate");
        add_movie_options(app, request.outputs);
        add_options(app, request.subspace, Shown{.changed = {{.name = "subspace-from", .applies = ""}}});
        app.get_option("--subspace")->when("cg-sense", is_cg_sense);
        app.get_option("--subspace-from")->excludes("--subspace")->when("cg-sense", is_cg_sense);
        add_subspace_outputs(app, request);
        add_prior_options(app, *words);
        add_signal_options(app, request);
        add_correction_options(app, request.corrections);
        add_correction_outputs(app, request);
        add_options(app, request, Shown{.only = {"maps-file", "normal"}});
        app.get_option("--maps-file")->excludes("--maps");
        add_map_outputs(app, request);
        add_error_bar_options(app, request);
        app.add_word("--filter", words->filter,
                     "Filters for the complex images, before they leave the device: 'gaussian sigma=1 | unsharp' "
                     "(whorl filter --list)")
            ->check(Check([&recon](const std::string& pipeline) { return take_filters(pipeline, recon); }));
        app.files().add_input("--filter", [words] { return files_of_pipeline(words->filter); });
        add_options(app, request,
                    Shown{.only = {"checkpoint", "checkpoint-every"},
                          .changed = {{.name = "checkpoint", .output = folder_output({".bin", "run.json"})}}});
        app.add_word("--temp-dir", recon.spill.folder,
                     "Directory for temporary files, for what does not fit into memory (default: TMPDIR, or /var/tmp)")
            ->type_name("DIRECTORY")
            ->group("Options");
        app.add_flag("--dry-run", words->dry_run, "Say what would be done: bytes and passes; write nothing")
            ->when("one scan", [words] { return words->batch.folder.empty(); });
        add_scan_options(app, request.read, [words] { return words->scans.front(); });
        const Option* maps_from = app.get_option("--maps-from");
        app.callback([words, maps_from] {
          check_names(*words);
          words->request.says_maps_from = maps_from->count() > 0;
          settle_words(*words);
        });
        return [words](const Session& session) { run(*words, session); };
      }};
  command.common_options = {"output",     "output-dir", "png",       "report",          "movie",
                            "method",     "iterations", "tolerance", "lambda",          "regularize",
                            "maps",       "maps-file",  "coils",     "density",         "spokes-per-frame",
                            "gate",       "field-map",  "delays",    "estimate-motion", "trajectory-from",
                            "noise-from", "dry-run",    "quiet",     "device",          "max-memory"};
  return command;
}

}  // namespace whorl::cli
