// One tile of voxels at a time: their positions and Q, 20 KB, stay in the first-level cache for all
// samples. The step before reads and writes all of Q for each sample. It pays if the loop waits for memory.
#include <algorithm>

#include "studies/mri_q/cpu/kernels.hpp"
#include "studies/mri_q/cpu/turns.hpp"

namespace whorl::studies::mri_q {

void tiles_of_voxels(const Context& /*ctx*/, const Problem& problem, ArrayRef<float> q) {
  constexpr Index tile = 1024;
  const Pointers in = pointers_of(problem);
  const std::vector<float> phi = phi_magnitudes<float>(in);
  float* const real = q.data();
  float* const imag = real + in.voxels;
  std::fill_n(real, 2 * in.voxels, 0.0F);
  for (Index first = 0; first < in.voxels; first += tile) {
    const Index end = std::min(first + tile, in.voxels);
    for (Index j = 0; j < in.samples; ++j) {
      const float kx = in.kx[j];
      const float ky = in.ky[j];
      const float kz = in.kz[j];
      const float weight = phi[static_cast<std::size_t>(j)];
#pragma omp simd
      for (Index i = first; i < end; ++i) {
        const SineCosine at = of_turns(kx * in.x[i] + ky * in.y[i] + kz * in.z[i]);
        real[i] += weight * at.cosine;
        imag[i] += weight * at.sine;
      }
    }
  }
}

}  // namespace whorl::studies::mri_q
