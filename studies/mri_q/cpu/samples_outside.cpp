// The loops exchanged: a sample's term goes to every voxel before the next sample comes. No iteration of the inner loop
// waits for the sum of the one before, which is what vectors need. Alone it does not pay: the calls of sine and cosine
// remain, and Q is read and written for each term.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "studies/mri_q/cpu/kernels.hpp"

namespace whorl::studies::mri_q {

void samples_outside(const Context& /*ctx*/, const Problem& problem, ArrayRef<float> q) {
  constexpr float two_pi = 2 * std::numbers::pi_v<float>;
  const Pointers in = pointers_of(problem);
  const std::vector<float> phi = phi_magnitudes<float>(in);
  float* const real = q.data();
  float* const imag = real + in.voxels;
  std::fill_n(real, 2 * in.voxels, 0.0F);
  for (Index j = 0; j < in.samples; ++j) {
    const float weight = phi[static_cast<std::size_t>(j)];
    for (Index i = 0; i < in.voxels; ++i) {
      const float angle = two_pi * (in.kx[j] * in.x[i] + in.ky[j] * in.y[i] + in.kz[j] * in.z[i]);
      real[i] += weight * std::cos(angle);
      imag[i] += weight * std::sin(angle);
    }
  }
}

}  // namespace whorl::studies::mri_q
