// Scaling of values far from 1 by powers of two, without rounding.
#pragma once

#include <complex>
#include <string_view>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// The largest |real| or |imaginary| part of an array on the host; infinite if an element is not finite.
template <Precision Real>
WHORL_PUBLIC double largest_part(const Context& ctx, ArrayRef<const std::complex<Real>> x);

/// e with 2^e <= largest < 2^(e+1), if `largest` is so far from 1 that squares and sums of squares may leave the range
/// of Real: |e| above 30 in single precision and 300 in double. Otherwise, and if `largest` is 0 or not finite, 0.
template <Precision Real>
WHORL_PUBLIC int exponent_far_from_one(double largest);

/// x = 2^exponent x. Exact for results that are normal numbers.
template <Precision Real>
WHORL_PUBLIC void multiply_by_power_of_two(const Context& ctx, int exponent, ArrayRef<std::complex<Real>> x);
template <Precision Real>
void multiply_by_power_of_two(const Context& ctx, int exponent, Array<std::complex<Real>>& x) {
  multiply_by_power_of_two(ctx, exponent, x.ref());
}

/// Throws ValueError if 2^exponent largest is not a normal number of Real; `what` names the values. 0 is accepted.
template <Precision Real>
WHORL_PUBLIC void check_range(std::string_view what, double largest, int exponent);

/// Throws ValueError if `largest` is so far from 1 that powers of the values leave the range of Real: beyond 2^50
/// (1e15) or below its inverse in single precision, where filters square values; 2^230 (1e69) in double precision,
/// where measures take fourth powers. `what` names the values. 0 is accepted.
template <Precision Real>
WHORL_PUBLIC void check_powers(std::string_view what, double largest);

}  // namespace whorl
