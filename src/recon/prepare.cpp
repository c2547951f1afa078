#include "recon/prepare.hpp"

#include <algorithm>
#include <cmath>

#include "whorl/math/value_range.hpp"
#include "whorl/scan/prepare.hpp"

namespace whorl::recon {

namespace {

void bring_to_device(const Context& ctx, Scan& scan) {
  const auto bring = [&](Array<std::complex<float>>& array) {
    if (array.size() > 0 && !(array.device() == ctx.device())) array = clone<std::complex<float>>(ctx, array);
  };
  for (ScanFrame& frame : scan.frames) bring(frame.data);
  bring(scan.noise);
  bring(scan.coil_maps);
}

// The largest part of an array where it lies.
double largest_of(const Context& ctx, const Array<std::complex<float>>& array) {
  if (array.device().kind == DeviceKind::cpu) return largest_part<float>(ctx.host(), array);
  return largest_part<float>(ctx.host(), to_host(ctx, array.ref()));
}

void multiply(const Context& ctx, int exponent, Array<std::complex<float>>& array) {
  if (exponent == 0) return;
  multiply_by_power_of_two<float>(array.device().kind == DeviceKind::cpu ? ctx.host() : ctx, exponent, array);
}

// Data, noise and maps to magnitudes near 1. Gives the exponent of the images' unit.
int bring_near_one(const Context& ctx, Scan& scan, const ReconOptions& options) {
  multiply(ctx, -exponent_far_from_one<float>(largest_of(ctx, scan.coil_maps)),
           scan.coil_maps);  // they become unit maps
  double largest = 0;
  for (const ScanFrame& frame : scan.frames) largest = std::max(largest, largest_of(ctx, frame.data));
  const double noise = options.prewhiten ? largest_of(ctx, scan.noise) : 0;
  // Of the data in units of the noise, when both are scaled.
  const bool both = noise > 0 && std::isfinite(noise);
  const bool far =
      exponent_far_from_one<float>(largest) != 0 || (both && exponent_far_from_one<float>(largest / noise) != 0);
  if (!far || !(largest > 0) || !std::isfinite(largest)) return 0;
  const int of_data = std::ilogb(largest);
  const int of_noise = both ? std::ilogb(noise) : 0;
  for (ScanFrame& frame : scan.frames) multiply(ctx, -of_data, frame.data);
  if (both) multiply(ctx, -of_noise, scan.noise);
  if (!options.prewhiten) return of_data;
  return both ? of_data - of_noise : 0;  // the edge of k-space is scaled with the data
}

}  // namespace

int prepare(Run& run, Scan& scan, const ReconOptions& options) {
  const int exponent = bring_near_one(run.ctx, scan, options);
  if (run.ctx.device().kind != DeviceKind::cpu) run.time("upload", [&] { bring_to_device(run.ctx, scan); });
  if (options.prewhiten) run.time("prewhitening", [&] { prewhiten(run.ctx, scan, run.notes); });
  if (options.virtual_coils > 0 && options.virtual_coils < scan.coils) {
    run.time("coil compression",
             [&] { compress_coils(run.ctx, scan, {.virtual_coils = options.virtual_coils}, run.notes); });
  }
  return exponent;
}

StageMemory prepare_memory(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  constexpr auto complex_bytes = static_cast<Index>(sizeof(std::complex<float>));
  const bool on_host = ctx.device().kind == DeviceKind::cpu;
  Index samples = 0;
  Index largest = 0;
  Index trajectories = 0;
  const Trajectory* last = nullptr;
  for (const ScanFrame& frame : scan.frames) {
    const Index here = frame.trajectory->samples();
    samples += here;
    largest = std::max(largest, here);
    // Those stay on the host.
    if (on_host && frame.trajectory.get() != last) {
      trajectories += frame.trajectory->points.size() * static_cast<Index>(sizeof(double));
    }
    last = frame.trajectory.get();
  }
  const bool compresses = options.virtual_coils > 0 && options.virtual_coils < scan.coils;
  const auto bytes = [&](Index coils, Index count) { return coils * count * complex_bytes; };
  const Index coils = compresses ? options.virtual_coils : scan.coils;
  const Index noise = bytes(scan.noise.size(), 1);
  const Index maps = bytes(scan.coil_maps.size(), 1);
  const Index given = trajectories + bytes(scan.coils, samples) + noise + maps;
  const Index kept = trajectories + bytes(coils, samples) + (noise + maps) / scan.coils * coils;
  // One array after the other is taken to new coils.
  const Index combined = std::max({bytes(scan.coils, largest), noise, maps});
  return {kept, given + (options.prewhiten || compresses ? combined : 0)};
}

}  // namespace whorl::recon
