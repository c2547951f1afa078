// A measurement of the head phantom, as if it came from a file.
#pragma once

#include <cstdint>
#include <memory>

#include "whorl/core/context.hpp"
#include "whorl/io/scan.hpp"

namespace whorl {

struct PhantomScanOptions {
  Index coils = 12;
  double noise_standard_deviation = 0;  ///< sqrt(E|n|^2) of the complex noise in each coil when there is no correlation
  Index noise_samples = 4096;           ///< of the noise scan; 0: none. No noise scan is made when there is no noise
  std::uint64_t seed = 1;               ///< of the noise
  /// Covariance [coil, coil] of the noise over the square of its standard deviation; no elements: the identity.
  ArrayRef<const std::complex<double>> noise_covariance{nullptr, {0, 0}};
};

/// Exact samples of the modified Shepp-Logan phantom with the coils of make_phantom_coils, plus noise. The image of
/// the scan without noise is rasterize(shepp_logan(...)) times phantom_coil_maps; one pixel is one millimeter.
///
/// Shapes  matrix x, y, z (z = 1: 2D); one frame [coil, sample]
/// Throws  ShapeError, ValueError (trajectory of another dim than the matrix, negative noise, a noise covariance that
///         is not Hermitian and positive definite)
Scan phantom_scan(const Context& ctx, std::shared_ptr<const Trajectory> trajectory, const std::array<Index, 3>& matrix,
                  const PhantomScanOptions& options);

}  // namespace whorl
