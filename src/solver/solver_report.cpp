#include "whorl/solver/solver_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace whorl {

std::string to_string(StopReason reason) {
  switch (reason) {
    case StopReason::tolerance:
      return "reached the tolerance";
    case StopReason::iterations:
      return "reached the limit of iterations";
    case StopReason::breakdown:
      return "stopped where rounding errors dominate";
    case StopReason::change:
      return "an iteration changed little";
    case StopReason::callback:
      return "stopped by the caller";
    case StopReason::error:
      return "the remaining error is small beside the noise";
  }
  return "unknown";
}

bool all_ended(std::span<const SolverReport> reports) {
  return std::ranges::none_of(reports, [](const SolverReport& report) {
    return report.stop_reason == StopReason::iterations || report.stop_reason == StopReason::breakdown;
  });
}

std::string describe_ends(std::span<const SolverReport> reports) {
  std::string ends;
  for (const StopReason reason : {StopReason::iterations, StopReason::breakdown, StopReason::callback,
                                  StopReason::change, StopReason::error, StopReason::tolerance}) {
    const auto count = std::count_if(reports.begin(), reports.end(),
                                     [&](const SolverReport& report) { return report.stop_reason == reason; });
    if (count == 0) continue;
    if (count == std::ssize(reports)) return to_string(reason);
    ends += fmt::format("{}{} of {}: {}", ends.empty() ? "" : ", ", count, reports.size(), to_string(reason));
  }
  return ends;
}

}  // namespace whorl
