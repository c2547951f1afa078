// The kernels for a CPU, one file each; its first lines say what it changes and why that should pay.
#pragma once

#include <vector>

#include "studies/mri_q/problem.hpp"

namespace whorl::studies::mri_q {

/// |phi|^2 of the samples. Parboil's computePhiMag: a pass over some thousand numbers, which no step improves.
template <class Real>
std::vector<Real> phi_magnitudes(const Pointers& in) {
  std::vector<Real> squares(static_cast<std::size_t>(in.samples));
  for (Index j = 0; j < in.samples; ++j) {
    const auto real = static_cast<Real>(in.phi[j].real());
    const auto imag = static_cast<Real>(in.phi[j].imag());
    squares[static_cast<std::size_t>(j)] = real * real + imag * imag;
  }
  return squares;
}

/// All of them fill q [2, voxel], on the host.
void double_loops(const Context& ctx, const Problem& problem, ArrayRef<float> q);
void single_loops(const Context& ctx, const Problem& problem, ArrayRef<float> q);
void samples_outside(const Context& ctx, const Problem& problem, ArrayRef<float> q);
void polynomials(const Context& ctx, const Problem& problem, ArrayRef<float> q);
void tiles_of_voxels(const Context& ctx, const Problem& problem, ArrayRef<float> q);
/// `vectors` is 1, 2, 3, 4 or 8.
void wide_vectors(const Context& ctx, const Problem& problem, ArrayRef<float> q, int vectors);
void threads(const Context& ctx, const Problem& problem, ArrayRef<float> q, int vectors);

}  // namespace whorl::studies::mri_q
