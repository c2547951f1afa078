// Coil compression: a few virtual coils with most of the signal of many coils.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace WHORL_PUBLIC whorl {

struct CoilCompressionOptions {
  Index virtual_coils = 0;  ///< number of virtual coils; 0: the fewest that keep `energy`
  double energy = 0.99;     ///< part of the signal's energy to keep, (0, 1]; used if virtual_coils is 0
};

struct CoilCompression {
  Array<std::complex<double>> matrix;  ///< [virtual coil, coil] on the host, orthonormal rows; for apply_channel_matrix
  std::vector<double> energies;        ///< part of the energy in each of all virtual coils, descending, sum 1
  double energy_kept = 0;              ///< part of the energy in the kept virtual coils
};

/// The virtual coils are the left singular vectors of the data of all frames as one matrix [coil, sample], computed as
/// eigenvectors of its Gram matrix. The rows are orthonormal, so white noise stays white: prewhiten first.
///
/// Shapes  each of `data` [coil, sample], with the same number of coils
/// Throws  ShapeError, ValueError (options out of range, all zero, a sample that is not finite)
/// Source  Buehrer, Pruessmann, Boesiger, Kozerke, "Array compression for MRI with large coil arrays", Magn Reson Med
///         57:1131 (2007); by the principal components of the data: Huang, Vijayakumar, Li, Hertel, Duensing, "A
///         software channel compression technique for faster reconstruction with many channels", Magn Reson Imaging
///         26:133 (2008)
template <Precision Real>
WHORL_PUBLIC CoilCompression coil_compression(const Context& ctx,
                                              std::span<const ArrayRef<const std::complex<Real>>> data,
                                              const CoilCompressionOptions& options);

/// The Gram matrix [coil, coil] of the data [coil, sample] of a frame, on the host: those of all frames, added up in their order,
/// are what coil_compression takes. Throws ShapeError, ValueError (a sample that is not finite)
template <Precision Real>
WHORL_PUBLIC Array<std::complex<double>> coil_gram(const Context& ctx, ArrayRef<const std::complex<Real>> data);

/// coil_compression from the sum of the Gram matrices. Throws ShapeError, ValueError (options out of range, all zero)
CoilCompression coil_compression_of_gram(const Context& ctx, ArrayRef<const std::complex<double>> gram,
                                         const CoilCompressionOptions& options);

}  // namespace whorl
