// Kernel family: one axis of one level of an orthogonal wavelet transform.
#pragma once

#include <array>
#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// The most taps of a filter.
inline constexpr int most_wavelet_taps = 20;

/// One pass over the lines along an axis. A line of n elements has an even part of m = 2 floor(n/2) elements and, for
/// odd n, one more element. With the low-pass filter h of L taps, and g[k] = (-1)^k h[L-1-k]:
///
///   forward  out[i]                 = sum_k h[k] in[(2i + k) mod m]   0 <= i < m/2
///            out[m/2]               = in[m]                           only for odd n
///            out[ceil(n/2) + i]     = sum_k g[k] in[(2i + k) mod m]
///   inverse  its transpose, which is its inverse
///
/// Before the forward pass the line is shifted: in[j] is line[(j + shift) mod n]. The inverse shifts it back.
template <class Real>
struct WaveletPass {
  Index batch = 1;                ///< arrays one after another
  std::array<Index, 3> extent{};  ///< of an array in memory: z, y, x
  std::array<Index, 3> active{};  ///< the box at its start that the pass works on
  int axis = 2;
  Index shift = 0;  ///< 0 <= shift < active[axis]
  bool inverse = false;
  int taps = 2;  ///< even
  std::array<Real, most_wavelet_taps> low{};
};

/// in and out have the same layout and do not overlap; elements outside the box do not change.
template <class Real>
inline Kernel<void(const Context&, const WaveletPass<Real>&, const std::complex<Real>* in, std::complex<Real>* out)>
    wavelet_pass{"wavelet transform"};

}  // namespace whorl::kernels
