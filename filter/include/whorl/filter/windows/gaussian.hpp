// Gaussian blur.
#pragma once

#include <optional>

#include "whorl/filter/border.hpp"
#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

/// In pixels.
inline constexpr double least_gaussian_sigma = 0.1;
inline constexpr double largest_gaussian_sigma = 100;

struct GaussianOptions : BorderOptions {
  double sigma = 1;             ///< pixels, 0.1 to 100
  std::optional<Index> radius;  ///< pixels, 1 to 450; none: int(3 sigma + 0.5), at least 1
  bool along_z = false;         ///< also across the slices of each volume
};

/// Without a radius, the recursive filter is used from this sigma on: it takes fewer operations than the sum.
inline constexpr double recursive_sigma = 16;

/// result = the sum over i, j (and k) of w(i) w(j) (w(k)) input. The taps w(i) = exp(-i^2 / (2 sigma^2)), |i| <=
/// radius, are normalized to sum to 1. Takes every image; volumes slice by slice unless along_z.
///
/// Without a radius, from recursive_sigma on, the window is not cut off. It is a sum of decaying cosines, computed by
/// recursions of second order (Deriche 1993) with whorl's own coefficients: the absolute differences from the Gaussian
/// sum to less than 2e-5.
///
/// Accuracy  uint8    at most one level from the exactly rounded sum, in fewer than 1 of 100 pixels (fixed point: taps
///                    of up to 15 bits, 6 bits of fraction between the passes)
///           uint16   the same, computed in float32 in a fixed order
///           float32  1e-6 of the largest value
///           along_z rounds integers once more. The recursive filter adds 2e-5 of the largest value.
/// Throws    ValueError for a parameter out of its range.
/// Source    Deriche, Recursively implementing the Gaussian and its derivatives, INRIA RR-1893 (1993)
std::unique_ptr<Filter> make_gaussian(const GaussianOptions& options);

}  // namespace whorl
