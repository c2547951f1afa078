// Step 1, scatter: the sum as written in a formula. The contribution of each sample is added to every voxel. All sums
// are read and written once per sample: if they do not fit into a cache, memory limits the speed; if they do, the sine
// and cosine of the standard library take nearly all of the time.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "studies/fhd/cpu/kernels.hpp"

namespace whorl::studies::fhd::cpu {

void scatter(const Sums<double>& s) {
  std::fill(s.real, s.real + s.voxels, 0.0);
  std::fill(s.imag, s.imag + s.voxels, 0.0);
  for (Index j = 0; j < s.samples; ++j) {
    const double mu_real = s.phi_real[j] * s.d_real[j] + s.phi_imag[j] * s.d_imag[j];
    const double mu_imag = s.phi_real[j] * s.d_imag[j] - s.phi_imag[j] * s.d_real[j];
    for (Index i = 0; i < s.voxels; ++i) {
      const double angle = 2 * std::numbers::pi * (s.kx[j] * s.x[i] + s.ky[j] * s.y[i] + s.kz[j] * s.z[i]);
      const double cosine = std::cos(angle);
      const double sine = std::sin(angle);
      s.real[i] += mu_real * cosine - mu_imag * sine;
      s.imag[i] += mu_imag * cosine + mu_real * sine;
    }
  }
}

}  // namespace whorl::studies::fhd::cpu
