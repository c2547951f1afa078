// Arrays of random numbers on a CPU.
#include "kernels/random.hpp"

#include <array>
#include <numbers>

#include "backend/cpu/parallel.hpp"
#include "core/random_bits.hpp"

namespace whorl::backend::cpu {

namespace {

constexpr Index operations = 64;  // for a complex normal number, about

template <class Real>
void random_normal(const Context& ctx, std::uint64_t seed, Index count, std::complex<Real>* z) {
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, operations* count))
  for (Index i = 0; i < count; ++i) {
    z[i] = std::complex<Real>(detail::normal_pair(seed, static_cast<std::uint64_t>(i)) * std::numbers::sqrt2 * 0.5);
  }
}

template <class Real>
void random_turns(const Context& ctx, std::uint64_t seed, Index count, std::complex<Real>* z) {
  using Complex = std::complex<Real>;
  constexpr std::array turns{Complex(1, 0), Complex(0, 1), Complex(-1, 0), Complex(0, -1)};
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, operations* count))
  for (Index i = 0; i < count; ++i) {
    const auto bits = detail::random_bits(seed, static_cast<std::uint64_t>(i));
    z[i] = turns[static_cast<std::size_t>(detail::quarter_turns_of(bits))];
  }
}

}  // namespace

void register_random() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::random_normal<Real>.set(DeviceKind::cpu, random_normal<Real>);
    kernels::random_turns<Real>.set(DeviceKind::cpu, random_turns<Real>);
  });
}

}  // namespace whorl::backend::cpu
