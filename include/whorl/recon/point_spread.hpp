// The image of a point, and its resolution.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "whorl/recon/least_squares.hpp"

namespace whorl {

template <class Real>
struct PointSpread {
  Array<std::complex<Real>> response;  ///< A.domain(), on the host
  std::complex<double> peak;           ///< of the response at the voxel: 1 where nothing is lost
  std::complex<double> sum;            ///< of the response: how much of the point's signal is in the image
  std::vector<double> widths;          ///< full width at half maximum along each axis of the domain, in voxels
  SolverReport report;
};

/// The local point-spread function H^-1 (A^H A / s) e of the voxel e: the noise-free image of an object that is 1 there
/// and 0 elsewhere. It differs from voxel to voxel where coils, density of sampling or penalty do.
///
/// A width is that of |response| on the line through the voxel along the axis, interpolated by the trigonometric
/// polynomial through its values, as the samples of a band-limited function ask for: from the largest value within one
/// voxel to where it first falls to half on either side, to 1e-3 voxel. A point that is reproduced exactly has the
/// width of the Dirichlet kernel, 1.207 voxels on long axes. Where it never falls
/// to half on one side, half of the axis counts there.
///
/// Shapes    voxel: an index along each axis of A.domain()
/// Progress  as solve_regularized_normal
/// Throws    ShapeError (no such voxel), and as solve_regularized_normal
template <class Real>
PointSpread<Real> point_spread(const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
                               const LeastSquaresOptions& options, const std::vector<Index>& voxel);

}  // namespace whorl
