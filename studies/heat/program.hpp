// The team's program as far as its profile tells it: a line from -15 to 15, all levels of which are kept, and a plot of them.
#pragma once

#include "studies/results.hpp"

namespace whorl::studies::heat {

/// Seconds of the steps and of the plot, a file with a line of text for each number, and their shares; the published shares
/// without the profiler's own functions beside them. The points times the steps are the profile's calls of the heat function,
/// to a hundredth; how many of each there were it does not say. The last column has the error of the last level against the
/// solution of the differences, a sine: a rounding for each step.
Table program_table();

}  // namespace whorl::studies::heat
