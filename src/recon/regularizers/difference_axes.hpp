// The axes of regularizers that are made of differences.
#pragma once

#include "whorl/op/differences.hpp"
#include "whorl/recon/regularizer.hpp"

namespace whorl::recon {

/// Throws  ValueError (differences along z of images in 2D)
DifferenceAxes axes_of(const Shape& series, const Regularizer& what);
DifferenceAxes cyclic_axes(const Shape& series, const Regularizer& what);

Index count_of_axes(const Regularizer& what, Index image_axes);
bool has_frame_axis(const Regularizer& what);

/// The best weight in the mean over ten scans of phantoms, of a model in NumPy. Thresholds of other kinds are estimates in
/// proportion; test_weight_units.cpp has the table of ten scans.
double threshold_of_differences(const Regularizer& what, const Shape& series);

}  // namespace whorl::recon
