#include "cli/recon/print_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cli/output/format.hpp"
#include "cli/output/print.hpp"

namespace whorl::cli {

namespace {

std::string size(Index bytes) { return format_bytes(static_cast<std::uint64_t>(bytes)); }

std::string passes(const ReconPlan& plan) {
  std::string text = fmt::format("frames: {}, trajectories: {}, {}: {} of at most {} frames, coils at a time: {}\n",
                                 plan.frames, plan.trajectories, plan.iterations > 0 ? "solves" : "passes", plan.solves,
                                 plan.frames_at_once, plan.coils_at_once);
  if (plan.iterations > 0) {
    text += fmt::format("At most {} iterations of each frame; A^H A is {}.\n", plan.iterations,
                        plan.convolution ? "a convolution" : "a pair of transforms");
  }
  return text;
}

}  // namespace

void print_plan(const Context& device, const JobPlan& found) {
  const ReconPlan& plan = found.plan;
  const Index read = found.reading_bytes;
  std::string text =
      fmt::format("memory on {}: {} of {}{}\n", to_string(device.device()), size(std::max(plan.bytes, read)),
                  size(plan.limit), plan.bytes > plan.limit ? ": too much, recon would be refused" : "");
  if (read > plan.bytes) text += fmt::format("  {:<40} {:>12}\n", "reading", size(read));
  for (const auto& [stage, bytes] : plan.stage_bytes) text += fmt::format("  {:<40} {:>12}\n", stage, size(bytes));
  for (const auto& [what, bytes] : plan.spilled) text += fmt::format("  spilled: {:<31} {:>12}\n", what, size(bytes));
  text += passes(plan);
  print(text);
}

}  // namespace whorl::cli
