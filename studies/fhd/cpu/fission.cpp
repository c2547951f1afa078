// Step 2, loop fission: Mu in a loop of its own, before the loops over samples and voxels. It saves nothing yet, but
// now these two loops are nested with nothing between them and can be interchanged.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "studies/fhd/cpu/kernels.hpp"

namespace whorl::studies::fhd::cpu {

template <class Real>
void compute_mu(const Sums<Real>& s, const Mu<Real>& mu) {
  for (Index j = 0; j < s.samples; ++j) {
    mu.real[j] = s.phi_real[j] * s.d_real[j] + s.phi_imag[j] * s.d_imag[j];
    mu.imag[j] = s.phi_real[j] * s.d_imag[j] - s.phi_imag[j] * s.d_real[j];
  }
}

void scatter_mu(const Sums<double>& s, const Mu<double>& mu) {
  std::fill(s.real, s.real + s.voxels, 0.0);
  std::fill(s.imag, s.imag + s.voxels, 0.0);
  for (Index j = 0; j < s.samples; ++j) {
    for (Index i = 0; i < s.voxels; ++i) {
      const double angle = 2 * std::numbers::pi * (s.kx[j] * s.x[i] + s.ky[j] * s.y[i] + s.kz[j] * s.z[i]);
      const double cosine = std::cos(angle);
      const double sine = std::sin(angle);
      s.real[i] += mu.real[j] * cosine - mu.imag[j] * sine;
      s.imag[i] += mu.imag[j] * cosine + mu.real[j] * sine;
    }
  }
}

template void compute_mu(const Sums<float>&, const Mu<float>&);
template void compute_mu(const Sums<double>&, const Mu<double>&);

}  // namespace whorl::studies::fhd::cpu
