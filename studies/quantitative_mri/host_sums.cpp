#include <algorithm>
#include <cmath>
#include <numbers>

#include "studies/fhd/cpu/kernels.hpp"
#include "studies/quantitative_mri/exact_sums.hpp"

namespace whorl::studies::quantitative_mri {

// step: least squares, CPU, double, scalar loop; least squares, CPU, single, scalar loop
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
// end of step

// step: least squares, CPU, double; least squares, CPU, single
template <class Real>
void vectors_on_host(const Context& ctx, const Sums<Real>& sums, ArrayRef<std::complex<Real>> part) {
  const Index n = sums.extent;
  const Index samples = sums.data.size();
  Array<Real> data(ctx.host(), {2, samples});
  for (Index j = 0; j < samples; ++j) {
    data.data()[j] = sums.data.data()[j].real();
    data.data()[samples + j] = sums.data.data()[j].imag();
  }
  const fhd::cpu::Mu<Real> mu{data.data(), data.data() + samples};
  // Between two checks for cancellation, some tenths of a second; their places and sums are in memory.
  constexpr Index terms = Index{1} << 28;
  const Index round = std::clamp<Index>(terms / samples, ctx.threads(), Index{1} << 20);
  Array<Real> memory(ctx.host(), {5, std::min(round, part.size())});
  const Index most = memory.extent(1);
  Real* const x = memory.data();
  Real* const real = x + 3 * most;
  for (Index from = 0; from < part.size(); from += round) {
    ctx.check_cancel("exact sums");
    const Index count = std::min(round, part.size() - from);
    for (Index i = 0; i < count; ++i) {
      const Index voxel = sums.first + from + i;
      const Index middle = n / 2;
      const Index row = voxel / n;
      const Index plane = row / n;
      x[i] = static_cast<Real>(voxel % n - middle);
      x[most + i] = static_cast<Real>(row % n - middle);
      x[2 * most + i] = static_cast<Real>(plane - middle);
    }
    const Real* const k = sums.points.data();
    const fhd::Sums<Real> s{.samples = samples,
                            .voxels = count,
                            .kx = k,
                            .ky = k + samples,
                            .kz = k + 2 * samples,
                            .phi_real = nullptr,
                            .phi_imag = nullptr,
                            .d_real = nullptr,
                            .d_imag = nullptr,
                            .x = x,
                            .y = x + most,
                            .z = x + 2 * most,
                            .real = real,
                            .imag = real + most};
    constexpr Index chunk = 512;  // 10 KB, or 20 in double precision
    constexpr int vectors = 4;
    fhd::cpu::blocks(s, mu, {chunk, vectors, ctx.threads()});
    for (Index i = 0; i < count; ++i) part.data()[from + i] = {real[i], real[most + i]};
  }
}
// end of step

template void vectors_on_host<float>(const Context&, const Sums<float>&, ArrayRef<std::complex<float>>);
template void vectors_on_host<double>(const Context&, const Sums<double>&, ArrayRef<std::complex<double>>);
template void sums_on_host<float>(const Context&, const Sums<float>&, ArrayRef<std::complex<float>>);
template void sums_on_host<double>(const Context&, const Sums<double>&, ArrayRef<std::complex<double>>);

}  // namespace whorl::studies::quantitative_mri
