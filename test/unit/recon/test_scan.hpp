// A small phantom scan for tests of the reconstruction.
#pragma once

#include <memory>

#include "support/phantom_scan.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl::test {

struct TestScanOptions {
  Index coils = 4;
  double noise = 0;
  Index spokes = 80;
};

/// Shepp-Logan, matrix 40 x 48, golden-angle spokes of 96 samples.
inline Scan make_test_scan(const Context& ctx, const TestScanOptions& options = {}) {
  auto trajectory = std::make_shared<Trajectory>(radial_trajectory(ctx, options.spokes, 96, SpokeOrder::golden_angle));
  return make_phantom_scan(ctx, std::move(trajectory), {48, 40, 1},
                           {.coils = options.coils, .noise_standard_deviation = options.noise});
}

/// The scan again as one more frame, its data times a factor.
inline void add_frame(const Context& ctx, Scan& scan, FrameIndex index, std::complex<float> factor) {
  const ScanFrame& first = scan.frames.front();
  ScanFrame frame{index, first.trajectory, first.weights, clone(ctx, first.data.ref()), first.geometry};
  for (auto& sample : frame.data.span()) sample *= factor;
  scan.frames.push_back(std::move(frame));
}

}  // namespace whorl::test
