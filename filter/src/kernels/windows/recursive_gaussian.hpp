// Kernel family: Gaussians by recursion, at a cost that does not grow with sigma.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "filter/src/kernels/kernel.hpp"
#include "whorl/core/image.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::kernels {

/// One decaying cosine of the window on one side: the recursion s(n) = input(n) + a1 s(n - 1) + a2 s(n - 2), which adds
/// b0 s(n) + b1 s(n - 1) to the result.
struct DecayingCosine {
  double a1, a2, b0, b1;
};

inline constexpr int cosines = 3;

/// The window, exp(-n^2 / (2 sigma^2)) scaled to sum to 1. Both sides count the pixel itself; `own` is its weight,
/// which has to be subtracted once.
struct RecursiveWindow {
  std::array<DecayingCosine, cosines> terms;
  double own;
};

WHORL_INTERNAL RecursiveWindow recursive_window(double sigma);

/// The number of pixels after which the start of the recursion has decayed to 2^-36: 65535 levels become 1e-6. Lines
/// begin this far outside the image, with the numbers of its border.
WHORL_INTERNAL Index recursive_reach(double sigma);

/// The rounding of a pass' sums: between the passes of uint8 to int16 with 7 bits of fraction, otherwise none.
struct PassRounding {
  double scale;      ///< the sum is multiplied by this
  bool to_integers;  ///< then `half` is added, and the sum is rounded down and clipped
  double half;
  double largest;
};

/// Sums may lie midway between two integers, as for a checkerboard. Rounding errors must not decide their direction, so
/// `half` exceeds 1/2 by more than these errors. The excess is too small to change other results visibly.
template <class In, class Out>
constexpr PassRounding pass_rounding() {
  constexpr double byte_half = 0.5 + 0x1p-12;
  constexpr double word_half = 0.5 + 0x1p-6;
  if constexpr (std::is_floating_point_v<Out>) {
    return {1, false, 0, 0};
  } else if constexpr (std::is_same_v<Out, std::int16_t>) {
    return {0x1p7, true, word_half, 32767};
  } else if constexpr (std::is_same_v<Out, std::uint8_t>) {
    return {std::is_same_v<In, std::int16_t> ? 0x1p-7 : 1, true, byte_half, 255};
  } else {
    return {1, true, word_half, 65535};
  }
}

template <class T>
using BetweenPasses = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int16_t, float>;

struct FilteredAxes {
  bool y = true;
  bool x = true;
};

/// The Gaussian along y and then along x, of each slice and channel. Not in place. Computed in double with fused
/// operations, the sums of one side stored as float32: the same on all devices.
template <class T>
inline FilterKernel<void(const Context&, const ImageFormat&, double sigma, FilteredAxes, const BorderOptions&,
                         const T* from, T* to)>
    recursive_gaussian{"recursive_gaussian"};

}  // namespace whorl::kernels
