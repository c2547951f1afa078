// Taps in the numbers that every device computes in, so that all get the same sums.
#pragma once

#include <cstdint>
#include <vector>

#include "filter/kernels/windows/separable.hpp"

namespace whorl::kernels {

/// One pass: (sum of taps times numbers + half) >> shift for fixed point (Tap = int16_t), the sum for float.
template <class Tap>
struct PassTaps {
  std::vector<Tap> taps;
  int shift = 0;
  bool symmetric = false;

  Index radius() const { return static_cast<Index>(taps.size()) / 2; }
};

template <class Tap>
struct TwoPasses {
  PassTaps<Tap> y, x;
};

/// Fixed point for uint8. Taps of 16 bits, no more than 17 of them fraction, that sum to what the given ones sum to; up
/// to 6 bits of fraction between the passes, where numbers stay within 14 bits and their sign, so that two of them add
/// up in 16 bits; sums within 32 bits. Throws Unsupported for taps too large for that.
TwoPasses<std::int16_t> fixed_taps(const SeparableTaps& taps);

TwoPasses<float> float_taps(const SeparableTaps& taps);

/// The first pass where all numbers are `value`: what lies beside a row whose border is constant.
int pass_of_constant(const PassTaps<std::int16_t>& pass, int value);
float pass_of_constant(const PassTaps<float>& pass, float value);

/// The largest number that a pass without negative taps makes of numbers up to `largest`.
Index largest_result(const PassTaps<std::int16_t>& pass, Index largest);

/// The border's value as a pixel's number.
template <class T>
T border_number(const BorderOptions& border);

}  // namespace whorl::kernels
