// Arrays of random numbers on a GPU.
#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "core/random_bits.hpp"
#include "kernels/random.hpp"

namespace whorl::backend::cuda {

namespace {

template <class Real>
__global__ void draw_normal(std::uint64_t seed, Index count, Complex2<Real>* z) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const auto bits = detail::random_bits(seed, static_cast<std::uint64_t>(i));
    const double radius = sqrt(-log(detail::unit_of(bits[0], bits[1])));
    double sine = 0;
    double cosine = 0;
    sincospi(2 * detail::unit_of(bits[2], bits[3]), &sine, &cosine);
    z[i] = {static_cast<Real>(radius * cosine), static_cast<Real>(radius * sine)};
  }
}

template <class Real>
__global__ void draw_turns(std::uint64_t seed, Index count, Complex2<Real>* z) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const int turns = detail::quarter_turns_of(detail::random_bits(seed, static_cast<std::uint64_t>(i)));
    const Real value = turns < 2 ? 1 : -1;
    z[i] = turns % 2 == 0 ? Complex2<Real>{value, 0} : Complex2<Real>{0, value};
  }
}

template <class Real>
void random_normal(const Context& ctx, std::uint64_t seed, Index count, std::complex<Real>* z) {
  launch_loop(ctx, "complex normal numbers", draw_normal<Real>, count, seed, count, as_device(z));
}

template <class Real>
void random_turns(const Context& ctx, std::uint64_t seed, Index count, std::complex<Real>* z) {
  launch_loop(ctx, "random quarter turns", draw_turns<Real>, count, seed, count, as_device(z));
}

}  // namespace

void register_random() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::random_normal<Real>.set(DeviceKind::cuda, random_normal<Real>);
    kernels::random_turns<Real>.set(DeviceKind::cuda, random_turns<Real>);
  });
}

}  // namespace whorl::backend::cuda
