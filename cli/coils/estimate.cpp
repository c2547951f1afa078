// whorl coils estimate: sensitivity maps from a scan.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "cli/coils/coils.hpp"
#include "cli/options/scan_options.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/run_notes.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/calibration.hpp"
#include "whorl/io/image_axes.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/recon/estimate_coil_maps.hpp"
#include "whorl/recon/option_tables.hpp"

namespace whorl::cli {

namespace {

struct Options {
  std::string scan;
  std::string output;
  ScanReadOptions read;
  ReconOptions recon{.prewhiten = false};
};

// What the maps depend on, but for the NUFFT.
const Shown shown{
    .only = {"maps", "calibration", "espirit-kernel", "espirit-threshold", "espirit-crop", "walsh-block",
             "prewhitening", "noise-check", "coils", "nlinv-steps", "nlinv-alpha", "nlinv-reduction",
             "nlinv-smoothness", "nlinv-order", "nlinv-iterations", "nlinv-tolerance"},
    .changed = {
        {.name = "maps", .as = "method", .summary = "Method", .choices = {"espirit", "walsh", "nlinv"}, .applies = ""},
        {.name = "prewhitening",
         .as = "prewhiten",
         .summary = "Prewhiten first, from the noise scan, as whorl recon does",
         .group = "Options"},
        {.name = "noise-check", .group = "Options", .applies = "--prewhiten"},
        {.name = "coils", .summary = "Compress to this many virtual coils first (0: keep all)", .group = "Options"}}};

// The calibration scan beside the image, if each slice has one.
Scan best_calibration(const Options& options, const Session& session, Scan scan) {
  Scan calibration = read_calibration(session.ctx, options.scan, options.read);
  for (const ScanFrame& frame : scan.frames) {
    const auto own = std::ranges::find_if(calibration.frames,
                                          [&](const ScanFrame& one) { return one.index.slice == frame.index.slice; });
    if (own == calibration.frames.end()) return scan;
    own->geometry = frame.geometry;
  }
  calibration.noise = std::move(scan.noise);
  calibration.noise_dwell_us = scan.noise_dwell_us;
  calibration.dwell_us = scan.dwell_us;
  return calibration;
}

void run(const Options& options, const Session& session) {
  Scan scan = read_scan(session.ctx, options.scan, options.read);
  RunRecord record = begin_record(session);
  record.parameters = parameters_of(options.recon, shown);
  record.parameters.emplace_back("trajectory_unit", scan.trajectory_unit);
  record.notes = scan.notes;

  const std::array<Index, 3> matrix = scan.matrix;
  EstimatedCoilMaps found =
      estimate_coil_maps(session.device(), best_calibration(options, session, std::move(scan)), options.recon);
  record.stage_seconds = found.stage_seconds;
  record.notes.insert(record.notes.end(), found.notes.begin(), found.notes.end());
  NamedArray array{"maps", {}, affine_of(found.geometries, matrix)};
  found.maps.reshape(without_leading_ones(found.maps.shape()));
  array.values = std::move(found.maps);
  write_array(session.ctx, options.output, array);
  finish_run(session, record);
}

constexpr const char* examples =
    R"(The maps are [coil, z, y, x] (z = 1 in 2D), or [slice, coil, z, y, x] for several slices, with sum |s|^2 = 1 in the
object and 0 outside (espirit). They belong to the coils as they are in the scan, unless --prewhiten or --coils change
those. whorl recon estimates its own after both, or takes these (--maps-file).
Examples:
  whorl coils estimate scan.h5 -o maps.npy
                                        ESPIRiT from the central 24 x 24 cycles of k-space
  whorl coils estimate scan.h5 -o maps.nii.gz --method walsh --walsh-block 9
                                        Walsh's adaptive method, from gridded images of the coils
  whorl coils show maps.npy -o maps.png
                                        look at them)";

}  // namespace

Command coils_estimate_command() {
  return {"estimate", "Estimate coil sensitivity maps from a scan", examples, [](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            app.add_input("scan", options->scan, "Scan")->required();
            app.add_output("-o,--output", options->output, with_record(array_output()),
                           "Maps to write: " + array_extensions())
                ->required();
            add_options(app, options->recon, shown);
            add_scan_options(app, options->read, [options] { return options->scan; });
            return [options](const Session& session) { run(*options, session); };
          }};
}

}  // namespace whorl::cli
