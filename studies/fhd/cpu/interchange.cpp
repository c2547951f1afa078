// Step 3, loop interchange: voxels outside, samples inside. A voxel's sums and position stay in registers, only the
// result is written, and voxels share nothing, so every voxel may have a thread of its own.
//
// Step 4 is the same loop in single precision: half the bytes, and the library's sine and cosine for floats, which need
// a shorter polynomial.
#include <cmath>
#include <numbers>

#include "studies/fhd/cpu/kernels.hpp"

namespace whorl::studies::fhd::cpu {

template <class Real>
void interchange(const Sums<Real>& s, const Mu<Real>& mu, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index i = 0; i < s.voxels; ++i) {
    Real real = 0;
    Real imag = 0;
    for (Index j = 0; j < s.samples; ++j) {
      const Real angle = 2 * std::numbers::pi_v<Real> * (s.kx[j] * s.x[i] + s.ky[j] * s.y[i] + s.kz[j] * s.z[i]);
      const Real cosine = std::cos(angle);
      const Real sine = std::sin(angle);
      real += mu.real[j] * cosine - mu.imag[j] * sine;
      imag += mu.imag[j] * cosine + mu.real[j] * sine;
    }
    s.real[i] = real;
    s.imag[i] = imag;
  }
}

template void interchange(const Sums<float>&, const Mu<float>&, int);
template void interchange(const Sums<double>&, const Mu<double>&, int);

}  // namespace whorl::studies::fhd::cpu
