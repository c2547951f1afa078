// Parboil's loops in single precision: the library's sine and cosine need fewer terms for 24 bits
// than for 53. The price is the angle's precision: for 100 turns or 600 radians the last bit is 6e-5.
#include <cmath>
#include <numbers>

#include "studies/mri_q/cpu/kernels.hpp"

namespace whorl::studies::mri_q {

void single_loops(const Context& /*ctx*/, const Problem& problem, ArrayRef<float> q) {
  constexpr float two_pi = 2 * std::numbers::pi_v<float>;
  const Pointers in = pointers_of(problem);
  const std::vector<float> phi = phi_magnitudes<float>(in);
  float* const real = q.data();
  float* const imag = real + in.voxels;
  for (Index i = 0; i < in.voxels; ++i) {
    float cosines = 0;
    float sines = 0;
    for (Index j = 0; j < in.samples; ++j) {
      const float angle = two_pi * (in.kx[j] * in.x[i] + in.ky[j] * in.y[i] + in.kz[j] * in.z[i]);
      cosines += phi[static_cast<std::size_t>(j)] * std::cos(angle);
      sines += phi[static_cast<std::size_t>(j)] * std::sin(angle);
    }
    real[i] = cosines;
    imag[i] = sines;
  }
}

}  // namespace whorl::studies::mri_q
