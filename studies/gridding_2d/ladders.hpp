// The tables of gridding alone.
#pragma once

#include <span>

#include "studies/gridding_2d/trial.hpp"
#include "studies/ladder.hpp"

namespace whorl::studies::gridding_2d {

/// The library's gridding by the window of the steps.
Step product_step(const Context& ctx, const Scan& scan);

/// The ladder with the library as its last row; errors against the exact window, and against the step's own look-up.
void add_gridding_ladder(Trial& trial, const DeviceLimits& limits, Results& results);
/// One of its steps alone.
void add_gridding_step(Trial& trial, const DeviceLimits& limits, const std::string& name, Results& results);
/// Four ways to divide the work.
Table ways_table(Trial& trial);
/// Every step's time for each of some scans.
Table scans_table(const Context& ctx, std::span<const Scan> scans);
/// The window by an exponential, by tables over the distance, its estimate, and along axes: errors and times.
Table window_table_of(Trial& trial);
/// One thread of the host against the context's device.
Table baseline_table(Trial& trial);

}  // namespace whorl::studies::gridding_2d
