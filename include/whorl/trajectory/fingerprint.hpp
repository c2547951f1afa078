// The fingerprint of a trajectory.
#pragma once

#include <string>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// Identifies a trajectory: the SHA-256 of the number of samples and of axes (64-bit integers) and of the positions
/// [sample, dim], rounded to float, all little endian. So files that store positions in single precision keep the
/// fingerprint.
///
/// Shapes  points [sample, dim] on the host, in cycles per pixel
std::string trajectory_fingerprint(ArrayRef<const double> points);

}  // namespace whorl
