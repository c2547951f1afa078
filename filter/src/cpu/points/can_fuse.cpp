// The point operations that a CPU's kernels do in their load and store: all programs, because kernels read and write
// whole rows (point_ends.hpp). Two kernels are exceptions:
//
//   median of large windows   none           histograms read the image directly
//   canny                     the load only  it stores bits
#include "filter/src/cpu/ordered/median_tiles.hpp"
#include "filter/src/kernels/points/point_ends.hpp"

namespace whorl::backend::cpu {

namespace {

bool can_fuse(DeviceKind /*device*/, const kernels::FusingKernel& kernel, PointPlace place,
              const kernels::PointCode& /*program*/) {
  switch (kernel.family) {
    case kernels::KernelFamily::median:
      return kernel.side <= 2 * largest_fused_radius + 1;
    case kernels::KernelFamily::canny:
      return place == PointPlace::load;
    default:
      return true;
  }
}

}  // namespace

void register_can_fuse() { kernels::can_fuse.set(DeviceKind::cpu, can_fuse); }

}  // namespace whorl::backend::cpu
