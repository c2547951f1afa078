#include "whorl/scan/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calib/in_parts.hpp"
#include "whorl/calib/channel_matrix.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/value_range.hpp"

namespace whorl {

namespace {

void check_data(const char* operation, const Scan& scan) {
  if (scan.frames.empty() || scan.coils == 0) {
    throw ValueError(fmt::format("{}: {} holds no data", operation, scan.source));
  }
}

// As apply_channel_matrix, in parts for an array on the host where memory is given for the result.
void combine(const Context& ctx, ArrayRef<const std::complex<double>> matrix, const DataMemory& memory,
             Array<std::complex<float>>& data) {
  if (data.size() == 0) return;
  const auto whole = [&](ArrayRef<const std::complex<float>> all) {
    return apply_channel_matrix<float>(ctx, matrix, all);
  };
  if (!memory || data.device().kind != DeviceKind::cpu) {
    data = whole(data);
    return;
  }
  const bool in_place = matrix.extent(0) == data.extent(0);
  Array<std::complex<float>> result =
      in_place ? data.share() : memory(data.shape().tail().with_front(matrix.extent(0)));
  detail::in_parts(ctx, data, result, whole);
  data = std::move(result);
}

// Data, noise and maps are all linear in the coils.
void combine_channels(const Context& ctx, ArrayRef<const std::complex<double>> matrix, const DataMemory& memory,
                      Scan& scan) {
  for (ScanFrame& frame : scan.frames) combine(ctx, matrix, memory, frame.data);
  combine(ctx, matrix, memory, scan.noise);
  combine(ctx, matrix, memory, scan.coil_maps);
  scan.coils = matrix.extent(0);
}

// The largest part of an array where it lies.
double largest_of(const Context& ctx, const Array<std::complex<float>>& array) {
  if (array.size() == 0) return 0;
  if (array.device().kind == DeviceKind::cpu) return largest_part<float>(ctx.host(), array);
  return largest_part<float>(ctx.host(), to_host(ctx, array.ref()));
}

double largest_data(const Context& ctx, const Scan& scan) {
  double largest = 0;
  for (const ScanFrame& frame : scan.frames) largest = std::max(largest, largest_of(ctx, frame.data));
  return largest;
}

void multiply(const Context& ctx, int exponent, Array<std::complex<float>>& array) {
  if (exponent == 0 || array.size() == 0) return;
  multiply_by_power_of_two<float>(array.device().kind == DeviceKind::cpu ? ctx.host() : ctx, exponent, array);
}

}  // namespace

int bring_near_one(const Context& ctx, Scan& scan, bool prewhitened, const std::function<double(double)>& of_all) {
  const double own = largest_data(ctx, scan);
  const double largest = of_all ? of_all(own) : own;
  const double noise = prewhitened ? largest_of(ctx, scan.noise) : 0;
  // The data are in units of the noise, when both are scaled.
  const bool both = noise > 0 && std::isfinite(noise);
  const bool far =
      exponent_far_from_one<float>(largest) != 0 || (both && exponent_far_from_one<float>(largest / noise) != 0);
  if (!far || !(largest > 0) || !std::isfinite(largest)) return 0;
  const int of_data = std::ilogb(largest);
  const int of_noise = both ? std::ilogb(noise) : 0;
  for (ScanFrame& frame : scan.frames) multiply(ctx, -of_data, frame.data);
  if (both) multiply(ctx, -of_noise, scan.noise);
  if (!prewhitened) return of_data;
  return both ? of_data - of_noise : 0;  // the edge of k-space is scaled with the data
}

void bring_maps_near_one(const Context& ctx, Scan& scan) {
  multiply(ctx, -exponent_far_from_one<float>(largest_of(ctx, scan.coil_maps)), scan.coil_maps);
}

void restore_unit(const Context& ctx, int exponent, Scan& scan, std::string_view what) {
  if (exponent == 0) return;
  check_range<float>(what, largest_data(ctx, scan), exponent);
  for (ScanFrame& frame : scan.frames) multiply(ctx, exponent, frame.data);
}

void remove_noise_scan(Scan& scan) {
  scan.noise = {};
  scan.noise_dwell_us = 0;
}

void leave_out_wrong_noise(const Context& ctx, Scan& scan, Notes& notes) {
  if (scan.noise.size() == 0 || scan.frames.empty() || scan.frames.front().data.size() == 0) return;
  const std::string why = doubt_about_noise<float>(ctx, scan.noise, dwell_scale(scan.noise_dwell_us, scan.dwell_us),
                                                   scan.frames.front().data);
  if (why.empty()) return;
  notes.emplace_back(fmt::format("The noise scan is left out, since it is not the noise of these data: {}.", why),
                     NoteKind::doubt);
  remove_noise_scan(scan);
}

NoiseCovariance scan_noise(const Context& ctx, const Scan& scan) {
  check_data("prewhitening", scan);
  if (scan.noise.size() == 0) {
    const ScanFrame& first = scan.frames.front();
    return noise_covariance_from_edge<float>(ctx, first.data, first.trajectory->points);
  }
  NoiseCovariance covariance = noise_covariance<float>(ctx, scan.noise);
  scale_to_dwell(covariance, scan.noise_dwell_us, scan.dwell_us);
  return covariance;
}

void prewhiten(const Context& ctx, Scan& scan, const NoiseCovariance& covariance, Notes& notes,
               const DataMemory& memory) {
  notes.emplace_back(covariance.note);
  if (!covariance.measured) return;
  combine_channels(ctx, prewhitening_matrix(ctx, covariance.matrix), memory, scan);
}

void prewhiten(const Context& ctx, Scan& scan, Notes& notes) { prewhiten(ctx, scan, scan_noise(ctx, scan), notes); }

CoilCompression compress_coils(const Context& ctx, Scan& scan, const CoilCompressionOptions& options, Notes& notes,
                               const DataMemory& memory) {
  check_data("coil compression", scan);
  std::vector<ArrayRef<const std::complex<float>>> data;
  for (const ScanFrame& frame : scan.frames) data.push_back(frame.data.ref());
  CoilCompression compression = coil_compression<float>(memory ? ctx.host() : ctx, data, options);
  compress_coils(ctx, scan, compression, notes, memory);
  return compression;
}

void compress_coils(const Context& ctx, Scan& scan, const CoilCompression& compression, Notes& notes,
                    const DataMemory& memory) {
  notes.emplace_back(fmt::format("Coil compression: {} virtual coils of {} keep {:.2f} % of the signal's energy.",
                                 compression.matrix.extent(0), scan.coils, 100 * compression.energy_kept));
  combine_channels(ctx, compression.matrix, memory, scan);
}

}  // namespace whorl
