// The measured object: a blurred head with exact k-space and exact image.
#pragma once

#include <complex>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/phantom/phantom.hpp"

namespace whorl::studies::quantitative_mri {

/// The brain phantom in 0.85 of the field of view, so that nothing of it lies outside, convolved with a Gaussian of a
/// width (FWHM) in voxels: its k-space is that of the phantom times exp(-pi^2 FWHM^2 |k|^2 / (4 ln 2)), k in cycles per
/// voxel. 284,592 samples are a seventh of 128^3 voxels, so that sharp edges are out of reach of any reconstruction
/// from them; at FWHM 4 less than 1e-3 of the energy lies beyond the edge of the scan.
class Object {
 public:
  /// fwhm 0: not blurred.
  explicit Object(double fwhm);

  /// Exact k-space [sample] at points [sample, 3] for an image of size^3 voxels.
  Array<std::complex<double>> samples(const Context& ctx, Index size, ArrayRef<const double> points) const;

  /// The true image [z, y, x]: the object at the centers of the voxels, which its k-space on the Cartesian grid gives
  /// without error but for what the blur leaves beyond |k| = 1/2; sharp edges: its mean over each voxel.
  Array<std::complex<double>> image(const Context& ctx, Index size) const;

  /// Another contrast of the same head, [z, y, x]: equal proton density, weighted by T2* with an echo time of 30 ms, as
  /// sharp as the object. It is the reference of the anatomical prior.
  Array<float> reference(const Context& ctx, Index size) const;

 private:
  double blur(double kx, double ky, double kz) const;

  double fwhm_;
  Phantom phantom_;
};

}  // namespace whorl::studies::quantitative_mri
