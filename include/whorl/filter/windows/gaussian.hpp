// Gaussian: an image blurred by a normal distribution.
#pragma once

#include <optional>

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace whorl {

/// In pixels.
inline constexpr double least_gaussian_sigma = 0.1;
inline constexpr double largest_gaussian_sigma = 100;

struct GaussianOptions : BorderOptions {
  double sigma = 1;             ///< pixels, 0.1 to 100
  std::optional<Index> radius;  ///< pixels, 1 to 450; none: int(3 sigma + 0.5), at least 1
  bool along_z = false;         ///< also across the slices of each volume
};

/// From this sigma on, where no radius is given, the recursive filter takes fewer operations than the sum.
inline constexpr double recursive_sigma = 16;

/// result = the sum over i, j (and k) of w(i) w(j) (w(k)) input, w(i) = exp(-i^2 / (2 sigma^2)) for |i| <= radius, made
/// to sum to 1. Takes every image; volumes slice by slice unless along_z.
///
/// Without a radius and from recursive_sigma on the window is not cut off, and is a sum of decaying cosines that
/// recursions of second order follow (Deriche 1993), fitted to the Gaussian anew: the absolute differences of the two
/// windows sum to less than 2e-5.
///
/// Accuracy  uint8: at most one level from the exactly rounded sum, and in fewer than 1 of 100 pixels (fixed point:
/// taps
///           of up to 15 bits, 6 bits of fraction between the passes). uint16: the same (float32; the order of its sums
///           is fixed). float32: 1e-6 of the largest value. along_z rounds integers once more. Recursive: 2e-5 of the
///           largest value beside that.
/// Throws    ValueError for a parameter out of its range.
/// Source    Deriche, Recursively implementing the Gaussian and its derivatives, INRIA RR-1893 (1993)
std::unique_ptr<Filter> make_gaussian(const GaussianOptions& options);

}  // namespace whorl
