// Jobs on parts of a device, one after the other.
#pragma once

#include <vector>

#include "studies/energy/jobs.hpp"
#include "studies/power/meter.hpp"
#include "studies/results.hpp"

namespace whorl::studies::energy {

/// A job on a part.
struct Row {
  std::size_t job = 0;
  int units = 0;
  double error = 0;
  Usage usage{};
};

struct Measured {
  std::vector<int> units;  ///< of the parts, the largest first
  std::vector<Row> rows;   ///< by jobs, then by parts
  Table parts;             ///< what was asked for and given
};

/// Runs all jobs on all parts. Throws Cancelled, what part_of throws
Measured measure(const Context& ctx, const std::vector<Job>& jobs, const JouleCounter& joules, double seconds);

/// Time, power and energy of each job on each part; `idle`: watts of the device without work.
Table usage_table(const Context& ctx, const std::vector<Job>& jobs, const Measured& measured, double idle);

/// How much longer each job takes on each part than on the whole device, and for a GPU the gain from 2 to 16 multiprocessors, which
/// the paper has for its gridding.
Table scaling_table(const Context& ctx, const std::vector<Job>& jobs, const Measured& measured);

}  // namespace whorl::studies::energy
