// The kernels of the CPU's ladder in order, one file each.
#pragma once

#include "studies/fhd/problem.hpp"

namespace whorl::studies::fhd::cpu {

/// Mu_j = conj(Phi_j) d_j, [sample].
template <class Real>
struct Mu {
  Real* real;
  Real* imag;
};

void scatter(const Sums<double>& s);

template <class Real>
void compute_mu(const Sums<Real>& s, const Mu<Real>& mu);
void scatter_mu(const Sums<double>& s, const Mu<double>& mu);

template <class Real>
void interchange(const Sums<Real>& s, const Mu<Real>& mu, int threads);

void vectors(const Sums<float>& s, const Mu<float>& mu);

/// The sizes of the next kernels' blocks.
struct Blocks {
  Index samples;  ///< that are read again and again before the next ones
  int vectors;    ///< of voxels at a time: 1, 2 or 4
  int threads;
};
template <class Real>
void blocks(const Sums<Real>& s, const Mu<Real>& mu, const Blocks& sizes);

/// These two need all voxels of a grid.
void recurrence(const Context& ctx, const std::array<Index, 3>& image, const Sums<float>& s, const Mu<float>& mu);
void separable(const Context& ctx, const std::array<Index, 3>& image, const Sums<float>& s, const Mu<float>& mu);

}  // namespace whorl::studies::fhd::cpu
