#include "whorl/core/random.hpp"

#include <fmt/format.h>

#include "core/random_bits.hpp"
#include "kernels/random.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

template <class Real>
void check_device(const Context& ctx, const char* operation, const ArrayRef<std::complex<Real>>& array) {
  if (array.device() == ctx.device()) return;
  throw DeviceError(fmt::format("{}: the array lies on {}, the context runs on {}; draw with a context there",
                                operation, to_string(array.device()), to_string(ctx.device())));
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  return detail::philox_bits(counter, key);
}

std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t stream) {
  const auto bits = philox({static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32), 0, 0},
                           {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return (static_cast<std::uint64_t>(bits[0]) << 32) | bits[1];
}

double random_uniform(std::uint64_t seed, std::uint64_t i) {
  const auto bits = detail::random_bits(seed, i);
  return detail::unit_of(bits[0], bits[1]);
}

double random_normal(std::uint64_t seed, std::uint64_t i) { return detail::normal_pair(seed, i).real(); }

template <Precision Real>
void fill_random_normal(ArrayRef<std::complex<Real>> array, std::uint64_t seed) {
  fill_random_normal<Real>(Context({.threads = 1}), array, seed);
}

template <Precision Real>
void fill_random_normal(const Context& ctx, ArrayRef<std::complex<Real>> array, std::uint64_t seed) {
  check_device<Real>(ctx, "complex normal numbers", array);
  kernels::random_normal<Real>(ctx, seed, array.size(), array.data());
}

template <Precision Real>
void fill_random_turns(const Context& ctx, ArrayRef<std::complex<Real>> array, std::uint64_t seed) {
  check_device<Real>(ctx, "random quarter turns", array);
  kernels::random_turns<Real>(ctx, seed, array.size(), array.data());
}

template void fill_random_normal(ArrayRef<std::complex<float>>, std::uint64_t);
template void fill_random_normal(ArrayRef<std::complex<double>>, std::uint64_t);
template void fill_random_normal(const Context&, ArrayRef<std::complex<float>>, std::uint64_t);
template void fill_random_normal(const Context&, ArrayRef<std::complex<double>>, std::uint64_t);
template void fill_random_turns(const Context&, ArrayRef<std::complex<float>>, std::uint64_t);
template void fill_random_turns(const Context&, ArrayRef<std::complex<double>>, std::uint64_t);

}  // namespace whorl
