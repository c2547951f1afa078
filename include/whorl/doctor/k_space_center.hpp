// Position of the center of k-space.
#pragma once

#include <array>

#include "whorl/core/context.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// The center of the signal's energy in k-space, in cycles per field of view along x, y and z: that of an image within
/// the field of view which is fitted to the samples of the first frame near k = 0, and again near where the last fit
/// found it. Objects have phases of their own, up to about a cycle; more is a shift of k-space (shift_k_space takes it).
///
/// Up to five frames are compared, or the halves of a single one that has 16 readouts or more.
///
/// Throws  ValueError (a scan without data; frames or halves whose centers are more than 0.5 cycles apart; samples near the center that are too few, or of which no object within the
///         field of view is the source: half or more of the signal contradicts the rest), Cancelled
std::array<double, 3> k_space_center(const Context& ctx, const Scan& scan);

}  // namespace whorl
