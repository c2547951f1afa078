// Reconstruction of a series of images within a subspace of time courses.
#pragma once

#include <array>
#include <complex>
#include <span>
#include <string>
#include <vector>

#include "whorl/recon/recon_plan.hpp"
#include "whorl/recon/reconstruct.hpp"

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

/// Images of the coefficients of each slice, whose frame t is sum_k basis[t, k] x_k, by least squares over the data of all
/// frames:
///
///   |A x - d|^2 / (2 s) + lambda/2 |x|^2 + regularizers of x
///
/// for A = Subspace (op/subspace.hpp) after coil maps and s its largest eigenvalue. Regularizers take the components for
/// frames. The data stay on the host; a device has the samples of some coils at a time, and while it iterates the spectra
/// of the subspace in their place. Coil maps come from all frames (ReconOptions::maps_from has no effect).
///
/// The images are [slice and component, z, y, x]; the contrast of a frame counts the components.
///
/// Progress  the stage "reconstruction", one step per slice
/// Ranks     ReconOptions::ranks share the slices, then the coils of each; with regularizers, whose weights have one unit for all
///           slices, the coils alone. All have the same basis
/// Throws    as reconstruct; ValueError (slices with another number of frames than the basis; a method that is not
///           cg_sense, another penalty than tikhonov, a lambda to be chosen, error bars, saved normals, filters),
///           Error (memory)
/// Source    as Subspace
Reconstruction reconstruct_subspace(const Context& ctx, Scan scan, const SubspaceBasis& basis,
                                    const ReconOptions& options);

/// reconstruct_subspace on several devices, each with a thread of its own, which share the work as ranks do.
Reconstruction reconstruct_subspace(std::span<const Context> devices, Scan&& scan, const SubspaceBasis& basis,
                                    const ReconOptions& options);

/// Which frames of a scan must have data on this rank: those of its slices where it leads their solver. The scan needs
/// neither trajectories nor data.
std::vector<bool> subspace_frames_read_by(const Communicator& ranks, const Scan& scan, const ReconOptions& options);

/// What it would do and take: slices are solves, and nothing is spilled. Throws what reconstruct_subspace throws, but for memory.
ReconPlan plan_subspace_reconstruction(const Context& ctx, const Scan& scan, const SubspaceBasis& basis,
                                       const ReconOptions& options);

/// Peak memory of its arrays on the context's device in bytes.
Index subspace_reconstruction_memory(const Context& ctx, const Scan& scan, const SubspaceBasis& basis,
                                     const ReconOptions& options);

/// The frames [frame, z, y, x] of coefficients [component, z, y, x], on the host.
/// Throws  ShapeError
Array<std::complex<float>> subspace_frames(const Context& ctx, ArrayRef<const std::complex<float>> coefficients,
                                           const SubspaceBasis& basis);

}  // namespace whorl
