// Kernel family: Gaussians by recursion, at a cost that does not grow with sigma.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "filter/kernels/kernel.hpp"
#include "whorl/core/image.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::kernels {

/// One decaying cosine of the window on one side, as the recursion s(n) = input(n) + a1 s(n - 1) + a2 s(n - 2) and its
/// share b0 s(n) + b1 s(n - 1) of the result.
struct DecayingCosine {
  double a1, a2, b0, b1;
};

inline constexpr int cosines = 3;

/// The window, exp(-n^2 / (2 sigma^2)) times a factor with which both sides sum to 1. `own` is what both sides have of
/// the pixel itself, which is once too many.
struct RecursiveWindow {
  std::array<DecayingCosine, cosines> terms;
  double own;
};

RecursiveWindow recursive_window(double sigma);

/// Pixels after which the recursion has forgotten what it started with, to 2^-36 of it: 65535 levels are then 1e-6.
/// Lines are begun that far outside the image, with the numbers of its border.
Index recursive_reach(double sigma);

/// How a pass leaves its sums: between the passes of uint8 as int16 with 7 bits of fraction, else as they are.
struct PassRounding {
  double scale;      ///< the sum is multiplied by this
  bool to_integers;  ///< then rounded down, plus this, and clipped:
  double half;
  double largest;
};

/// Numbers that are midway between two integers for a reason, as in a checkerboard, must not fall to either side by
/// what rounding left of them: "half" is more than a half by more than that, and by less than shows.
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

/// The Gaussian along y and then along x of each slice and channel. Not in place. In double, fused; the sums of one
/// side are kept as float32. The same on all devices.
template <class T>
inline FilterKernel<void(const Context&, const ImageFormat&, double sigma, FilteredAxes, const BorderOptions&,
                         const T* from, T* to)>
    recursive_gaussian{"recursive_gaussian"};

}  // namespace whorl::kernels
