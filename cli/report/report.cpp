// whorl report: the page of a run.
#include <fmt/format.h>

#include <memory>

#include "cli/command.hpp"
#include "cli/output/print.hpp"
#include "cli/report/make_report.hpp"

namespace whorl::cli {

namespace {

struct ReportRequest {
  std::string record;
  std::string output;
};

// "image.nii.gz.json" -> "image.nii.gz.html"
std::string report_path(const ReportRequest& request) {
  if (!request.output.empty()) return request.output;
  const std::filesystem::path record(request.record);
  return record.extension() == ".json" ? std::filesystem::path(record).replace_extension(".html").string()
                                       : request.record + ".html";
}

constexpr const char* report_examples =
    R"(The page needs no other file and no network: image with window and level, series as a movie, error bars and coil maps
that the run kept, trajectory, density weights and point spread, residuals, the choice of lambda, times, memory, what
whorl doctor finds, notes, versions and hashes.
Examples:
  whorl report image.nii.gz.json        writes image.nii.gz.html
  whorl report image.nii.gz.json -o page.html
  whorl recon scan.h5 -o image.nii.gz --report page.html --stddev sigma.nii.gz --save-maps maps.npy
                                        with the reconstruction, and what it can show)";

}  // namespace

Command report_command() {
  return {"report", "Make a page of a run from its record: images, curves, facts", report_examples,
          [](App& app) -> Run {
            const auto request = std::make_shared<ReportRequest>();
            app.add_input("record", request->record, "Record of a run: the .json file beside its result")->required();
            app.add_output("-o,--output", request->output, report_output(),
                           "Page to write (.html; default: the record's name with .html)");
            return [request](const Session& session) {
              const std::string path = report_path(*request);
              make_report(session, request->record, path);
              if (!session.quiet) print(fmt::format("wrote {}\n", path));
            };
          }};
}

}  // namespace whorl::cli
