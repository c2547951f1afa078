// What the stacks of `whorl traj` share.
#pragma once

#include "cli/traj/traj.hpp"
#include "whorl/trajectory/stack.hpp"

namespace whorl::cli {

/// Adds --partitions, --kz-order and --rotate.
void add_stack_options(App& app, StackOptions& options, bool& rotate);

/// Stacks the plane that was made. Partitions 0: as many as the image has along z.
void make_stack(const Context& ctx, MadeTrajectory& made, StackOptions options, const TrajImage& image);

}  // namespace whorl::cli
