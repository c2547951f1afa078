// The report's profile of three filters, read as the same report reads those of its other two programs.
#pragma once

#include "studies/results.hpp"

namespace whorl::studies::image_filters {

/// Shares of the time in percent: the profiler's own two functions, and the filter's function without what it calls, which the other
/// two programs were judged by. The largest gain that Amdahl's law gives for the latter alone, and the library's gain over the
/// first version, from the rows of the summary.
Table profile_table(const Table& summary);

}  // namespace whorl::studies::image_filters
