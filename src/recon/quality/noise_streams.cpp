#include "recon/quality/noise_streams.hpp"

#include <algorithm>
#include <array>

#include "whorl/core/integer.hpp"
#include "whorl/core/random.hpp"

namespace whorl::recon {

namespace {

// Elements that a thread draws at a time; each part has a seed of its own.
constexpr Index part = 1 << 15;

std::uint64_t seed_of(std::uint64_t seed, std::uint64_t stream, Index index) {
  const auto bits = philox({static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32),
                            static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32)},
                           {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return (static_cast<std::uint64_t>(bits[0]) << 32) | bits[1];
}

template <class Real, class Fill>
void for_each_part(const Context& ctx, ArrayRef<std::complex<Real>> array, std::uint64_t seed, std::uint64_t stream,
                   const Fill& fill_part) {
  const Index parts = divide_up(array.size(), part);
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (Index p = 0; p < parts; ++p) {
    const Index count = std::min(part, array.size() - p * part);
    fill_part(ArrayRef<std::complex<Real>>(array.data() + p * part, {count}), seed_of(seed, stream, p));
  }
}

}  // namespace

template <class Real>
void fill_white_noise(const Context& ctx, ArrayRef<std::complex<Real>> array, std::uint64_t seed,
                      std::uint64_t stream) {
  for_each_part(ctx, array, seed, stream, [](ArrayRef<std::complex<Real>> elements, std::uint64_t own_seed) {
    fill_random_normal<Real>(elements, own_seed);
  });
}

template <class Real>
void fill_quarter_turns(const Context& ctx, ArrayRef<std::complex<Real>> array, std::uint64_t seed,
                        std::uint64_t stream) {
  using Complex = std::complex<Real>;
  constexpr std::array turns{Complex(1, 0), Complex(0, 1), Complex(-1, 0), Complex(0, -1)};
  for_each_part(ctx, array, seed, stream, [&](ArrayRef<Complex> elements, std::uint64_t own_seed) {
    std::uint64_t i = 0;
    for (Complex& z : elements.span()) z = turns[static_cast<std::size_t>(4 * random_uniform(own_seed, i++))];
  });
}

template void fill_white_noise(const Context&, ArrayRef<std::complex<float>>, std::uint64_t, std::uint64_t);
template void fill_white_noise(const Context&, ArrayRef<std::complex<double>>, std::uint64_t, std::uint64_t);
template void fill_quarter_turns(const Context&, ArrayRef<std::complex<float>>, std::uint64_t, std::uint64_t);
template void fill_quarter_turns(const Context&, ArrayRef<std::complex<double>>, std::uint64_t, std::uint64_t);

}  // namespace whorl::recon
