// The problem of the study: F^H d of a simulated scan.
#pragma once

#include <array>
#include <complex>

#include "whorl/core/array.hpp"

namespace whorl::studies::fhd {

/// A scan on the host. Phi is the Fourier transform of the basis function of a voxel: here a box of one voxel that
/// begins at r, so Phi(k) = prod_a sinc(k_a) exp(-pi i k_a) is complex.
struct Scan {
  std::array<Index, 3> image{};      ///< extents z, y, x
  Array<double> points;              ///< [sample, 3]: k in cycles per voxel, x first
  Array<std::complex<double>> phi;   ///< [sample]
  Array<std::complex<double>> data;  ///< [sample]: d
};

/// The kooshball of the study quantitative_mri on size^3 voxels, and the exact k-space of its blurred head along it.
/// samples 0: as many per voxel as in the chapter; else the number of spokes closest to it. Throws ValueError
Scan simulate(const Context& ctx, Index size, Index samples);

/// (F^H d)(r) = sum_j conj(Phi_j) d_j exp(2 pi i k_j . r) by the library in double precision [voxel], on the host.
Array<std::complex<double>> exact_sums(const Context& ctx, const Scan& scan);

/// A scan on a device, in planes as in the chapter, and the voxels of the sums.
template <class Real>
struct Problem {
  std::array<Index, 3> image{};  ///< extents z, y, x
  Array<Real> samples;           ///< [7, sample]: k_x, k_y, k_z, real and imaginary part of Phi, and of d
  Array<Real> voxels;            ///< [3, voxel]: x, y, z; index floor(n/2) of an axis is 0
};

/// The voxels from `first` on in C order: all of them, or a part.
template <class Real>
Problem<Real> problem_of(const Context& ctx, const Scan& scan, Index first, Index count);

/// The problem as pointers for kernels, and the destination of the sums.
template <class Real>
struct Sums {
  Index samples;
  Index voxels;
  const Real* kx;
  const Real* ky;
  const Real* kz;
  const Real* phi_real;
  const Real* phi_imag;
  const Real* d_real;
  const Real* d_imag;
  const Real* x;
  const Real* y;
  const Real* z;
  Real* real;
  Real* imag;
};

/// sums [2, voxel]: real and imaginary parts.
template <class Real>
Sums<Real> sums_of(const Problem<Real>& problem, ArrayRef<Real> sums);

}  // namespace whorl::studies::fhd
