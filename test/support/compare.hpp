// Distances between arrays, for tests.
#pragma once

#include <cmath>
#include <complex>

#include "whorl/core/array.hpp"
#include "whorl/core/random.hpp"

namespace whorl::test {

/// ||a - b|| / ||b||, in double whatever the types.
template <class A, class B>
double relative_error(const Array<std::complex<A>>& a, const Array<std::complex<B>>& b) {
  double difference = 0;
  double total = 0;
  for (std::size_t i = 0; i < b.span().size(); ++i) {
    difference += std::norm(std::complex<double>(a.span()[i]) - std::complex<double>(b.span()[i]));
    total += std::norm(std::complex<double>(b.span()[i]));
  }
  return std::sqrt(difference / total);
}

/// relative_error of arrays on the host or on the context's device.
template <class A, class B>
double relative_error(const Context& ctx, const Array<std::complex<A>>& a, const Array<std::complex<B>>& b) {
  return relative_error(to_host<const std::complex<A>>(ctx, a), to_host<const std::complex<B>>(ctx, b));
}

template <class Real>
Array<std::complex<Real>> random_array(const Context& ctx, const Shape& shape, std::uint64_t seed) {
  Array<std::complex<Real>> array(ctx.host(), shape);
  fill_random_normal<Real>(array, seed);
  if (ctx.device() == array.device()) return array;
  return clone<std::complex<Real>>(ctx, array);
}

/// Weights between 0 and 1 on the context's device.
template <class Real>
Array<Real> random_weights(const Context& ctx, const Shape& shape, std::uint64_t seed) {
  Array<Real> array(ctx.host(), shape);
  for (Index i = 0; i < array.size(); ++i) {
    array.data()[i] = static_cast<Real>(random_uniform(seed, static_cast<std::uint64_t>(i)));
  }
  return clone<Real>(ctx, array);
}

}  // namespace whorl::test
