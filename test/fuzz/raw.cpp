// Headerless files: trajectory and one coil, split in the middle.
#include "fuzz_target.hpp"
#include "io/convert/layouts.hpp"
#include "io/scans/scan_arrays.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace whorl;
  const auto trajectory = fuzz::write("traj.raw", bytes, count / 2);
  const auto coil = fuzz::write("coil.raw", bytes + count / 2, count - count / 2);
  ConvertOptions options;
  options.trajectory_columns = TrajectoryColumns::xy;
  fuzz::expect_result_or_error([&](const Context& ctx) {
    Scan scan;
    scan.matrix = {8, 8, 1};
    io::TrajectorySet trajectories;
    io::convert_raw(ctx, {trajectory, coil}, options, scan, trajectories);
    trajectories.finish(ctx, scan, {{scan.matrix, {}}, {1, 1, 1}, {}, options.trajectory_unit});
    io::check_scan(ctx, scan, "fuzz");
  });
  return 0;
}
