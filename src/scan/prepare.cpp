#include "whorl/scan/prepare.hpp"

#include <fmt/format.h>

#include "whorl/calib/channel_matrix.hpp"
#include "whorl/calib/noise.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

void check_data(const char* operation, const Scan& scan) {
  if (scan.frames.empty() || scan.coils == 0) {
    throw ValueError(fmt::format("{}: {} holds no data", operation, scan.source));
  }
}

// Data, noise and maps are all linear in the coils.
void combine_channels(const Context& ctx, ArrayRef<const std::complex<double>> matrix, Scan& scan) {
  for (ScanFrame& frame : scan.frames) frame.data = apply_channel_matrix<float>(ctx, matrix, frame.data);
  if (scan.noise.size() > 0) scan.noise = apply_channel_matrix<float>(ctx, matrix, scan.noise);
  if (scan.coil_maps.size() > 0) scan.coil_maps = apply_channel_matrix<float>(ctx, matrix, scan.coil_maps);
  scan.coils = matrix.extent(0);
}

}  // namespace

void prewhiten(const Context& ctx, Scan& scan, std::vector<std::string>& notes) {
  check_data("prewhitening", scan);
  NoiseCovariance covariance;
  if (scan.noise.size() > 0) {
    covariance = noise_covariance<float>(ctx, scan.noise);
    scale_to_dwell(covariance, scan.noise_dwell_us, scan.dwell_us);
  } else {
    const ScanFrame& first = scan.frames.front();
    covariance = noise_covariance_from_edge<float>(ctx, first.data, first.trajectory->points);
  }
  notes.push_back(covariance.note);
  combine_channels(ctx, prewhitening_matrix(ctx, covariance.matrix), scan);
}

CoilCompression compress_coils(const Context& ctx, Scan& scan, const CoilCompressionOptions& options,
                               std::vector<std::string>& notes) {
  check_data("coil compression", scan);
  std::vector<ArrayRef<const std::complex<float>>> data;
  for (const ScanFrame& frame : scan.frames) data.push_back(frame.data.ref());
  CoilCompression compression = coil_compression<float>(ctx, data, options);
  notes.push_back(fmt::format("Coil compression: {} virtual coils of {} keep {:.2f} % of the signal's energy.",
                              compression.matrix.extent(0), scan.coils, 100 * compression.energy_kept));
  combine_channels(ctx, compression.matrix, scan);
  return compression;
}

}  // namespace whorl
