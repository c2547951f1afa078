// A small made-up scan for tests of what reads, writes and describes scans.
#pragma once

#include "whorl/scan/scan.hpp"

namespace whorl::test {

/// 2D radial: matrix 20 x 16, 3 coils, 5 spokes of 12 samples, slices 0 and 1 and repetitions 0 to 2, all frames on one
/// trajectory with largest |kx| = 0.4 and |ky| below; noise scan of 40 samples. Random data.
Scan make_small_scan(const Context& ctx);

}  // namespace whorl::test
