// Density weights from Voronoi cells.
#pragma once

#include "whorl/core/array.hpp"

namespace whorl {

/// Where the cells of the outermost samples end.
enum class VoronoiBoundary {
  /// As if k-space went on: a cell that reaches outside of the convex hull of the samples is closed by its own mirror
  /// image, so that it reaches as far outwards as inwards. The samples of a rectangular grid all get the same weight,
  /// the ends
  /// of spokes reach half a step out and the last turn of a spiral half the distance to the turn before.
  extrapolated,
  /// At the convex hull of the samples: the cells add up to the volume of the hull.
  hull,
};

struct VoronoiOptions {
  VoronoiBoundary boundary = VoronoiBoundary::extrapolated;
};

/// Samples that lie nearer to an earlier one than this share one cell, in cycles per pixel. Files that hold positions
/// in float round them by up to 3e-8.
inline constexpr double voronoi_merge_distance = 1e-6;

/// Density weights of any trajectory: the area (2D) or volume (3D) of a sample's Voronoi cell, the part of k-space that
/// lies nearer to it than to any other sample. Samples at one place share the cell equally.
///
/// Each cell is cut out of a box by the planes halfway to its neighbors, from near to far, until the next sample lies
/// beyond twice the cell's reach and can not cut it any more. Cells do not depend on each other: planes that meet in
/// one point, as everywhere in a regular sampling, cost nothing and need no perturbation of the samples. The convex
/// hull of the samples is from Qhull.
///
/// Shapes    points [sample, dim]; result [sample]
/// Units     cycles per pixel, in which distances are measured; the weights are normalized (normalize_weights)
/// Accuracy  volumes to about 1e-9 of themselves
/// Memory    about 200 bytes a sample
/// Progress  in steps of samples
/// Throws    ShapeError, ValueError from check_trajectory; ValueError when the samples lie on a line (2D) or in a plane
///           (3D); Cancelled
/// Source    Rasche, Proksa, Sinkus, Boernert, Eggers, "Resampling of data between arbitrary grids using convolution
///           interpolation", IEEE Trans Med Imaging 18 (1999) 385 (the weights); Rycroft, "Voro++: a three-dimensional
///           Voronoi cell library in C++", Chaos 19 (2009) 041111 (cells one by one)
template <class Real>
Array<Real> voronoi_density(const Context& ctx, ArrayRef<const double> points, const VoronoiOptions& options = {});

}  // namespace whorl
