// Single values of the exact transform, which are what a measured error is measured against.
#pragma once

#include <complex>
#include <vector>

#include "whorl/core/array.hpp"

namespace whorl::bench {

/// Values at some random places of an array [coil, place...], the same places for each coil.
struct ExactValues {
  std::vector<Index> places;                 ///< in one coil: samples, or pixels in C order
  std::vector<std::complex<double>> values;  ///< [coil, place]
};

/// Draws at most about 1000 places of `extent` for all coils together. Each value is a sum of `terms` terms: fewer
/// where that takes more than about 5e8 terms, but 100. The error from n values is true to about sqrt(1 / (2 n)) of
/// itself.
std::vector<Index> draw_places(Index extent, Index coils, Index terms);

/// Values of the sums that Nufft approximates (whorl/op/nufft.hpp), term by term in double.
///
/// Shapes    points [sample, dim]; image [coil, (z,) y, x]; data [coil, sample]; image_shape [(z,) y, x]
/// Accuracy  that of sums in double: 1e-13
/// Throws    Cancelled
ExactValues exact_forward(const Context& ctx, ArrayRef<const double> points, ArrayRef<const std::complex<float>> image);
ExactValues exact_adjoint(const Context& ctx, ArrayRef<const double> points, ArrayRef<const std::complex<float>> data,
                          const Shape& image_shape);
/// Adjoint after forward. The sums of both would take days: Nufft in double precision, with a tolerance of 1e-10.
ExactValues exact_normal(const Context& ctx, ArrayRef<const double> points, ArrayRef<const std::complex<float>> image);

/// ||result - exact|| / ||exact|| over the places of all coils.
double relative_error(ArrayRef<const std::complex<float>> result, const ExactValues& exact);

}  // namespace whorl::bench
