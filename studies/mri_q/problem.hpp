// The input of MRI-Q: k-space samples and voxels, neither on a grid.
#pragma once

#include <complex>
#include <filesystem>

#include "whorl/core/array.hpp"

namespace whorl::studies::mri_q {

using Complex = std::complex<float>;

/// Q(r) = sum_j |phi_j|^2 exp(2 pi i k_j . r). The voxels may have any positions: in Parboil's file the first 6144 lie
/// on no grid.
struct Problem {
  Array<float> k;      ///< [3, sample]: k_x, k_y, k_z in cycles per field of view
  Array<Complex> phi;  ///< [sample]
  Array<float> r;      ///< [3, voxel]: x, y, z in fields of view

  Index samples() const { return phi.size(); }
  Index voxels() const { return r.extent(1); }
};

/// The arrays by the names of the formula, for kernels.
struct Pointers {
  const float *kx, *ky, *kz;
  const Complex* phi;
  const float *x, *y, *z;
  Index samples, voxels;
};
Pointers pointers_of(const Problem& problem);

/// Parboil's input, on the host; of its samples the first `most`, unless that is 0. Throws IoError (file), ValueError
/// (not mri-q's input, numbers that are not finite)
Problem read_problem(const Context& ctx, const std::filesystem::path& path, Index most);

/// Q of an output of Parboil's: [2, voxel], real parts and imaginary ones, on the host. Throws IoError, ValueError
Array<float> read_q(const Context& ctx, const std::filesystem::path& path);

/// size^3 voxels on a grid, x fastest, as in most of Parboil's file: voxel i along an axis lies at (i - floor(size/2))
/// / size. Random samples: k uniform in the cube that such voxels resolve, phi normal with E|phi|^2 = 1. On the host.
Problem make_problem(const Context& ctx, Index size, Index samples);

/// The problem's samples for `count` of the voxels, spread evenly over all; on the host.
Problem with_voxels(const Context& ctx, const Problem& problem, Index count);

/// Number i of `count` voxels that are spread evenly over `voxels`.
inline Index spread_voxel(Index i, Index count, Index voxels) { return (2 * i + 1) * voxels / (2 * count); }

/// A copy on the context's device.
Problem on_device(const Context& ctx, const Problem& problem);

}  // namespace whorl::studies::mri_q
