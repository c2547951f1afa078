// Ladder: the same work by one kernel after the other, each a step of a paper; with times, gains, and rates relative to
// the device's peak.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "studies/cited.hpp"
#include "studies/device_limits.hpp"
#include "studies/results.hpp"

namespace whorl::studies {

struct LadderStep {
  std::string name;
  std::function<void()> run;      ///< does the work once, on the context's device
  std::function<double()> error;  ///< of the last result, against double precision
  double share = 1;               ///< the part of the work that run does, where the whole would take too long
  Cited published{};              ///< the paper's gain or time for it; empty: it gives none
  bool product = false;           ///< the library's own kernel
  std::function<std::vector<Cell>()> measures{};  ///< of the last result, as many as the ladder names; none: nothing
};

struct Ladder {
  std::string name;   ///< of its table and picture
  std::string title;  ///< in words
  std::string error;  ///< what the errors are: "relative l2 error"
  double bytes = 0;   ///< that the whole work has to read and write at least once
  double flops = 0;   ///< that the whole work takes as it is defined, a sine or cosine as one
  std::vector<LadderStep> steps{};
  std::vector<std::string> measures{};  ///< columns beside the error: "SNR dB"
};

struct StepTime {
  double ms = 0;  ///< of the whole work
  double error = 0;
  std::vector<Cell> measures{};
  int runs = 0;
  double spread = 0;  ///< bench::Timing
};

/// The ladder with that step alone. Throws ValueError (it has none of that name).
Ladder one_step(Ladder ladder, const std::string& step);

/// Runs every step until its median time is settled. Throws Cancelled.
std::vector<StepTime> climb(const Context& ctx, const Ladder& ladder);

/// A row for each step: time, gain over the step before and over the first, bytes and flops per second of the work and
/// their part of the limits, error, further measures. Then the number of runs, the spread of their times, published.
Table ladder_table(const Ladder& ladder, const std::vector<StepTime>& times, const DeviceLimits& limits);

/// The times as bars, those of the library in another color.
NamedPicture ladder_picture(Device device, const Ladder& ladder, const std::vector<StepTime>& times);

/// Climbs, and adds the table and the picture to the results.
void add_ladder(const Context& ctx, const Ladder& ladder, const DeviceLimits& limits, Results& results);

}  // namespace whorl::studies
