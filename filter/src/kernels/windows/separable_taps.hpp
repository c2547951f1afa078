// Taps in an arithmetic that all devices share, so that all get the same sums.
#pragma once

#include <cstdint>
#include <vector>

#include "filter/src/kernels/windows/separable.hpp"

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

/// Fixed point for uint8. Taps have 16 bits with at most 17 bits of fraction, and the same sum as the given taps.
/// Between the passes there are up to 6 bits of fraction; numbers have at most 14 bits and a sign there, so that the
/// sum of two fits 16 bits. Sums fit 32 bits. Throws Unsupported for taps too large for that.
WHORL_INTERNAL TwoPasses<std::int16_t> fixed_taps(const SeparableTaps& taps);

WHORL_INTERNAL TwoPasses<float> float_taps(const SeparableTaps& taps);

/// The first pass over numbers that are all `value`: the border of the second pass, where the border is constant.
WHORL_INTERNAL int pass_of_constant(const PassTaps<std::int16_t>& pass, int value);
WHORL_INTERNAL float pass_of_constant(const PassTaps<float>& pass, float value);

/// The largest number that a pass without negative taps makes of numbers up to `largest`.
WHORL_INTERNAL Index largest_result(const PassTaps<std::int16_t>& pass, Index largest);

/// The border's value as a pixel's number.
template <class T>
WHORL_INTERNAL T border_number(const BorderOptions& border);

}  // namespace whorl::kernels
