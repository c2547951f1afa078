// Density weights by counting samples.
#pragma once

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

struct CellCountOptions {
  double cell = 1;  ///< edge of a cell in cycles per field of view (1/N cycles per pixel)
};

/// Density weights of any trajectory: 1 over the number of samples in the same cell of a grid. Cell i of an axis of N
/// pixels holds
///
///   i - 1/2 <= k N / cell < i + 1/2,
///
/// so the center of k-space is the center of a cell. All cells with samples have the same total weight. That is right
/// if every cell has samples, coarse if samples are closer together than the cell, and wrong if they are farther apart.
///
/// Shapes  points [sample, dim], image_shape [(z,) y, x]; result [sample], normalized (normalize_weights)
/// Throws  ShapeError, ValueError (the trajectory; a cell that is not positive, or too small to number the cells)
template <Precision Real>
WHORL_PUBLIC Array<Real> cell_count_density(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape,
                                            const CellCountOptions& options = {});

}  // namespace whorl
