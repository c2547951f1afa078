#include "cli/traj/stack.hpp"

#include "cli/options/choice.hpp"

namespace whorl::cli {

namespace {

const Names<PartitionOrder> partition_orders{{"linear", PartitionOrder::linear}, {"centric", PartitionOrder::centric}};

}  // namespace

void add_stack_options(App& app, StackOptions& options, bool& rotate) {
  app.add_option("--partitions", options.partitions, "Number of partitions (default: the matrix along z)")
      ->check(positive_number());
  add_choice(app, "--kz-order", partition_orders, options.order, "Order of the partitions");
  app.add_flag("--rotate", rotate, "Turn the partitions by golden parts of the angle between neighbors");
}

void make_stack(const Context& ctx, MadeTrajectory& made, StackOptions options, const TrajImage& image) {
  if (options.partitions == 0) options.partitions = image.matrix[2];
  made.trajectory = stack_trajectory(ctx, made.trajectory, options);
  made.gaps.push_back({"neighboring partitions", 1 / static_cast<double>(options.partitions),
                       1 / static_cast<double>(image.matrix[2])});
  made.parameters.emplace_back("partitions", static_cast<std::int64_t>(options.partitions));
  made.parameters.emplace_back("kz_order", name_of(partition_orders, options.order));
  made.parameters.emplace_back("rotation_rad", options.golden_rotation);
}

}  // namespace whorl::cli
