// The times of a scan's samples.
#pragma once

#include <optional>

#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Time between samples, and of the first sample of each readout.
struct ReadoutTiming {
  double dwell_us = 0;
  double start_us = 0;
};

/// The times that are given, else those of the scan. With another dwell time than the scan's, the same sample keeps time
/// 0.
///
/// Throws  ValueError (a dwell time that neither says, a scan whose readouts have different times unless both are given,
///         times that are not finite, a dwell time that is not above 0)
ReadoutTiming readout_timing(const Scan& scan, std::optional<double> dwell_us = {},
                             std::optional<double> start_us = {});

}  // namespace whorl
