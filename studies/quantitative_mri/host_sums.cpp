#include <algorithm>
#include <cmath>
#include <numbers>

#include "studies/quantitative_mri/exact_sums.hpp"

namespace whorl::studies::quantitative_mri {

template <class Real>
void sums_on_host(const Context& ctx, const Sums<Real>& sums, ArrayRef<std::complex<Real>> part) {
  const Index n = sums.extent;
  const Index samples = sums.data.size();
  const Real* const kx = sums.points.data();
  const Real* const ky = kx + samples;
  const Real* const kz = ky + samples;
  // Between two checks for cancellation.
  const Index round = std::max<Index>(ctx.threads(), (Index{1} << 27) / samples);
  for (Index from = 0; from < part.size(); from += round) {
    ctx.check_cancel("exact sums");
    const Index to = std::min(part.size(), from + round);
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
    for (Index i = from; i < to; ++i) {
      const Index voxel = sums.first + i;
      const Index column = voxel % n - n / 2;
      const Index row = voxel / n % n - n / 2;
      const Index plane = voxel / (n * n) - n / 2;
      const auto x = static_cast<Real>(column);
      const auto y = static_cast<Real>(row);
      const auto z = static_cast<Real>(plane);
      Real real = 0;
      Real imag = 0;
      for (Index j = 0; j < samples; ++j) {
        const Real angle = 2 * std::numbers::pi_v<Real> * (kx[j] * x + ky[j] * y + kz[j] * z);
        const Real cosine = std::cos(angle);
        const Real sine = std::sin(angle);
        real += sums.data.data()[j].real() * cosine - sums.data.data()[j].imag() * sine;
        imag += sums.data.data()[j].imag() * cosine + sums.data.data()[j].real() * sine;
      }
      part.data()[i] = {real, imag};
    }
  }
}

template void sums_on_host<float>(const Context&, const Sums<float>&, ArrayRef<std::complex<float>>);
template void sums_on_host<double>(const Context&, const Sums<double>&, ArrayRef<std::complex<double>>);

}  // namespace whorl::studies::quantitative_mri
