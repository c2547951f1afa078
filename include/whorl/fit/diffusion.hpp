// Diffusion from a series of images: the apparent coefficient and the tensor, with their error bars.
#pragma once

#include <array>
#include <span>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/fit/fit_options.hpp"

namespace WHORL_PUBLIC whorl {

/// Maps of the mean diffusion; 0 where a voxel was left out or has no fit.
struct DiffusionMaps {
  Array<float> diffusivity;  ///< mm^2/s
  Array<float> diffusivity_error;
  Array<float> amplitude;  ///< S at b = 0
  Array<float> amplitude_error;
  Index fitted = 0;
  Index failed = 0;  ///< voxels above the threshold whose values do not determine a decay
};

/// S = S0 exp(-b D) in each voxel, as fit_relaxation fits a decay.
///
/// Shapes    series [image, (z,) y, x], real, on the host or the context's device; maps [(z,) y, x] on the host
/// Units     b in s/mm^2, D in mm^2/s
/// Progress  a stage "diffusion", one step per voxel, and Cancelled
/// Throws    ShapeError, ValueError (fewer images than parameters + 1, or than parameters if the noise or errors are given;
///           b values that are negative, not finite or all equal, values that are not finite, options out of range)
/// Source    Le Bihan, Breton, Lallemand, Grenier, Cabanis, Laval-Jeantet, Radiology 161:401 (1986)
DiffusionMaps fit_diffusion(const Context& ctx, ArrayRef<const float> series, std::span<const double> b_values,
                            const FitOptions& options = {}, const SeriesErrors& errors = {});

struct TensorMaps {
  DiffusionMaps mean;       ///< MD, a third of the trace, and S0
  Array<float> anisotropy;  ///< FA
  Array<float> anisotropy_error;
  Array<float> eigenvalues;   ///< [3, (z,) y, x] in mm^2/s, the largest first
  Array<float> eigenvectors;  ///< [3 eigenvectors, 3 axes x y z, (z,) y, x]; their signs mean nothing
  Array<float> tensor;        ///< [6, (z,) y, x]: xx, yy, zz, xy, xz, yz in mm^2/s
};

/// S = S0 exp(-b g^T D g) in each voxel, with a symmetric D. The fit of log S with the weights S^2 is the start of the
/// nonlinear fit by Levenberg and Marquardt, whose covariance gives the errors of MD and FA to first order. Eigenvalues below
/// 0 are kept. Where FA is not well above its error, noise raises it: of an isotropic voxel it is positive too.
///
/// Shapes    series [image, (z,) y, x], real, on the host or the context's device; directions: a unit vector x, y, z for each
///           image, along the axes of the image, any where b is 0; maps on the host
/// Units     b in s/mm^2, D in mm^2/s
/// Progress  a stage "diffusion tensor", one step per voxel, and Cancelled
/// Throws    as fit_diffusion, and ValueError: directions that are no unit vectors to 1 %, b and directions that do not
///           determine a tensor (fewer than six directions, or directions on a cone)
/// Source    Basser, Mattiello, Le Bihan, J Magn Reson B 103:247 (1994); FA: Basser, Pierpaoli, J Magn Reson B 111:209
///           (1996); weights: Salvador et al, Hum Brain Mapp 24:144 (2005); errors: Koay, Chang, Pierpaoli, Basser, IEEE Trans
///           Med Imaging 26:1017 (2007)
TensorMaps fit_diffusion_tensor(const Context& ctx, ArrayRef<const float> series, std::span<const double> b_values,
                                std::span<const std::array<double, 3>> directions, const FitOptions& options = {},
                                const SeriesErrors& errors = {});

}  // namespace whorl
