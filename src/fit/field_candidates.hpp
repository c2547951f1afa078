// The fields that may explain a voxel of water and fat.
#pragma once

#include <array>
#include <complex>
#include <span>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace whorl {

inline constexpr std::size_t most_candidates = 8;

struct FieldCandidate {
  float field = 0;  ///< Hz
  float rate = 0;   ///< R2* in 1/s
  float left = 0;   ///< J / E: the part of the energy that water and fat leave
};

/// Candidates of a voxel, the best first.
struct VoxelCandidates {
  std::array<FieldCandidate, most_candidates> list{};
  int count = 0;  ///< 0: not in the mask
  float energy = 0;
};

/// Minima over f of what the model leaves, with the best of several R2* (whorl/fit/water_fat.hpp, step 1). The energy that a
/// pair of basis functions explains is a sum over pairs of echoes of c_mn exp(2 pi i f (t_n - t_m)); pairs with equal spacing
/// share a term.
///
/// echoes [echo, voxel] on the host; fat [echo]: the signal of fat for F = 1 without decay; mask [voxel]
std::vector<VoxelCandidates> field_candidates(const Context& ctx, ArrayRef<const std::complex<float>> echoes,
                                              std::span<const double> times,
                                              const std::vector<std::complex<double>>& fat,
                                              const std::vector<char>& mask, double range);

}  // namespace whorl
