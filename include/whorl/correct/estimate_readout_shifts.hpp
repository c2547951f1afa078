// Shifts of k-space that differ from readout to readout, from the data.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "whorl/core/shape.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

struct ReadoutShifts {
  std::vector<std::array<double, 3>>
      shifts;                   ///< of each readout, cycles per field of view along x, y, z; their mean is 0
  double largest = 0;           ///< length of the largest
  double standard_error = 0;    ///< the largest of the shifts' along an axis
  double before = 0;            ///< |y - fit| / |y| of the samples, without shifts
  double after = 0;             ///< and with them
  bool is_significant = false;  ///< whether they are more than noise would make them
  bool is_borne_out = false;  ///< whether readouts that are left out are predicted better with the shifts than without
  Index samples = 0;          ///< that were used, near the center of k-space
};

/// Estimates the center of k-space in each readout (interleaf, spoke), which earlier gradients shift, by
/// the data alone: samples that several readouts take near the center of k-space contradict each other unless each of
/// them is at its place. A shift that all readouts share is a phase of the image, so the mean is 0 here
/// (k_space_center finds it).
///
/// The shifts are fitted together with an image of the field of view for each of up to three virtual coils. The samples
/// within 6 cycles per field of view (3D: 2) count; Gauss-Newton steps have the image eliminated. The shifts are significant
/// where their square, in units of their covariance, is above what noise gives them by five of its standard deviations.
///
/// Shapes    data [coil, sample] on the host; image [(z,) y, x]
/// Accuracy  shifts of up to 0.3 cycles along each axis are found within 5 standard errors
///           (test/unit/calib/test_estimate_readout_shifts.cpp)
/// Throws    ShapeError, ValueError (readouts of unknown length, fewer than two or more than 1000; data that are 0; too few
///           samples near the center; no convergence; a standard error above 0.1 cycles), Cancelled
/// Source    Golub, Pereyra, SIAM J Numer Anal 10:413 (1973): variable projection; Kaufman, BIT 15:49 (1975): its
///           Jacobian
ReadoutShifts estimate_readout_shifts(const Context& ctx, const Trajectory& trajectory,
                                      ArrayRef<const std::complex<float>> data, const Shape& image);

}  // namespace whorl
