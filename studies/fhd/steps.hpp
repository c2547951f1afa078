// The steps of the ladders: ways to compute the sums of a problem.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "studies/fhd/problem.hpp"
#include "studies/fhd/tuner.hpp"

namespace whorl::studies::fhd {

template <class Real>
struct Step {
  std::string name;
  /// Fills sums [2, voxel], real and imaginary parts, with everything on the context's device.
  std::function<void(const Context&, const Problem<Real>&, ArrayRef<Real>)> run;
  std::string published{};  ///< figure 7.20: minutes
  /// The most terms, one per sample and voxel; beyond that, it computes a part of the voxels.
  double most_terms = std::numeric_limits<double>::infinity();
  /// Called before the timing; none: nothing to choose.
  std::function<void(const Context&, const Problem<Real>&)> choose{};
};

/// Of a CPU: the chapter's loops in double precision, and what follows in single.
std::vector<Step<double>> double_cpu_steps();
std::vector<Step<float>> single_cpu_steps(Tuner& tuner);
/// The chapter's own CPU rows: a loop over voxels on all threads.
template <class Real>
Step<Real> cpu_baseline();

/// Of a GPU, from the first kernel to the fastest; none where whorl is built without.
std::vector<Step<float>> gpu_steps(const Context& ctx, Tuner& tuner);

}  // namespace whorl::studies::fhd
