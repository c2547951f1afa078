// A scan of the head phantom along one trajectory.
#pragma once

#include <array>
#include <memory>

#include "whorl/phantom/phantom_scan.hpp"
#include "whorl/phantom/shepp_logan.hpp"

namespace whorl::test {

/// A scan without data: one frame along the trajectory.
inline Scan make_trajectory_scan(std::shared_ptr<const Trajectory> trajectory, const std::array<Index, 3>& matrix) {
  Scan scan;
  scan.matrix = matrix;
  scan.trajectory_kind = "other";
  scan.trajectory_unit = "cycles per pixel";
  scan.frames.emplace_back().trajectory = std::move(trajectory);
  return scan;
}

/// The modified Shepp-Logan phantom along it.
inline Scan make_phantom_scan(const Context& ctx, std::shared_ptr<const Trajectory> trajectory,
                              const std::array<Index, 3>& matrix, const PhantomScanOptions& options) {
  return phantom_scan(ctx, shepp_logan(matrix[2] > 1 ? 3 : 2, PhantomContrast::modified),
                      make_trajectory_scan(std::move(trajectory), matrix), options);
}

}  // namespace whorl::test
