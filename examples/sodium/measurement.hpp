// The scan: twisted projections through the head, with the exact decay at each sample's time.
#pragma once

#include <complex>
#include <cstdint>

#include "head.hpp"
#include "whorl/core/array.hpp"

namespace sodium {

struct ScanSettings {
  whorl::Index size = 32;  ///< voxels along each axis of the field of view
  whorl::Index coils = 8;
  whorl::Index scans = 1;   ///< that take turns in the readouts, and in the coils of one ring
  whorl::Index number = 0;  ///< of this one of them
  double reduction = 1;     ///< of the number of readouts on each cone
  double echo_ms = 0.4;     ///< time of the first sample, in the center of k-space
  double readout_ms = 12;
  double dwell_us = 200;
  double noise = 10;  ///< standard deviation of a sample's complex noise, for data in mmol/L
};

/// The scan without the head. On the context's device; times and points on the host.
struct Measurement {
  whorl::Array<double> points;             ///< [sample, 3]
  whorl::Array<double> times;              ///< [sample], s
  whorl::Array<std::complex<float>> maps;  ///< [coil, z, y, x]
  whorl::Array<std::complex<float>> data;  ///< [coil, sample], without noise
  whorl::Index readouts = 0;
  double gradient_mt_per_m = 0;
};

/// Measures the head. For each tissue the exact k-space of its figures is multiplied by its decay at the times of the
/// samples. The operators of the reconstruction are not used.
Measurement measure(const whorl::Context& ctx, const Head& head, const ScanSettings& settings);

/// Noise of a scan, independent for each replica.
whorl::Array<std::complex<float>> noise_of(const whorl::Context& ctx, const Measurement& scan,
                                           double standard_deviation, std::uint64_t replica);

}  // namespace sodium
