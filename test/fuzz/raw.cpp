// Headerless files: trajectory and one coil, split in the middle.
#include "fuzz_target.hpp"
#include "whorl/io/convert.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace whorl;
  const auto trajectory = fuzz::write("traj.raw", bytes, count / 2);
  const auto coil = fuzz::write("coil.raw", bytes + count / 2, count - count / 2);
  ConvertOptions options;
  options.matrix = {8, 8, 1};
  options.trajectory_columns = TrajectoryColumns::xy;
  fuzz::expect_result_or_error([&](const Context& ctx) { convert_scan(ctx, {trajectory, coil}, options); });
  return 0;
}
