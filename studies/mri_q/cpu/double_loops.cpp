// The sums as they are written down: for each voxel a loop over the samples, in double precision, on one thread. A sine
// and a cosine of the standard library for each term take nearly all of the time; all later steps reduce this.
#include <cmath>
#include <numbers>

#include "studies/mri_q/cpu/kernels.hpp"

namespace whorl::studies::mri_q {

void double_loops(const Context& /*ctx*/, const Problem& problem, ArrayRef<float> q) {
  const Pointers in = pointers_of(problem);
  const std::vector<double> phi = phi_magnitudes<double>(in);
  float* const real = q.data();
  float* const imag = real + in.voxels;
  for (Index i = 0; i < in.voxels; ++i) {
    double cosines = 0;
    double sines = 0;
    for (Index j = 0; j < in.samples; ++j) {
      const double turns = double{in.kx[j]} * in.x[i] + double{in.ky[j]} * in.y[i] + double{in.kz[j]} * in.z[i];
      const double angle = 2 * std::numbers::pi * turns;
      cosines += phi[static_cast<std::size_t>(j)] * std::cos(angle);
      sines += phi[static_cast<std::size_t>(j)] * std::sin(angle);
    }
    real[i] = static_cast<float>(cosines);
    imag[i] = static_cast<float>(sines);
  }
}

}  // namespace whorl::studies::mri_q
