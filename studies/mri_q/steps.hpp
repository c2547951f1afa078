// The steps of the ladder: ways to compute Q, from the first one to the fastest.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "studies/cited.hpp"
#include "studies/mri_q/problem.hpp"

namespace whorl::studies::mri_q {

/// A way to compute Q: |phi|^2 of the samples first (Parboil's computePhiMag), then the sums (computeQ).
struct QStep {
  std::string name;
  /// Fills q [2, voxel], real parts and imaginary ones. Problem and q lie on the context's device.
  std::function<void(const Context&, const Problem&, ArrayRef<float> q)> run;
  Cited published{};
  double most_terms = 0;  ///< of the sums that are computed at most, so that no step takes long; 0: all
};

/// What a kernel leaves open: the threads of a block, or the vectors that a thread works on at a time.
struct Tuning {
  std::string choice;  ///< what is chosen
  std::vector<int> choices;
  std::function<void(const Context&, const Problem&, ArrayRef<float> q, int choice)> run;
  double most_terms = 0;
};

/// The kernels for a CPU; the last ones work on several vectors at a time.
std::vector<QStep> host_steps(int vectors);
Tuning host_tuning();

/// The steps for a GPU; none where whorl is built without them. `threads` of a block is the number found to be fastest.
std::vector<QStep> gpu_steps(int threads);
Tuning gpu_tuning();

}  // namespace whorl::studies::mri_q
