// The steps of the ladders: ways to compute the sums of a problem.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "studies/cited.hpp"
#include "studies/fhd/problem.hpp"
#include "studies/fhd/tuner.hpp"

namespace whorl::studies::fhd {

/// What a kernel of a GPU takes, from the compiler and from the occupancy calculator of CUDA.
struct KernelFacts {
  double registers = 0;  ///< of a thread
  double occupancy = 0;  ///< part of a multiprocessor's threads that can be resident
};

template <class Real>
struct Step {
  std::string name;
  /// Fills sums [2, voxel], real and imaginary parts, with everything on the context's device.
  std::function<void(const Context&, const Problem<Real>&, ArrayRef<Real>)> run{};
  Cited published{};  ///< figure 7.20: minutes
  /// The most terms, one per sample and voxel; beyond that, it computes a part of the voxels.
  double most_terms = std::numeric_limits<double>::infinity();
  /// Called before the timing; none: nothing to choose.
  std::function<void(const Context&, const Problem<Real>&)> choose{};
  /// For a GPU: accesses to global memory for a term, as the chapter counts them for its steps (14, 7, 2; figures 7.10,
  /// 7.11, 7.16); 0: not counted.
  double accesses = 0;
  std::function<KernelFacts(const Context&)> facts{};
};

/// The kernel of which both ways to search are shown.
inline constexpr const char* tuned_kernel = "sizes tuned together";

/// Steps of a CPU: the chapter's loops in double precision, and what follows in single.
std::vector<Step<double>> double_cpu_steps();
std::vector<Step<float>> single_cpu_steps(Tuner& tuner);
/// A loop over voxels on all threads, one number at a time.
template <class Real>
Step<Real> cpu_baseline(Tuner& tuner);
/// The chapter's own CPU rows (section 7.4): vectors, an unrolled loop, samples tiled for a cache, fast sine and cosine, all
/// threads.
template <class Real>
Step<Real> cpu_chapter_step(Tuner& tuner);

/// The step that a part of the voxels can be given to, for the work of several devices: the fastest of the chapter's.
Step<float> shared_cpu_step();
Step<float> shared_gpu_step();

/// Steps of a GPU, from the first kernel to the fastest; none where whorl is built without.
std::vector<Step<float>> gpu_steps(const Context& ctx, Tuner& tuner);

}  // namespace whorl::studies::fhd
