// Private: what a scan's trajectory, weights and data look like on a page.
#pragma once

#include <string>

#include "report/views.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::report {

/// Trajectory, density weights and their point spread of the first frame.
std::string sampling_section(const Context& ctx, const Scan& scan, Views& views);

/// What examine() finds.
std::string findings_section(const Context& ctx, const Scan& scan);

}  // namespace whorl::report
