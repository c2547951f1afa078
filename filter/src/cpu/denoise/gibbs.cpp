#include "filter/src/kernels/denoise/gibbs.hpp"
#include "core/parallel.hpp"
#include "whorl/core/integer.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace whorl::backend::cpu {

namespace {

using Complex = std::complex<double>;

void gibbs_split(const Context& ctx, const kernels::GibbsPlanes& planes, const double* cos_x, const double* cos_y,
                 Complex* spectrum, Complex* along_x) {
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index row = 0; row < planes.planes * planes.height; ++row) {
    if (ctx.cancel_requested()) continue;
    const Index y = row % planes.height;
    for (Index x = 0; x < planes.width; ++x) {
      const Index i = row * planes.width + x;
      const double weight = kernels::gibbs_weight(planes, cos_x[x], cos_y[y]);
      along_x[i] = planes.scale * weight * spectrum[i];
      spectrum[i] = planes.scale * (1 - weight) * spectrum[i];
    }
  }
}

void transpose_planes(const Context& ctx, Index planes, Index rows, Index columns, const Complex* from, Complex* to) {
  constexpr Index edge = 32;
  const Index down = divide_up(rows, edge);
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index at = 0; at < planes * down; ++at) {
    if (ctx.cancel_requested()) continue;
    const Index plane = at / down * rows * columns;
    const Index top = at % down * edge;
    const Index bottom = std::min(rows, top + edge);
    for (Index column = 0; column < columns; ++column) {
      for (Index row = top; row < bottom; ++row) to[plane + column * rows + row] = from[plane + row * columns + column];
    }
  }
}

void gibbs_shift(const Context& ctx, Index lines, Index length, const Complex* factors, const Complex* spectrum,
                 Complex* to) {
#pragma omp parallel for num_threads(ctx.threads()) schedule(static)
  for (Index line = 0; line < lines; ++line) {
    if (ctx.cancel_requested()) continue;
    const auto* a = reinterpret_cast<const double*>(factors);
    const auto* b = reinterpret_cast<const double*>(spectrum + line * length);
    auto* product = reinterpret_cast<double*>(to + line * length);
    for (Index k = 0; k < 2 * length; k += 2) {
      product[k] = a[k] * b[k] - a[k + 1] * b[k + 1];
      product[k + 1] = a[k] * b[k + 1] + a[k + 1] * b[k];
    }
  }
}

void gibbs_choose(const Context& ctx, const kernels::GibbsWindow& window, const Complex* shifted, double* least,
                  Complex* result) {
  const Index n = window.length;
  // The line is periodic: it is continued as far as windows and interpolation reach beyond its ends.
  const Index reach = window.far + 1;
  detail::parallel_threads(ctx, ctx.threads(), window.lines, [&](const auto& turns) {
    std::vector<Complex> line(static_cast<std::size_t>(n + 2 * reach));
    std::vector<double> steps(line.size());
    turns([&](Index at) {
      for (Index i = -reach; i < n + reach; ++i) {
        line[static_cast<std::size_t>(i + reach)] = shifted[at * n + (i % n + n) % n];
      }
      // steps[i]: from i to i + 1
      for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        steps[i] = std::abs(line[i + 1].real() - line[i].real()) + std::abs(line[i + 1].imag() - line[i].imag());
      }
      for (Index i = 0; i < n; ++i) {
        const auto here = static_cast<std::size_t>(i + reach);
        double left = 0;
        double right = 0;
        for (Index j = window.near; j <= window.far; ++j) {
          left += steps[here - static_cast<std::size_t>(j) - 1];
          right += steps[here + static_cast<std::size_t>(j)];
        }
        const double variation = std::min(left, right);
        if (!window.first && !(variation < least[at * n + i])) continue;
        least[at * n + i] = variation;
        const double share = std::abs(window.shift);
        result[at * n + i] = (1 - share) * line[here] + share * (window.shift > 0 ? line[here - 1] : line[here + 1]);
      }
    });
  });
}

}  // namespace

void register_gibbs() {
  kernels::gibbs_choose.set(DeviceKind::cpu, gibbs_choose);
  kernels::gibbs_shift.set(DeviceKind::cpu, gibbs_shift);
  kernels::gibbs_split.set(DeviceKind::cpu, gibbs_split);
  kernels::transpose_planes.set(DeviceKind::cpu, transpose_planes);
}

}  // namespace whorl::backend::cpu
