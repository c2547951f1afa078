// Kernel family: diffusion on the pixels of float32 images, by explicit steps and by lines.
//
// Both devices make the same sums and products, each rounded by itself (no fused operations), in the same order: their
// results have the same bits.
#pragma once

#include "filter/src/kernels/exponential.hpp"
#include "filter/src/kernels/kernel.hpp"
#include "whorl/core/image.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::kernels {

/// Explicit steps over the planes of an image, or over its volumes. Beyond a constant border the image is 0.
struct ExplicitSteps {
  Border border = Border::reflect;
  bool volumes = false;
  Index steps = 0;
};

/// u += rate * (sum of the neighbors - their number * u)
struct HeatRule {
  float rate = 0;
};

/// u += rate * sum over neighbors v of c(|v - u|^2) (v - u), with one c for all channels of a pixel: exp(-s^2 / K^2) or
/// 1 / (1 + s^2 / K^2), K^2 = 1 / inverse_square.
struct PeronaMalikRule {
  float rate = 0;
  float inverse_square = 0;
  bool exponential = true;
};

/// Makes the steps. The image may have other memory afterwards.
inline FilterKernel<void(const Context&, const ImageFormat&, const ExplicitSteps&, const HeatRule&,
                         Array<float>& image)>
    heat_steps{"heat"};
inline FilterKernel<void(const Context&, const ImageFormat&, const ExplicitSteps&, const PeronaMalikRule&,
                         Array<float>& image)>
    perona_malik_steps{"perona_malik"};

constexpr float heat_update(float rate, float u, float sum, float neighbors) {
  return u + rate * (sum - neighbors * u);
}

template <bool Exponential>
constexpr float conduction(float square) {
  if constexpr (Exponential) {
    return exp_minus(square);
  } else {
    return 1.0F / (1.0F + square);
  }
}

/// The pixel of the image, and its sign, that stand for the pixel at `i` beyond an edge, such that steps on the
/// continued image agree with steps in the image: mirrored for `reflect` (at the pixel) and `replicate` (between
/// pixels), with the opposite sign for 0 at -1 and n. A sign of 0: the pixel is 0.
struct Extended {
  Index index = 0;
  float sign = 1;
};
constexpr Extended extended(Border border, Index i, Index n) {
  if (i >= 0 && i < n) return {i, 1};
  if (border == Border::reflect || border == Border::wrap) return {border_index(border, i, n), 1};
  if (border == Border::replicate) {
    const Index within = (i % (2 * n) + 2 * n) % (2 * n);
    return {within < n ? within : 2 * n - 1 - within, 1};
  }
  const Index period = 2 * (n + 1);
  const Index within = ((i + 1) % period + period) % period;
  if (within == 0 || within == n + 1) return {0, 0};
  return within <= n ? Extended{within - 1, 1} : Extended{period - within - 1, -1};
}

/// Lines of `length` numbers, `inner` numbers apart; [outer, length, inner] in memory.
struct Lines {
  Index outer = 1;
  Index length = 1;
  Index inner = 1;
};

/// The factors at each pixel of a line for solving (1 - a A) w = u, where A is the second difference. Both sweeps of
/// the elimination are written as averages, which keep the mean for any rounding of `up` and `down`:
/// z[i] = z[i - 1] + up (u[i] - z[i - 1]), then w[i] = w[i + 1] + down (z[i] - w[i + 1]), with z[-1] = w[n] = 0. On a
/// ring w += correction (w[0] + w[n - 1]) ring[i] comes after it (Sherman and Morrison).
struct LineFactors {
  float up = 0;
  float down = 0;
  float ring = 0;
};

/// Steps u = w + extrapolation (w - u): backward Euler for 0, Crank and Nicolson for 1.
struct LineSteps {
  Index steps = 0;
  float extrapolation = 0;
  float correction = 0;  ///< 0: no ring
  bool held = false;     ///< zeros beyond the ends; false: the steps act on the differences to the line's first number
};

/// `factors` lie on the context's device, one for each pixel of a line.
inline FilterKernel<void(const Context&, const Lines&, const LineSteps&, const LineFactors* factors, float* image)>
    diffuse_lines{"diffuse_lines"};

}  // namespace whorl::kernels
