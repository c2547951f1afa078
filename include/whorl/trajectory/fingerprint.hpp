// The fingerprint of a trajectory.
#pragma once

#include <string>

#include "whorl/core/array.hpp"

namespace whorl {

/// What tells trajectories apart: SHA-256 of the number of samples and of axes (64-bit integers) and of the positions
/// [sample, dim], rounded to float, all little endian. Trajectories whose positions differ by less than what a float
/// holds are one, as a file in single precision gives them back.
///
/// Shapes  points [sample, dim] on the host, in cycles per pixel
std::string trajectory_fingerprint(ArrayRef<const double> points);

}  // namespace whorl
