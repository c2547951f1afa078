// How far an object reaches beyond the field of view, by the center of k-space.
#pragma once

#include <array>

#include "core/internal.hpp"
#include "whorl/core/context.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// How many times as wide as an image [(z,) y, x] the field of view must be along x, y and z for least squares to hold the
/// object: 1, 1.25, 1.5 or 2. Least squares has the image explain all data, so what lies outside of it is pressed into its edge.
///
/// The center of k-space is solved for on twice the field of view, at a low resolution, if its samples lie half a cycle per field of
/// view apart; in 3D in the plane alone where partitions do not. Energy outside counts beyond that of the noise and of the
/// solver's error, which the outermost part of this image shows. 1 where the samples tell nothing, and without data (on the
/// host).
WHORL_INTERNAL std::array<double, 3> object_extent(const Context& ctx, const ScanFrame& frame, const Shape& image);

}  // namespace whorl::recon
