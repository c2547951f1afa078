// Kernel: Fourier transforms of unit solids.
#pragma once

#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// The disk of radius 1, the ball of radius 1, and the cylinder of radius 1 that reaches from z = -1 to 1.
enum class UnitSolid { disk, ball, cylinder };

struct SolidValues {
  UnitSolid solid = UnitSolid::disk;
  Index samples = 0;
  Index terms = 0;
  Index stride = 0;  ///< terms, up to a multiple of 8
};

/// sums[s, t] += turns[s] phases[t] T(points[s] - shifts[t]), or phases[s, t] T(...) without turns, with
/// T(w) = integral over the solid of exp(-i w.r) dr, w in radians per unit of length.
///
/// Shapes    points [sample, 3]; shifts [3, stride]; turns [sample] or null; phases [stride] or [sample, stride]; sums
///           [sample, term]; z is not read of a disk
/// Accuracy  of T, relative to T(0), but for the rounding of w: 1e-15
/// Device    a CPU alone; callers work in parallel themselves
inline Kernel<void(DeviceKind, const SolidValues&, const double* points, const double* shifts,
                   const std::complex<double>* turns, const std::complex<double>* phases, std::complex<double>* sums)>
    add_solid_values{"transforms of solids"};

}  // namespace whorl::kernels
