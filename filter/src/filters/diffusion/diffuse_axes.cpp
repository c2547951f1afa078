#include "filter/src/filters/diffusion/diffuse_axes.hpp"

#include <vector>

namespace whorl::filters {

namespace {

using kernels::LineFactors;
using kernels::Lines;

// The sweeps of an elimination, written as averages.
struct Sweeps {
  std::vector<double> up, down;
};

// 1 - a A has rows (-a, m + 2 a, -a), where m is the share of a pixel that lies within the line. At an end the number
// outside is 0, with the weight `beyond`.
Sweeps sweeps_of(Index n, double a, double share_at_ends, double beyond) {
  const auto last = static_cast<std::size_t>(n) - 1;
  Sweeps sweeps;
  double before = beyond;
  for (std::size_t i = 0; i <= last; ++i) {
    const double share = i == 0 || i == last ? share_at_ends : 1;
    const double sum = share + before;
    sweeps.up.push_back(share / sum);
    sweeps.down.push_back(sum / (sum + (i == last ? beyond : a)));
    before = a * sweeps.down.back();
  }
  return sweeps;
}

// The solution for a right side of a at both ends.
std::vector<double> ring_of(double a, const Sweeps& sweeps) {
  const std::size_t n = sweeps.up.size();
  std::vector<double> z(n, 0.0);
  z.front() = a;
  z.back() = a;
  double last = 0;
  for (std::size_t i = 0; i < n; ++i) z[i] = last += sweeps.up[i] * (z[i] - last);
  last = 0;
  for (std::size_t i = n; i-- > 0;) z[i] = last += sweeps.down[i] * (z[i] - last);
  return z;
}

void diffuse_axis(const Context& ctx, const Lines& lines, Border border, double a, kernels::LineSteps steps,
                  float* image) {
  const Index n = lines.length;
  if (n == 1 && border != Border::constant) return;
  // On a ring of two both neighbors are the other pixel, as between mirrors.
  if (n == 2 && border == Border::wrap) border = Border::reflect;
  const bool ring = border == Border::wrap;
  steps.held = border == Border::constant;
  // Corners -a are -a p p^T, p = (1, 0 ... 0, 1), which adds -a to both ends.
  const Sweeps sweeps = sweeps_of(n, a, border == Border::reflect ? 0.5 : 1, ring ? 2 * a : steps.held ? a : 0);
  Array<LineFactors> factors(ctx.host(), {n});
  for (std::size_t i = 0; i < sweeps.up.size(); ++i) {
    factors.span()[i] = {static_cast<float>(sweeps.up[i]), static_cast<float>(sweeps.down[i]), 0.0F};
  }
  if (ring) {
    const std::vector<double> z = ring_of(a, sweeps);
    for (std::size_t i = 0; i < z.size(); ++i) factors.span()[i].ring = static_cast<float>(z[i]);
    steps.correction = static_cast<float>(1 / (1 - (z.front() + z.back())));
  }
  const Array<LineFactors> there = clone(ctx, factors.ref());
  kernels::diffuse_lines(ctx, lines, steps, there.data(), image);
}

}  // namespace

void diffuse_axes(const Context& ctx, const ImageFormat& format, Border border, bool volumes, Index steps, double a,
                  double extrapolation, float* image) {
  const kernels::LineSteps line_steps{steps, static_cast<float>(extrapolation)};
  const auto along = [&](const Lines& lines) { diffuse_axis(ctx, lines, border, a, line_steps, image); };
  along({format.slices() * format.height, format.width, count_of(format.channels)});
  along({format.slices(), format.height, format.row()});
  if (volumes) along({format.volumes, format.depth, format.height * format.row()});
}

}  // namespace whorl::filters
