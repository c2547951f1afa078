// What the kernel of the widest vectors works on.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "studies/mri_q/cpu/kernels.hpp"

namespace whorl::studies::mri_q {

/// Numbers of the widest vector.
inline constexpr std::size_t widest = 16;

/// 2 k, so that k.r is in half turns, and |phi|^2.
struct VectorSample {
  float kx, ky, kz, phi;
};
std::vector<VectorSample> vector_samples(const Pointers& in);

/// The voxels from `first` to before `end`.
struct VectorJob {
  const VectorSample* sample;
  Index samples;
  std::array<const float*, 3> places;
  float *real, *imag;
  Index first, end;
};

/// Computes Q of the job's voxels, several vectors at a time.
void sum_vectors(const VectorJob& job, int vectors);

}  // namespace whorl::studies::mri_q
