// Subspaces of time courses.
#pragma once

#include <array>
#include <complex>
#include <span>
#include <string>

#include "whorl/core/array.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// A few courses over the frames of a slice, orthonormal.
struct SubspaceBasis {
  Array<std::complex<double>> vectors;  ///< [frame, component], on the host
  double part = 1;                      ///< of the energy of what it was made of that lies in it
  std::string origin{};                 ///< a sentence

  Index frames() const { return vectors.extent(0); }
  Index components() const { return vectors.extent(1); }
};

/// The span of the first `rank` columns of a matrix, orthonormalized in their order; `part` is 1.
///
/// Shapes  vectors [frame, component]
/// Throws  ShapeError (another rank), ValueError (fewer columns than `rank` or than frames, columns that depend on each
///         other, values that are not finite)
SubspaceBasis basis_of_vectors(const Context& ctx, ArrayRef<const std::complex<double>> vectors, Index rank);

/// The principal components of signals, which are real where all signals are; not centered.
///
/// Shapes    signals [signal, frame]
/// Accuracy  from the Gram matrix of the frames: components below 1e-7 of the largest singular value are rounding
/// Throws    ShapeError, ValueError (a rank below 1 or above the number of frames, values that are not finite, or all 0)
SubspaceBasis basis_of_signals(const Context& ctx, ArrayRef<const std::complex<double>> signals, Index rank);

enum class DecayKind {
  t2,  ///< exp(-t / T2)
  t1,  ///< 1 - 2 exp(-t / T1): recovery after an inversion
};

/// Signals of 256 relaxation times, evenly spaced in their logarithm from the shortest to the longest.
///
/// Shapes  times [frame]; result [signal, frame]
/// Throws  ValueError (relaxation times that are not 0 < shortest < longest, times that are not finite or below 0)
Array<std::complex<double>> decay_signals(const Context& ctx, DecayKind kind, std::array<double, 2> relaxation_ms,
                                          std::span<const double> times_ms);

/// The principal components over time of the frames of the first slice at low resolution: the center of k-space of each
/// frame and coil on `resolution` points along each axis, by least squares.
///
/// Throws  ValueError (fewer than two frames, no samples in the center, a rank above the number of frames), Cancelled
SubspaceBasis low_resolution_basis(const Context& ctx, const Scan& scan, Index rank, Index resolution = 16);

/// The frames [frame, z, y, x] of coefficients [component, z, y, x], on the host.
/// Throws  ShapeError
Array<std::complex<float>> subspace_frames(const Context& ctx, ArrayRef<const std::complex<float>> coefficients,
                                           const SubspaceBasis& basis);

}  // namespace whorl
