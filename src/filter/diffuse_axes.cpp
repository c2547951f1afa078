#include "filter/diffuse_axes.hpp"

#include <vector>

namespace whorl::filters {

namespace {

using kernels::LineFactors;
using kernels::Lines;

// The matrix 1 - a A of a line, without the corners of a ring.
struct Band {
  std::vector<double> lower, diagonal, upper;
};

Band band_of(Border border, Index n, double a) {
  const auto count = static_cast<std::size_t>(n);
  Band band{std::vector<double>(count, a), std::vector<double>(count, 1 + 2 * a), std::vector<double>(count, a)};
  if (border == Border::reflect) {
    band.upper.front() = 2 * a;
    band.lower.back() = 2 * a;
  } else if (border == Border::replicate) {
    band.diagonal.front() -= a;
    band.diagonal.back() -= a;
  } else if (border == Border::wrap) {
    // Corners -a are -a p p^T, p = (1, 0 ... 0, 1), which adds -a to both ends.
    band.diagonal.front() += a;
    band.diagonal.back() += a;
  }
  return band;
}

// The solution of the band's system for a right side of 1 at both ends.
std::vector<double> ring_of(const Band& band, const std::vector<double>& pivots) {
  const std::size_t n = pivots.size();
  std::vector<double> z(n, 0.0);
  z.front() = 1;
  z.back() = 1;
  z[0] /= pivots[0];
  for (std::size_t i = 1; i < n; ++i) z[i] = (z[i] + band.lower[i] * z[i - 1]) / pivots[i];
  for (std::size_t i = n - 1; i-- > 0;) z[i] += band.upper[i] / pivots[i] * z[i + 1];
  return z;
}

void diffuse_axis(const Context& ctx, const Lines& lines, Border border, double a, kernels::LineSteps steps,
                  float* image) {
  const Index n = lines.length;
  if (n == 1 && border != Border::constant) return;
  // On a ring of two both neighbors are the other pixel, as between mirrors.
  if (n == 2 && border == Border::wrap) border = Border::reflect;
  const Band band = band_of(border, n, a);
  Array<LineFactors> factors(ctx.host(), {n});
  std::vector<double> pivots(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    const double lower = i == 0 ? 0 : band.lower[i];
    pivots[i] = band.diagonal[i] - (i == 0 ? 0 : lower * band.upper[i - 1] / pivots[i - 1]);
    factors.span()[i] = {static_cast<float>(1 / pivots[i]), static_cast<float>(lower / pivots[i]),
                         static_cast<float>(i + 1 == pivots.size() ? 0 : band.upper[i] / pivots[i]), 0.0F};
  }
  if (border == Border::wrap) {
    const std::vector<double> z = ring_of(band, pivots);
    for (std::size_t i = 0; i < z.size(); ++i) factors.span()[i].ring = static_cast<float>(z[i]);
    steps.correction = static_cast<float>(a / (1 - a * (z.front() + z.back())));
  }
  const Array<LineFactors> there = clone(ctx, factors.ref());
  kernels::diffuse_lines(ctx, lines, steps, there.data(), image);
}

}  // namespace

void diffuse_axes(const Context& ctx, const ImageFormat& format, Border border, bool volumes, Index steps, double a,
                  double extrapolation, float* image) {
  const kernels::LineSteps line_steps{steps, static_cast<float>(extrapolation), 0};
  const auto along = [&](const Lines& lines) { diffuse_axis(ctx, lines, border, a, line_steps, image); };
  along({format.slices() * format.height, format.width, count_of(format.channels)});
  along({format.slices(), format.height, format.row()});
  if (volumes) along({format.volumes, format.depth, format.height * format.row()});
}

}  // namespace whorl::filters
