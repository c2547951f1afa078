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

template <class Real>
Array<std::complex<Real>> random_array(const Context& ctx, const Shape& shape, std::uint64_t seed) {
  Array<std::complex<Real>> array(ctx, shape);
  fill_random_normal<Real>(array, seed);
  return array;
}

}  // namespace whorl::test
