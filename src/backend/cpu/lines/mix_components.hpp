// Grids of several components, mixed in blocks of points by SIMD: the loops of components.cpp.
#pragma once

#include <complex>

#include "kernels/components.hpp"

namespace whorl::backend::cpu {

/// The points of a block: what is mixed of all components stays in the first-level cache.
inline constexpr Index mixed_points = 16;

/// Mixes `count` points (mixed_points at most) of one grid, or of kernels::coils_together interleaved grids. `spectra`
/// and `grids` are at the first point; `component` lies between the grids of two components.
void mix_points(const kernels::MixedGrids&, const float* spectra, std::complex<float>* grids, Index component,
                Index together, Index count);
void mix_points(const kernels::MixedGrids&, const double* spectra, std::complex<double>* grids, Index component,
                Index together, Index count);
void mix_points(const kernels::MixedGrids&, const std::complex<float>* spectra, std::complex<float>* grids,
                Index component, Index together, Index count);
void mix_points(const kernels::MixedGrids&, const std::complex<double>* spectra, std::complex<double>* grids,
                Index component, Index together, Index count);

}  // namespace whorl::backend::cpu
