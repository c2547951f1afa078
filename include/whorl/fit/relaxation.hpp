// Relaxation times from a series of images: T2, T2* and T1, with their error bars.
#pragma once

#include <span>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/fit/fit_options.hpp"

namespace WHORL_PUBLIC whorl {

/// S(t) of a voxel.
enum class RelaxationModel {
  decay,     ///< A exp(-t / T): T2 of spin echoes, T2* of gradient echoes
  recovery,  ///< A (1 - B exp(-t / T)): T1 after an inversion (B near 2) or a saturation (B near 1)
};

/// Maps of the parameters, each with its standard deviation; 0 where a voxel was left out or has no fit.
struct RelaxationMaps {
  Array<float> time;  ///< T, in the unit of the times
  Array<float> time_error;
  Array<float> amplitude;  ///< A
  Array<float> amplitude_error;
  Array<float> inversion;  ///< B; of recovery alone
  Index fitted = 0;
  /// Voxels above the threshold whose values do not determine a time: they do not decay, they change by no more than the rounding
  /// of float over all times, or the fit does not converge.
  Index failed = 0;
};

/// The least squares fit of the model to each voxel by the method of Levenberg and Marquardt in T's rate R = 1/T, with
/// analytic derivatives. A decay starts from the line through log S; a recovery from the best of 40 rates over the range
/// of the times, with A and A B solved for. Magnitudes of a recovery (no value below 0) have lost their sign: the fit is
/// that of the best number of first values with the sign changed.
///
/// The covariance of (A, R, B) is sigma^2 (J^T J)^-1, sigma the given noise or sqrt(rest / (values - parameters)); with errors
/// of the series it is (J^T W J)^-1, W their inverse squares. The standard deviation of T is that of R times T^2. Magnitudes
/// near the noise are not normal: their decay seems slower.
///
/// Shapes    series [time, (z,) y, x], real, on the host or the context's device; maps [(z,) y, x] on the host
/// Device    all voxels at once on the context's device, in double; the maps agree to the rounding of float
/// Progress  a stage "relaxation", one step per voxel, and Cancelled
/// Throws    ShapeError, ValueError (fewer times than parameters + 1, or than parameters if the noise or errors are given;
///           times that are negative, repeated or not finite, values that are not finite, options out of range)
/// Source    Marquardt, J Soc Ind Appl Math 11:431 (1963); polarity: Barral, Gudmundson, Stikov, Etezadi-Amoli, Stoica,
///           Nishimura, Magn Reson Med 64:1057 (2010)
RelaxationMaps fit_relaxation(const Context& ctx, ArrayRef<const float> series, std::span<const double> times,
                              RelaxationModel model, const FitOptions& options = {}, const SeriesErrors& errors = {});

}  // namespace whorl
