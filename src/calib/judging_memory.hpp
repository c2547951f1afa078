// Private: the memory that judging noise takes beside the data and the noise scan.
#pragma once

#include <algorithm>
#include <complex>

#include "calib/foretold_part.hpp"
#include "whorl/core/view.hpp"

namespace whorl::detail {

inline constexpr Index most_compared = 20000;  ///< samples of the data that a noise scan is compared with

/// Samples at the edge of k-space: a tenth, or 20 for each coil.
inline Index edge_samples(Index coils, Index samples) { return std::max(samples / 10, 20 * coils); }

/// The bytes for judging a noise scan (doubt_about_noise), or without one the edge of k-space (noise_covariance_from_edge), of data
/// in single precision.
inline Index judging_bytes(Index coils, Index samples, Index noise_samples) {
  constexpr Index value = sizeof(std::complex<float>);
  constexpr Index number = sizeof(double);
  const auto foretold = [&](Index places) { return coils * taken_for_one * std::min(places, most_foretold) * value; };
  if (noise_samples > 0) {
    return std::max(coils * std::min(samples, most_compared) * value, noise_samples * number + foretold(noise_samples));
  }
  const Index edge = std::min(edge_samples(coils, samples), samples);
  // The energy of each sample, its copy, and those of the edge.
  return std::max(2 * samples * number, coils * edge * value + std::max(2 * edge * number, foretold(edge)));
}

}  // namespace whorl::detail
