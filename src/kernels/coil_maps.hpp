// Kernel family: coil maps. The sensitivities of a voxel come from a Hermitian matrix of that voxel.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "kernels/registry.hpp"
#include "whorl/core/array.hpp"

namespace whorl::kernels {

/// Position of (row, column), row >= column, in a lower triangle stored row by row.
inline Index pair_index(Index row, Index column) { return row * (row + 1) / 2 + column; }

/// The data from which the operator of ESPIRiT is made.
template <class Real>
struct EspiritCalibration {
  const std::complex<Real>* data = nullptr;  ///< [coil, kz, ky, kx], kz = 1 in 2D
  Index coils = 0;
  std::array<Index, 3> extent{};  ///< kz, ky, kx
  std::array<Index, 3> kernel{};  ///< z, y, x
  double singular_value_threshold = 0;
};

/// The image-domain operator of ESPIRiT as a trigonometric polynomial:
/// G_cd(r) = sum_delta g_cd(delta) exp(-2 pi i delta.r / N) for c >= d.
struct EspiritOperator {
  Index coils = 0;
  std::array<Index, 3> support{1, 1, 1};     ///< extents of delta along z, y, x; delta = 0 in the middle
  Array<std::complex<double>> coefficients;  ///< g [pair, delta_z, delta_y, delta_x], on the context's device
};

/// The memory for the sensitivities of the voxels.
template <class Real>
struct MapTarget {
  std::array<Index, 3> image{};               ///< z, y, x
  std::vector<std::complex<Real>> reference;  ///< the virtual coil that sees the phase 0
  std::complex<Real>* maps = nullptr;         ///< [coil, z, y, x]
};

/// The images of the coils from which Walsh's method makes maps: those of the target's voxels, and around them what their
/// blocks reach. Blocks are cut at the edges.
template <class Real>
struct WalshImages {
  const std::complex<Real>* data = nullptr;  ///< [coil, z, y, x]
  std::array<Index, 3> extent{};             ///< z, y, x
  std::array<Index, 2> first{};              ///< z and y of the target's first row in them; it has the same x
};

/// Extents of a problem of ESPIRiT, z first.
struct EspiritSizes {
  Index coils = 0;
  std::array<Index, 3> calibration{};
  std::array<Index, 3> kernel{};
  std::array<Index, 3> image{};
};

/// Scratch bytes for the operator and its eigenvectors, besides the calibration data, the maps and the eigenvalues.
inline Kernel<Index(const Context&, const EspiritSizes&, Index real_bytes)> espirit_memory{"ESPIRiT"};

/// Scratch bytes for Walsh's maps of so many voxels (z, y, x), besides the coils' images and the maps.
inline Kernel<Index(const Context&, Index coils, const std::array<Index, 3>& voxels, Index block, Index real_bytes)>
    walsh_memory{"Walsh's method"};

template <class Real>
inline Kernel<EspiritOperator(const Context&, const EspiritCalibration<Real>&)> make_espirit_operator{"ESPIRiT"};

/// Slices of a volume that are made at a time.
struct SliceRange {
  Index first = 0;
  Index count = 0;
};

/// Eigenvectors of the operator's largest eigenvalue at every voxel of some slices, 0 where the eigenvalue [z, y, x] is below
/// the threshold. The target's image is the whole one, its maps and the eigenvalues those of the slices. Returns the number of
/// voxels above the threshold.
template <class Real>
inline Kernel<Index(const Context&, const EspiritOperator&, Real threshold, const MapTarget<Real>&, SliceRange,
                    Real* eigenvalues)>
    espirit_maps{"ESPIRiT"};

/// Eigenvectors of the largest eigenvalue of the coils' covariance over a block around every voxel, 0 where there is no
/// signal. Returns the number of voxels with signal.
template <class Real>
inline Kernel<Index(const Context&, const WalshImages<Real>&, Index block, const MapTarget<Real>&)> walsh_maps{
    "Walsh's method"};

}  // namespace whorl::kernels
