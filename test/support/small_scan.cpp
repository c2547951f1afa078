#include "support/small_scan.hpp"

#include <cmath>
#include <numbers>

#include "whorl/core/random.hpp"

namespace whorl::test {

Scan make_small_scan(const Context& ctx) {
  constexpr Index spokes = 5;
  constexpr Index readout = 12;
  constexpr Index coils = 3;
  const auto trajectory = std::make_shared<Trajectory>();
  trajectory->points = Array<double>(ctx, {spokes * readout, 2});
  trajectory->readout_length = readout;
  const auto k = trajectory->points.view<2>();
  for (Index spoke = 0; spoke < spokes; ++spoke) {
    const double angle = std::numbers::pi * static_cast<double>(spoke) / spokes;
    for (Index sample = 0; sample < readout; ++sample) {
      const double radius = 0.8 * static_cast<double>(sample) / readout - 0.4;
      k(spoke * readout + sample, 0) = radius * std::cos(angle);
      k(spoke * readout + sample, 1) = radius * std::sin(angle);
    }
  }
  Scan scan;
  scan.source = "small";
  scan.system = "Maker Model";
  scan.matrix = {20, 16, 1};
  scan.coils = coils;
  scan.trajectory_kind = "radial";
  scan.trajectory_unit = "cycles/pixel (made so)";
  scan.dwell_us = 5;
  scan.noise_dwell_us = 5;
  scan.noise = Array<std::complex<float>>(ctx, {coils, 40});
  fill_random_normal<float>(scan.noise, 1);
  for (int slice = 0; slice < 2; ++slice) {
    for (int repetition = 0; repetition < 3; ++repetition) {
      ScanFrame frame;
      frame.index.slice = slice;
      frame.index.repetition = repetition;
      frame.trajectory = trajectory;
      frame.data = Array<std::complex<float>>(ctx, {coils, spokes * readout});
      fill_random_normal<float>(frame.data,
                                10 * static_cast<std::uint64_t>(slice) + static_cast<std::uint64_t>(repetition) + 2);
      frame.geometry.field_of_view_mm = {200, 160, 4};
      frame.geometry.position_mm = {1, 2, 6.0 * slice};
      scan.frames.push_back(std::move(frame));
    }
  }
  return scan;
}

}  // namespace whorl::test
