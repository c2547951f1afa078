// The times of the samples of a trajectory.
#pragma once

#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// Time of each sample: sample i of every readout is at first_us + i dwell_us. Time 0 is the caller's choice: with the
/// excitation as time 0, first_us of readouts that begin at the center of k-space is the echo time; with the echo as time
/// 0, first_us of readouts through the center is negative.
///
/// Shapes  result [sample]
/// Units   result in seconds
/// Throws  ValueError (a readout length that is unknown or does not divide the number of samples, a dwell time that is
///         not above 0, a first time that is not finite)
Array<double> sample_times(const Context& ctx, const Trajectory& trajectory, double first_us, double dwell_us);

}  // namespace whorl
