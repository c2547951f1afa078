#include "cli/traj/stack.hpp"

#include "cli/options/table_options.hpp"
#include "whorl/trajectory/option_tables.hpp"

namespace whorl::cli {

void add_stack_options(App& app, StackOptions& options, bool& rotate) {
  add_options(app, options);
  app.add_flag("--rotate", rotate, "Turn the partitions by golden parts of the angle between neighbors");
}

void make_stack(const Context& ctx, MadeTrajectory& made, StackOptions options, const TrajImage& image) {
  if (options.partitions == 0) options.partitions = image.matrix[2];
  made.trajectory = stack_trajectory(ctx, made.trajectory, options);
  made.played.clear();  // kz has gradients of its own, before the readout
  made.gaps.push_back({"neighboring partitions", 1 / static_cast<double>(options.partitions),
                       1 / static_cast<double>(image.matrix[2])});
  append(made.parameters, parameters_of(options));
  made.parameters.emplace_back("rotation_rad", options.golden_rotation);
}

}  // namespace whorl::cli
