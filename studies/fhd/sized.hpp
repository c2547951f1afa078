// Kernels whose sizes are chosen by trial: the same search for each, so that two of them can be compared.
#pragma once

#include "studies/fhd/steps.hpp"

namespace whorl::studies::fhd {

template <class Real>
struct SizedKernel {
  std::function<void(const Context&, const Tuning&, const Problem<Real>&, ArrayRef<Real>)> run;
  std::function<std::vector<Tuning>(const Context&)> candidates;
  /// The part of a problem that is timed: its first samples, so many at most, and as many voxels as make these terms.
  Index most_samples;
  Index most_terms;
  std::function<KernelFacts(const Context&, const Tuning&)> facts{};
};

/// The step, run by the kernel with the sizes that are fastest for a part of the problem. Its name is that of the kernel
/// in tables and in the tuner's file. The tuner outlives it.
template <class Real>
Step<Real> tuned(Tuner& tuner, const SizedKernel<Real>& kernel, Step<Real> step);

}  // namespace whorl::studies::fhd
