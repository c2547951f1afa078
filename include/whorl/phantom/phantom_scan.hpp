// The simulated measurement of a phantom.
#pragma once

#include <cstdint>
#include <memory>

#include "whorl/core/context.hpp"
#include "whorl/phantom/phantom.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

struct PhantomScanOptions {
  Index coils = 12;                     ///< of make_phantom_coils; 0: one coil of uniform sensitivity
  double noise_standard_deviation = 0;  ///< sqrt(E|n|^2) of the complex noise of each sample; 0: none
  Index noise_samples = 4096;           ///< of the noise scan; 0, or no noise: no noise scan
  std::uint64_t seed = 1;               ///< of the noise
  /// The signal evolves during the readout by the phantom's R2* and field (3 T): sums over this many points along each
  /// axis of a voxel. 0: it does not, and k-space is exact.
  int evolving_points = 0;
  double echo_time_ms = 0;  ///< from the excitation to time 0 of the readout (readout_timing), of a signal that evolves
  /// Covariance [coil, coil] of the noise over the square of its standard deviation; none: the identity.
  std::shared_ptr<const Array<std::complex<double>>> noise_covariance{};
};

/// Measures a phantom along the trajectories of `scan`: sets the data to the exact samples of the phantom with its
/// coils, plus noise. All frames measure the same object. The noise of different frames, of the noise scan and of other
/// seeds is independent. Without noise the image of the scan is rasterize(phantom) times phantom_coil_maps. The
/// transform is unitary, so noise of standard deviation d also has the standard deviation d in each pixel of a fully
/// sampled Cartesian image. Previous data and noise of the scan are replaced. An unknown field of view becomes one
/// millimeter per pixel.
///
/// An evolving signal is that of the sums over a fine grid, by the times of the scan (readout_timing); where a point of
/// the grid has a neighbor of another tissue, or the field turns it by much during the readout, more points are needed.
///
/// Shapes  data of the frames [coil, sample]
/// Throws  ShapeError, ValueError (no frame, a trajectory or phantom of another dim than the scan's matrix, negative
///         noise, more than 2^28 noise samples, evolving points outside 0 to 16, an evolving signal with unknown times, a noise covariance that is not Hermitian and positive definite),
///         Cancelled
Scan phantom_scan(const Context& ctx, const Phantom& phantom, Scan scan, const PhantomScanOptions& options);

/// The covariance of correlated loops: C_ab = correlation^d, where d is the shorter distance of coils a and b around
/// the ring of make_phantom_coils. The last coil is next to the first.
///
/// Shapes  result [coils, coils]
/// Throws  ValueError unless 0 <= correlation < 1 and coils is 1 to 1024
Array<std::complex<double>> ring_noise_covariance(const Context& ctx, Index coils, double correlation);

}  // namespace whorl
