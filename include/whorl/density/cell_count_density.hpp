// Density weights by counting samples.
#pragma once

#include "whorl/core/array.hpp"

namespace whorl {

struct CellCountOptions {
  double cell = 1;  ///< edge of a cell in cycles per field of view (1/N cycles per pixel)
};

/// Density weights of any trajectory: 1 over the number of samples in the same cell of a grid. Cell i of an axis of N
/// pixels holds
///
///   i - 1/2 <= k N / cell < i + 1/2,
///
/// so that the center of k-space is the center of a cell. Each cell that holds a sample counts as much as any other:
/// right where all cells do, coarse where samples are nearer to each other than the cell and blind where they are not.
///
/// Shapes  points [sample, dim], image_shape [(z,) y, x]; result [sample], normalized (normalize_weights)
/// Throws  ShapeError, ValueError (the trajectory; a cell that is not positive, or so small that cells can not be
///         numbered)
template <class Real>
Array<Real> cell_count_density(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape,
                               const CellCountOptions& options = {});

}  // namespace whorl
