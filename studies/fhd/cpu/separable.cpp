// Step 11, separable: on a grid exp(2 pi i k . r) = exp(2 pi i k_x x) exp(2 pi i k_y y) exp(2 pi i k_z z). A table per
// axis holds its phases: a sine and cosine for each sample and position along the axis, not for each voxel. The rest is
// a product of complex matrices: lines (z, y) by samples, times samples by x; four multiply-adds per term. The library
// computes so where a tolerance allows single precision: backend/cpu/exact/single_dft.cpp and single_sums_hwy.cpp.
#include "backend/cpu/exact/single_dft.hpp"
#include "studies/fhd/cpu/kernels.hpp"

namespace whorl::studies::fhd::cpu {

void separable(const Context& ctx, const std::array<Index, 3>& image, const Sums<float>& s, const Mu<float>& mu) {
  Array<double> points(ctx, {s.samples, 3});
  Array<std::complex<float>> values(ctx, {s.samples});
  for (Index j = 0; j < s.samples; ++j) {
    double* const k = points.data() + 3 * j;
    k[0] = static_cast<double>(s.kx[j]);
    k[1] = static_cast<double>(s.ky[j]);
    k[2] = static_cast<double>(s.kz[j]);
    values.data()[j] = {mu.real[j], mu.imag[j]};
  }
  Array<std::complex<float>> sums(ctx, {s.voxels});
  backend::cpu::single_dft_adjoint(ctx, {points, image, 1}, values.data(), sums.data(), 1);
  for (Index v = 0; v < s.voxels; ++v) {
    s.real[v] = sums.data()[v].real();
    s.imag[v] = sums.data()[v].imag();
  }
}

}  // namespace whorl::studies::fhd::cpu
