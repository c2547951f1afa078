// Density weights from Voronoi cells.
#pragma once

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// The boundary of the outermost cells.
enum class VoronoiBoundary {
  /// As if k-space continued: a cell that reaches beyond the convex hull of the samples is closed by its own mirror
  /// image, so it reaches as far outwards as inwards. Then all samples of a rectangular grid have the same weight. The
  /// ends of spokes reach half a step out, and the last turn of a spiral half the distance to the turn before.
  extrapolated,
  /// The convex hull of the samples: the cells add up to the volume of the hull.
  hull,
};

struct VoronoiOptions {
  VoronoiBoundary boundary = VoronoiBoundary::extrapolated;
};

/// Samples closer than this to an earlier one share its cell, in cycles per pixel. Files with positions in float round
/// them by up to 3e-8.
inline constexpr double voronoi_merge_distance = 1e-6;

/// Density weights of any trajectory: the area (2D) or volume (3D) of a sample's Voronoi cell, the part of k-space
/// closer to it than to any other sample. Samples at the same position share the cell equally.
///
/// Each cell is cut out of a box by the planes halfway to its neighbors, from near to far, until the next sample is
/// beyond twice the cell's radius and cannot cut it. Cells are independent of each other, so planes that meet in one
/// point, as everywhere in regular sampling, do no harm, and samples need no perturbation. Qhull computes the convex
/// hull of the samples.
///
/// Shapes    points [sample, dim]; result [sample]
/// Units     cycles per pixel, in which distances are measured; the weights are normalized (normalize_weights)
/// Accuracy  relative error of volumes about 1e-9
/// Memory    about 200 bytes per sample
/// Progress  one step per sample
/// Throws    ShapeError, ValueError (as check_trajectory; samples on a line (2D) or in a plane (3D)), Cancelled
/// Source    Rasche, Proksa, Sinkus, Boernert, Eggers, "Resampling of data between arbitrary grids using convolution
///           interpolation", IEEE Trans Med Imaging 18 (1999) 385 (the weights); Rycroft, "Voro++: a three-dimensional
///           Voronoi cell library in C++", Chaos 19 (2009) 041111 (cells one by one)
template <Precision Real>
WHORL_PUBLIC Array<Real> voronoi_density(const Context& ctx, ArrayRef<const double> points,
                                         const VoronoiOptions& options = {});

}  // namespace whorl
