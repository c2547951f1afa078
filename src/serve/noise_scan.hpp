// Noise from elsewhere, for scans without noise of their own.
#pragma once

#include <complex>

#include "whorl/scan/scan.hpp"

namespace whorl::serve {

struct NoiseScan {
  Array<std::complex<float>> samples;  ///< [coil, sample]
  double dwell_us = 0;
};

/// A scan without noise takes this, if the coils are as many.
inline void take_noise(const NoiseScan& noise, const Context& ctx, Scan& scan) {
  if (scan.noise.size() > 0 || noise.samples.size() == 0 || noise.samples.extent(0) != scan.coils) return;
  scan.noise = clone(ctx, noise.samples.ref());
  scan.noise_dwell_us = noise.dwell_us;
}

}  // namespace whorl::serve
