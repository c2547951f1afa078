#include "cli/report/make_report.hpp"

#include <algorithm>
#include <array>

#include "cli/output/file_name.hpp"
#include "cli/report/recorded_run.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/io/describe_file.hpp"
#include "whorl/io/image_type.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/report/report.hpp"

namespace whorl::cli {

namespace {

namespace fs = std::filesystem;

// Outputs of recon that a report shows, and what to do where they were not kept.
struct Role {
  const char* option;
  const char* title;
  bool is_map;
  const char* not_kept;
  const char* along = "frame";
};
constexpr std::array roles{
    Role{"--stddev", "Standard deviation", true, "Standard deviation: not kept; run with --stddev FILE."},
    Role{"--gfactor", "g-factor", true, "g-factor: not kept; run with --gfactor FILE."},
    Role{"--bias", "Bias of the penalty", true, ""},
    Role{"--psf-image", "Point spread of the image", false,
         "Point spread of the image: not kept; run with --psf X,Y --psf-image FILE."},
    Role{"--save-maps", "Coil maps", false, "Coil maps: not kept; run with --save-maps FILE.", "coil"},
    Role{"--save-parts", "Parts of the image", false, ""},
    Role{"--save-sets", "Images of the sets", false, "", "set"},
};

bool can_be_shown(const std::string& path) {
  const ImageType type = image_type(path);
  return type != ImageType::png && type != ImageType::dicom;
}

std::vector<std::string> names_of(const RecordedRun& run, std::string_view option) {
  for (const FileOption& file : run.files().options()) {
    if (file.name != option) continue;
    std::vector<std::string> names = file.names();
    std::erase(names, "");
    return names;
  }
  return {};
}

// Arrays that recon wrote beside its image.
void add_roles(const RecordedRun& run, ReportSources& sources) {
  for (const Role& role : roles) {
    const std::vector<std::string> names = names_of(run, role.option);
    const auto shown = std::find_if(names.begin(), names.end(), can_be_shown);
    if (shown != names.end()) {
      sources.files.push_back({role.title, *shown, role.is_map, role.along});
    } else if (*role.not_kept != 0) {
      sources.not_kept.emplace_back(role.not_kept);
    }
  }
}

// Arrays that other commands wrote beside their first output.
void add_outputs(const RecordedRun& run, ReportSources& sources) {
  for (const FileOption& file : run.files().options()) {
    if (!file.is_output) continue;
    for (const std::string& name : file.names()) {
      if (name.empty() || !can_be_shown(name) || fs::path(name).filename() == run.result().filename()) continue;
      sources.files.push_back({file.name.substr(file.name.find_first_not_of('-')), name, true});
    }
  }
}

bool holds_scan(const std::string& file) {
  try {
    return describe_file(file).holds_scan;
  } catch (const Error&) {
    return true;  // reading it says what is wrong
  }
}

}  // namespace

OutputKind report_output() { return output_ending_in({".html"}, "a report's name"); }

void make_report(const Session& session, const fs::path& record, const std::string& output) {
  ReportSources sources;
  try {
    const RecordedRun run(record);
    if (run.command() == "recon") {
      add_roles(run, sources);
    } else {
      add_outputs(run, sources);
    }
    const std::vector<std::string> scans = names_of(run, "scan");
    if (scans.size() == 1 && holds_scan(scans.front())) {
      sources.read_scan = [scan = scans.front(), read = read_options_of(run)](const Context& ctx) {
        return read_scan(ctx, scan, read);
      };
    }
  } catch (const ValueError& error) {
    sources.not_kept.emplace_back(error.what());
  }
  write_file(output, report_page(session.ctx, record, sources));
}

}  // namespace whorl::cli
