// The point spread function of a least squares image, and its resolution.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "whorl/recon/least_squares.hpp"

namespace WHORL_PUBLIC whorl {

template <class Real>
struct PointSpread {
  Array<std::complex<Real>> response;  ///< A.domain(), on the host
  std::complex<double> peak;           ///< of the response at the voxel; 1: nothing is lost
  std::complex<double> sum;            ///< of the response: the part of the point's signal that is in the image
  std::vector<double> widths;          ///< full width at half maximum along each axis of the domain, in voxels
  SolverReport report;
};

/// The local point spread function H^-1 (A^H A / s) e of the voxel e: the noise-free image of an object that is 1 there
/// and 0 elsewhere. It varies between voxels with the coils, the sampling density and the penalty.
///
/// A width is that of |response| along an axis through the voxel. The values are interpolated by their trigonometric
/// polynomial, as is right for a band-limited function. The width runs from the largest value within one voxel to the
/// first fall to one half on either side, to 1e-3 voxel. A point that is reproduced exactly has the width of the
/// Dirichlet kernel, 1.207 voxels on long axes. On a side where |response| never falls to half, half of the axis counts.
///
/// Shapes    voxel: an index along each axis of A.domain()
/// Progress  as solve_regularized_normal
/// Throws    ShapeError (no such voxel), and as solve_regularized_normal
template <Precision Real>
WHORL_PUBLIC PointSpread<Real> point_spread(const Context& ctx, const std::string& title,
                                            const RegularizedModel<Real>& model, const LeastSquaresOptions& options,
                                            const std::vector<Index>& voxel);

}  // namespace whorl
