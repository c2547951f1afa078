#include "recon/prepare.hpp"

#include <fmt/format.h>

#include "whorl/calib/channel_matrix.hpp"
#include "whorl/calib/coil_compression.hpp"
#include "whorl/calib/noise.hpp"

namespace whorl::recon {

void prewhiten(const Context& ctx, Scan& scan, std::vector<std::string>& notes) {
  NoiseCovariance covariance;
  if (scan.noise.size() > 0) {
    covariance = noise_covariance<float>(ctx, scan.noise);
    scale_to_dwell(covariance, scan.noise_dwell_us, scan.dwell_us);
  } else {
    const ScanFrame& first = scan.frames.front();
    covariance = noise_covariance_from_edge<float>(ctx, first.data, first.trajectory->points);
  }
  notes.push_back(covariance.note);
  const auto matrix = prewhitening_matrix(ctx, covariance.matrix);
  for (ScanFrame& frame : scan.frames) frame.data = apply_channel_matrix<float>(ctx, matrix, frame.data);
}

void compress_coils(const Context& ctx, Scan& scan, Index virtual_coils, std::vector<std::string>& notes) {
  std::vector<ArrayRef<const std::complex<float>>> data;
  for (const ScanFrame& frame : scan.frames) data.push_back(frame.data.ref());
  const auto compression = coil_compression<float>(ctx, data, {.virtual_coils = virtual_coils});
  for (ScanFrame& frame : scan.frames) frame.data = apply_channel_matrix<float>(ctx, compression.matrix, frame.data);
  notes.push_back(fmt::format("Coil compression: {} virtual coils of {} keep {:.2f} % of the signal's energy.",
                              compression.matrix.extent(0), scan.coils, 100 * compression.energy_kept));
  scan.coils = compression.matrix.extent(0);
}

}  // namespace whorl::recon
