// whorl recon: a scan becomes images.
#include <fmt/format.h>

#include <memory>

#include "cli/command.hpp"
#include "cli/filter/arguments.hpp"
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

void run(const ReconWords& words, const Session& session) {
  if (!words.batch.folder.empty()) return reconstruct_batch(words, session);
  ReconRequest request = words.request;
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
  JobResult made = run_job(std::move(request), with);
  if (!session.writes()) return;
  if (!words.report.empty()) {
    session.keep_results();  // the page is made of the files
    make_report(session, record_path(made.record.outputs.front()), words.report);
    made.record.outputs.push_back(words.report);
  }
  print_run(session, made.record);
}

// A mistake in the text is one in the command line.
std::string take_filters(const std::string& pipeline, ReconOptions& recon) {
  try {
    recon.filter = ComplexImageFilter(pipeline).hook<ImageHook>();
    return {};
  } catch (const ValueError& error) {
    return error.what();
  }
}

// One scan, or several for one image, has a name for it; several images have a folder.
void check_names(const ReconWords& words) {
  if (!words.batch.folder.empty()) return;
  const std::string last = words.scans.back();
  const bool is_image = words.scans.size() > 1 && image_output().check_name && image_output().check_name(last).empty();
  if (words.output.empty() && is_image && !last.ends_with(".h5"))
    refuse(fmt::format("the name of the image is given by --output, not as '{0}' (did you mean --output={0}?)", last));
  if (words.output.empty() && !words.dry_run) refuse_missing("--output", "or --output-dir for several scans");
  if (words.scans.size() > 1 && !words.joint) {
    refuse_option("--output",
                  fmt::format("is one image for {} scans; give --output-dir FOLDER, or --joint for one image "
                              "of one object",
                              words.scans.size()));
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
        app.add_input("scan", words->scans, "Scan (ISMRMRD, .h5); several with --output-dir or --joint")->required();
        app.add_output("-o,--output", words->output, with_record(image_output()),
                       "Image to write: " + image_extensions());
        add_batch_options(app, words->batch);
        app.add_flag("--joint", words->joint,
                     "Solve the scans, which are of one object, for one image: each with its own receivers, trajectory "
                     "and noise; {} in --maps-file and --field-map stands for the name of each scan "
                     "(docs/howto/many-scans.md)")
            ->excludes("--output-dir");
        app.add_output("--report", words->report, report_output(),
                       "Also write a page of the run (.html): images with window and level, curves, facts")
            ->when("one scan", [words] { return words->batch.folder.empty(); });
        add_request_options(app, request);
        add_prior_options(app, *words);
        app.add_word("--filter", words->filter,
                     "Filters for the complex images, before they leave the device: 'gaussian sigma=1 | unsharp' "
                     "(whorl filter --list)")
            ->check(Check([&recon](const std::string& pipeline) { return take_filters(pipeline, recon); }));
        app.files().add_input("--filter", [words] { return files_of_pipeline(words->filter); });
        app.add_flag("--dry-run", words->dry_run,
                     "Say what would be done, with its memory and passes, and write nothing")
            ->when("one scan", [words] { return words->batch.folder.empty(); });
        app.callback([words] {
          check_names(*words);
          words->request.scan.file = words->scans.front();
          if (words->joint) words->request.joint.assign(words->scans.begin() + 1, words->scans.end());
          words->request.outputs.image = words->batch.folder.empty() ? words->output : words->batch.type;
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
