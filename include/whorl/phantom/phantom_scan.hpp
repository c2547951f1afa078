// A measurement of a phantom, as if it came from a file.
#pragma once

#include <cstdint>

#include "whorl/core/context.hpp"
#include "whorl/phantom/phantom.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl {

struct PhantomScanOptions {
  Index coils = 12;                     ///< of make_phantom_coils; 0: one channel, of uniform sensitivity
  double noise_standard_deviation = 0;  ///< sqrt(E|n|^2) of the complex noise of each sample; 0: none
  Index noise_samples = 4096;           ///< of the noise scan; 0: none. No noise scan is made when there is no noise
  std::uint64_t seed = 1;               ///< of the noise
  /// Covariance [channel, channel] of the noise over the square of its standard deviation; no elements: the identity.
  ArrayRef<const std::complex<double>> noise_covariance{nullptr, {0, 0}};
};

/// Measures a phantom: gives a scan without data, which says where in k-space, the exact samples of the phantom with
/// its coils, plus noise. All frames see the same object; the noise of frames, of the noise scan and of other seeds is
/// independent. Without noise the image of the scan is rasterize(phantom) times phantom_coil_maps; noise of standard
/// deviation d has that standard deviation in each pixel of a fully sampled Cartesian image too, since the transform is
/// unitary. Data and noise that the scan had are replaced. An unknown field of view becomes one millimeter per pixel.
///
/// Shapes  frames' data [channel, sample]
/// Throws  ShapeError, ValueError (no frame, a trajectory or phantom of another dim than the scan's matrix, negative
///         noise, more than 2^28 noise samples, a noise covariance that is not Hermitian and positive definite),
///         Cancelled
Scan phantom_scan(const Context& ctx, const Phantom& phantom, Scan scan, const PhantomScanOptions& options);

/// A covariance as of neighboring loops: C_ab = correlation^d, d the distance of coils a and b around the
/// ring of make_phantom_coils, the shorter way: the last coil is beside the first.
///
/// Shapes  result [coils, coils]
/// Throws  ValueError unless 0 <= correlation < 1 and coils is 1 to 1024
Array<std::complex<double>> ring_noise_covariance(const Context& ctx, Index coils, double correlation);

}  // namespace whorl
