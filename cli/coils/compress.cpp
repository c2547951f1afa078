// whorl coils compress: a scan of fewer, virtual coils.
#include <fmt/format.h>

#include <memory>

#include "cli/coils/coils.hpp"
#include "cli/options/scan_options.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/run_notes.hpp"
#include "whorl/calib/option_tables.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/write_scan.hpp"
#include "whorl/scan/prepare.hpp"

namespace whorl::cli {

namespace {

struct Options {
  std::string scan;
  std::string output;
  bool prewhiten = true;
  bool judge_noise = true;
  CoilCompressionOptions compression;
  ScanReadOptions read;
};

// "Energy in the virtual coils: 71.20 % 15.03 % | 8.11 % ...": up to the bar they are kept.
std::string energies_note(const CoilCompression& compression) {
  std::string text = "Energy in the virtual coils, those before the bar kept:";
  for (std::size_t i = 0; i < compression.energies.size(); ++i) {
    if (static_cast<Index>(i) == compression.matrix.extent(0)) text += " |";
    text += fmt::format(" {:.2f} %", 100 * compression.energies[i]);
  }
  return text + ".";
}

void run(const Options& options, const Session& session) {
  Scan scan = read_scan(session.ctx, options.scan, options.read);
  if (options.compression.virtual_coils > scan.coils) {
    throw ValueError(fmt::format("{}: {} virtual coils of {}; expected as many at most", options.scan,
                                 options.compression.virtual_coils, scan.coils));
  }
  RunRecord record = begin_record(session);
  record.notes = scan.notes;
  if (options.prewhiten && options.judge_noise) leave_out_wrong_noise(session.ctx, scan, record.notes);
  const bool by_noise_scan = options.prewhiten && scan.noise.size() > 0;
  int exponent = bring_near_one(session.ctx, scan, by_noise_scan);
  if (options.prewhiten) {
    const NoiseCovariance covariance = scan_noise(session.ctx, scan);
    prewhiten(session.ctx, scan, covariance, record.notes);
    if (covariance.measured && !by_noise_scan) exponent = 0;  // the edge of k-space is scaled with the data
  }
  const CoilCompression compression = compress_coils(session.ctx, scan, options.compression, record.notes);
  restore_unit(session.ctx, exponent, scan, "coil compression: the data");
  record.notes.emplace_back(energies_note(compression));
  record.parameters = {{"prewhitening", options.prewhiten},
                       {"virtual_coils", static_cast<std::int64_t>(scan.coils)},
                       {"energy_kept", compression.energy_kept},
                       {"trajectory_unit", scan.trajectory_unit}};
  write_scan(session.ctx, scan, options.output);
  finish_run(session, record);
}

constexpr const char* examples =
    R"(The coils' data become few linear combinations of them: the principal components, which hold most of the energy. The
noise scan is combined alike. Data is prewhitened first, so that noise does not count as signal: it is then in units of
the noise, which the scan that is written has as a standard deviation of 1.
Examples:
  whorl coils compress scan.h5 -o small.h5 --coils 6
                                        6 virtual coils; says how much energy they keep
  whorl coils compress scan.h5 -o small.h5 --energy 0.99
                                        as few as keep 99 % of the energy)";

}  // namespace

Command coils_compress_command() {
  return {"compress", "Turn the coils of a scan into fewer virtual ones", examples, [](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            app.add_input("scan", options->scan, "Scan")->required();
            app.add_output("-o,--output", options->output, with_record(scan_output()),
                           "Scan to write: " + scan_extensions())
                ->required();
            add_options(app, options->compression);
            app.get_option("--energy")->excludes("--coils");
            app.add_flag_callback(
                "--no-prewhitening", [options] { options->prewhiten = false; },
                "Do not make the noise of the coils equal and independent");
            app.add_flag_callback(
                   "--no-noise-check", [options] { options->judge_noise = false; }, "Take a noise scan as it is")
                ->excludes("--no-prewhitening");
            add_scan_options(app, options->read, [options] { return options->scan; });
            return [options](const Session& session) { run(*options, session); };
          }};
}

}  // namespace whorl::cli
