#include "whorl/trajectory/sample_times.hpp"

#include <fmt/format.h>

#include <cmath>

namespace whorl {

Array<double> sample_times(const Context& ctx, const Trajectory& trajectory, double first_us, double dwell_us) {
  if (!(dwell_us > 0 && std::isfinite(dwell_us)) || !std::isfinite(first_us)) {
    throw ValueError(
        fmt::format("sample times: first sample at {} us, dwell time {} us; expected a finite number, and one above 0",
                    first_us, dwell_us));
  }
  const Index length = trajectory.readout_length;
  if (length < 1 || trajectory.samples() % length != 0) {
    throw ValueError(fmt::format("sample times: {} samples in readouts of {}; expected whole readouts of known length",
                                 trajectory.samples(), length));
  }
  Array<double> times(ctx.host(), {trajectory.samples()});
  for (Index j = 0; j < times.size(); ++j) {
    times.data()[j] = 1e-6 * (first_us + static_cast<double>(j % length) * dwell_us);
  }
  return times;
}

}  // namespace whorl
