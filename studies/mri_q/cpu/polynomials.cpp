// Sine and cosine as polynomials in the loop itself instead of calls: the compiler can compute several voxels at once
// with the vectors of every such processor (four numbers on x86). In turns instead of radians, removing whole turns is
// exact.
#include <algorithm>

#include "studies/mri_q/cpu/kernels.hpp"
#include "studies/mri_q/cpu/turns.hpp"

namespace whorl::studies::mri_q {

void polynomials(const Context& /*ctx*/, const Problem& problem, ArrayRef<float> q) {
  const Pointers in = pointers_of(problem);
  const std::vector<float> phi = phi_magnitudes<float>(in);
  float* const real = q.data();
  float* const imag = real + in.voxels;
  std::fill_n(real, 2 * in.voxels, 0.0F);
  for (Index j = 0; j < in.samples; ++j) {
    const float kx = in.kx[j];
    const float ky = in.ky[j];
    const float kz = in.kz[j];
    const float weight = phi[static_cast<std::size_t>(j)];
#pragma omp simd
    for (Index i = 0; i < in.voxels; ++i) {
      const SineCosine at = of_turns(kx * in.x[i] + ky * in.y[i] + kz * in.z[i]);
      real[i] += weight * at.cosine;
      imag[i] += weight * at.sine;
    }
  }
}

}  // namespace whorl::studies::mri_q
