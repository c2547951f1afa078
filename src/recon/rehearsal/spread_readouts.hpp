// Fewer readouts of a trajectory, spread as all of them are.
#pragma once

#include <vector>

#include "whorl/trajectory/trajectory.hpp"

namespace whorl::recon {

/// Which samples are left where only some readouts of a trajectory are kept, about the `part` of all, but at least one: one of each group of
/// readouts that lie near each other, so that dense regions stay denser than others, whatever the order in which they were
/// measured. Readouts through the center count as the same line in either direction. Samples of an unknown readout length are
/// readouts of their own. `samples` are the numbers of the samples that count, in their order; the result are places in this list.
///
/// Shapes  points of the trajectory on the host
std::vector<Index> spread_readouts(const Trajectory& trajectory, const std::vector<Index>& samples, double part);

}  // namespace whorl::recon
