// Error bars that a reconstruction makes, and their options.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "whorl/core/shape.hpp"

namespace WHORL_PUBLIC whorl {

enum class StandardDeviationMethod {
  replica,  ///< images of simulated noise: one solve each; never negative; the same relative error in every voxel
  probe,    ///< products of the covariance with random signs: two solves each; exact if voxels share no noise
};

struct StandardDeviationOptions {
  StandardDeviationMethod method = StandardDeviationMethod::replica;
  int count = 16;   ///< replicas or probes
  Index batch = 8;  ///< largest number solved together; each takes the memory of about six images
  std::uint64_t seed = 1;
  int iterations = 500;     ///< of conjugate gradient, at most
  double tolerance = 1e-6;  ///< of its relative residual
};

struct ErrorBarOptions {
  bool standard_deviation = false;
  bool g_factor = false;
  bool bias = false;
  bool truth_bar = false;                      ///< how far the truth may lie, with 68 % (truth_error.hpp)
  bool truth_bound = false;                    ///< with 95 %, also where the penalty does not know of a region
  double unseen_radius = 1.5;                  ///< of such a region, in voxels
  std::vector<std::array<Index, 3>> points{};  ///< x, y, z of the voxels for point spread functions
  /// Options of the standard deviation, and of the error bars of the truth, which are by replicas. Bias and point spread functions
  /// use its iterations and tolerance.
  StandardDeviationOptions noise{};

  bool of_noise() const { return standard_deviation || g_factor; }
  bool of_truth() const { return truth_bar || truth_bound; }
  bool any() const { return of_noise() || of_truth() || bias || !points.empty(); }
};

}  // namespace whorl
