// The times of the samples of a trajectory.
#pragma once

#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// Time of each sample after the excitation: sample i of every readout is at first_us + i dwell_us. For readouts that
/// begin at the center of k-space, first_us is the echo time.
///
/// Shapes  result [sample]
/// Units   result in seconds
/// Throws  ValueError (a readout length that is unknown or does not divide the number of samples, a dwell time that is
///         not above 0, a negative first time)
Array<double> sample_times(const Context& ctx, const Trajectory& trajectory, double first_us, double dwell_us);

}  // namespace whorl
