#include "whorl/scan/readout_times.hpp"

#include <fmt/format.h>

#include <cmath>

#include "whorl/core/error.hpp"

namespace whorl {

ReadoutTiming readout_timing(const Scan& scan, std::optional<double> dwell_us, std::optional<double> start_us) {
  const std::string name = scan.source.empty() ? "the scan" : scan.source;
  if (std::isnan(scan.readout_start_us) && !(dwell_us && start_us)) {
    throw ValueError(fmt::format(
        "sample times: the readouts of {} have different sample times or center samples; give the time between samples "
        "and that of a readout's first sample",
        name));
  }
  ReadoutTiming timing{dwell_us.value_or(scan.dwell_us), start_us.value_or(scan.readout_start_us)};
  // The scan's start is a number of samples.
  if (dwell_us && !start_us && scan.dwell_us > 0) timing.start_us *= *dwell_us / scan.dwell_us;
  if (timing.dwell_us == 0) {
    throw ValueError(
        fmt::format("sample times: {} does not say the time between its samples; give the dwell time", name));
  }
  if (!(timing.dwell_us > 0 && std::isfinite(timing.dwell_us) && std::isfinite(timing.start_us))) {
    throw ValueError(
        fmt::format("sample times: a sample every {} us from {} us on; expected finite numbers, the first "
                    "above 0",
                    timing.dwell_us, timing.start_us));
  }
  return timing;
}

}  // namespace whorl
