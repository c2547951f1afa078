// Private: the noise of a scan's data.
#pragma once

#include <vector>

#include "whorl/scan/scan.hpp"

namespace whorl::doctor {

/// Variance of each coil's noise, by the eighth (or other) differences of samples that follow each other. An object within
/// the field of view changes slowly where a step is short: for steps of half a cycle per field of view the differences
/// hold 2 % of the energy at its edge over that of noise of the same size, and 1e-6 of that in its inner half. Twelfth
/// differences hold 0.15 %. The median over k-space leaves out the center. 0: there are too few such steps.
std::vector<double> noise_of_data(const Scan& scan, const ScanFrame& frame, Index order = 8);

}  // namespace whorl::doctor
