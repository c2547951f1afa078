// Gradient delays of radial scans, from the data.
#pragma once

#include <complex>
#include <span>

#include "whorl/core/shape.hpp"
#include "whorl/correct/delay_estimate.hpp"

namespace WHORL_PUBLIC whorl {

/// The delays with which the data near the center of k-space are samples of one smooth function. Spokes of different
/// directions sample that center many times; with wrong delays they contradict each other, as in RING, where pairs of
/// spokes must agree at their intersections.
///
/// For given delays the data within 1.5 cycles per field of view are fitted by a polynomial of degree 6 in k for each coil.
/// Its coefficients are limited as those of an object in the field of view are (the Taylor series of its k-space).
/// The delays that leave the least are found by Gauss-Newton steps with the coefficients eliminated (variable
/// projection), from the places of the largest energy along the spokes on. This also works in 3D, where shifted spokes no
/// longer meet. Axes along which no spoke has a component have the delay 0.
///
/// For readouts that are not spokes (spirals) x, y and z are delays in time. An object within the field of view is fitted to
/// most samples near the center of k-space, and the delays are those with which it predicts the other samples best.
///
/// Each estimate is checked. Estimates from three quarters of the readouts (without every fourth, in four ways), or of
/// several frames, must agree: their scatter is part of the standard error. An image of the field of view that is fitted to
/// some readouts must predict the others better with the delays than without. `doubt` says what does not hold: an error
/// above 0.1 samples (0.25 of readouts that are no spokes), delays above 3 samples, which no test covers, or data that fit
/// worse.
///
/// Shapes    data [coil, sample] on the host; image [(z,) y, x]
/// Accuracy  below 0.01 samples at an SNR of 20 for spokes with 2 samples per cycle of the field of view, from 9 spokes on
///           (test/unit/calib/test_estimate_delays.cpp). Without oversampling there are a third of the samples: some 40
///           spokes are needed
/// Throws    ShapeError, ValueError (readouts of unknown or unequal length; data that are 0; data that do not
///           determine the delays: too few samples near the center, no convergence, an error above 0.1 samples by the fit
///           alone), Cancelled
/// Source    Rosenzweig, Holme, Uecker, "Simple auto-calibrated gradient delay estimation from few spokes using Radial
///           Intersections (RING)", Magn Reson Med 81:1898 (2019): the model of the shift; Golub, Pereyra, SIAM J Numer Anal
///           10:413 (1973): variable projection
DelayEstimate estimate_delays(const Context& ctx, const Trajectory& trajectory,
                              ArrayRef<const std::complex<float>> data, const Shape& image);

/// Delays of a scan whose frames have the same gradients: the mean of the frames' own. Throws likewise.
DelayEstimate estimate_delays(const Context& ctx, std::span<const DelayFrame> frames, const Shape& image);

}  // namespace whorl
