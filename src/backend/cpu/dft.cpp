#include "backend/cpu/dft.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace whorl::backend::cpu {

namespace {

using Wide = std::complex<double>;

// exp(-2 pi i k.r) is a product of one factor per axis, so a sample needs nx + ny + nz exponentials and not nx*ny*nz.
// All arithmetic is in double, whatever the type of the data: this is the oracle.
class Phases {
 public:
  Phases(const kernels::DftGeometry& geometry, Wide* memory) : geometry_(geometry) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      factor_[axis] = memory;
      memory += geometry.image[axis];
    }
  }

  static Index memory_for(const kernels::DftGeometry& geometry) {
    return geometry.image[0] + geometry.image[1] + geometry.image[2];
  }

  void set_sample(Index sample) {
    const auto points = geometry_.points.view<2>();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Index column = 2 - static_cast<Index>(axis);  // points are x first, images z first
      const double k = column < points.extent(1) ? points(sample, column) : 0.0;
      const Index extent = geometry_.image[axis];
      const Index center = extent / 2;
      for (Index i = 0; i < extent; ++i) {
        const double turns = k * static_cast<double>(i - center);
        const double angle = -2 * std::numbers::pi * (turns - std::nearbyint(turns));
        factor_[axis][i] = {std::cos(angle), std::sin(angle)};
      }
    }
  }

  const Wide* operator[](std::size_t axis) const { return factor_[axis]; }

 private:
  const kernels::DftGeometry& geometry_;
  std::array<Wide*, 3> factor_{};
};

// A complex product without the checks for infinities that std::complex makes.
inline Wide product(Wide a, Wide b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class Real>
Wide line_sum(const std::complex<Real>* line, const Wide* phase, Index count) {
  double real = 0;
  double imag = 0;
  for (Index i = 0; i < count; ++i) {
    const double a = line[i].real();
    const double b = line[i].imag();
    real += a * phase[i].real() - b * phase[i].imag();
    imag += a * phase[i].imag() + b * phase[i].real();
  }
  return {real, imag};
}

}  // namespace

template <class Real>
void dft_forward(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<Real>* images,
                 std::complex<Real>* samples, Index batch) {
  const Index count = geometry.points.extent(0);
  const Index nz = geometry.image[0];
  const Index ny = geometry.image[1];
  const Index nx = geometry.image[2];
  Array<Wide> memory(ctx, {ctx.threads(), Phases::memory_for(geometry)});
  Wide* const tables = memory.data();
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index j = 0; j < count; ++j) {
    Phases phase(geometry, tables + omp_get_thread_num() * Phases::memory_for(geometry));
    phase.set_sample(j);
    for (Index b = 0; b < batch; ++b) {
      const std::complex<Real>* image = images + b * nz * ny * nx;
      Wide sum = 0;
      for (Index z = 0; z < nz; ++z) {
        Wide plane = 0;
        for (Index y = 0; y < ny; ++y) {
          plane += product(line_sum(image + (z * ny + y) * nx, phase[2], nx), phase[1][y]);
        }
        sum += product(plane, phase[0][z]);
      }
      samples[b * count + j] = std::complex<Real>(geometry.scale * sum);
    }
  }
}

template <class Real>
void dft_adjoint(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<Real>* samples,
                 std::complex<Real>* images, Index batch) {
  // Samples in blocks, whose tables all threads share; every thread adds to lines of its own.
  constexpr Index block = 256;
  const Index count = geometry.points.extent(0);
  const Index nz = geometry.image[0];
  const Index ny = geometry.image[1];
  const Index nx = geometry.image[2];
  const Index stride = Phases::memory_for(geometry);
  Array<Wide> memory(ctx, {block, stride});
  Array<Wide> sums = zeros<Wide>(ctx, {batch, nz * ny * nx});
  Wide* const tables = memory.data();
  Wide* const sum = sums.data();
  for (Index first = 0; first < count; first += block) {
    const Index length = std::min(block, count - first);
#pragma omp parallel num_threads(ctx.threads())
    {
#pragma omp for schedule(static)
      for (Index j = 0; j < length; ++j) Phases(geometry, tables + j * stride).set_sample(first + j);
#pragma omp for schedule(static)
      for (Index line = 0; line < batch * nz * ny; ++line) {
        const Index b = line / (nz * ny);
        Wide* out = sum + line * nx;
        for (Index j = 0; j < length; ++j) {
          const Phases phase(geometry, tables + j * stride);
          const Wide place = product(phase[0][line / ny % nz], phase[1][line % ny]);
          const Wide value = product(Wide(samples[b * count + first + j]), std::conj(place));
          const Wide* x = phase[2];
          for (Index i = 0; i < nx; ++i) out[i] += product(value, std::conj(x[i]));
        }
      }
    }
  }
  for (Index i = 0; i < batch * nz * ny * nx; ++i) images[i] = std::complex<Real>(geometry.scale * sum[i]);
}

#define WHORL_INSTANTIATE(Real)                                                                     \
  template void dft_forward(const Context&, const kernels::DftGeometry&, const std::complex<Real>*, \
                            std::complex<Real>*, Index);                                            \
  template void dft_adjoint(const Context&, const kernels::DftGeometry&, const std::complex<Real>*, \
                            std::complex<Real>*, Index)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cpu
