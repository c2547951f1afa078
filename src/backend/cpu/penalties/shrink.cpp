// Reduces the magnitudes of single values or of groups of values, on a CPU.
#include "kernels/penalties/shrink.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "backend/cpu/parallel.hpp"

namespace whorl::backend::cpu {

namespace {

// Calls work(line, v, first, width) for the lines along x; the `first` values at the start of a line are left out.
template <class Pointer, class Work>
void for_lines_of_groups(const Context& ctx, const kernels::Groups& what, Pointer v, const Work& work) {
  const Index nz = what.extent[0];
  const Index ny = what.extent[1];
  const Index nx = what.extent[2];
  const Index lines = what.batch * nz * ny;
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, 8 * what.group * lines * nx))
  for (Index line = 0; line < lines; ++line) {
    const Index y = line % ny;
    const Index z = line / ny % nz;
    const Index batch = line / ny / nz;
    const bool in_spared = z < what.spared[0] && y < what.spared[1];
    work(line, v + batch * what.group * nz * ny * nx + (z * ny + y) * nx, in_spared ? what.spared[2] : 0, nx);
  }
}

template <class Real>
Real energy_of_group(const std::complex<Real>* v, Index group, Index step) {
  Real energy = 0;
  for (Index i = 0; i < group; ++i) energy += std::norm(v[i * step]);
  return energy;
}

template <class Real>
void shrink_groups(const Context& ctx, const kernels::Groups& what, double threshold, std::complex<Real>* v) {
  const Index step = what.extent[0] * what.extent[1] * what.extent[2];
  const auto limit = static_cast<Real>(threshold);
  for_lines_of_groups(ctx, what, v, [&](Index, std::complex<Real>* line, Index first, Index width) {
    for (Index x = first; x < width; ++x) {
      const Real length = std::sqrt(energy_of_group(line + x, what.group, step));
      const Real factor = length > limit ? 1 - limit / length : Real(0);
      for (Index i = 0; i < what.group; ++i) line[x + i * step] *= factor;
    }
  });
}

template <class Real>
double sum_of_norms(const Context& ctx, const kernels::Groups& what, const std::complex<Real>* v) {
  const Index step = what.extent[0] * what.extent[1] * what.extent[2];
  std::vector<double> of_line(static_cast<std::size_t>(what.batch * what.extent[0] * what.extent[1]));
  for_lines_of_groups(ctx, what, v, [&](Index number, const std::complex<Real>* line, Index first, Index width) {
    double sum = 0;
    for (Index x = first; x < width; ++x) sum += std::sqrt(energy_of_group(line + x, what.group, step));
    of_line[static_cast<std::size_t>(number)] = sum;
  });
  double sum = 0;
  for (const double one : of_line) sum += one;
  return sum;
}

template <class Real>
kernels::DualSums groups_dual_step(const Context& ctx, const kernels::Groups& what, double sigma, double radius,
                                   const std::complex<Real>* v, std::complex<Real>* y) {
  const Index step = what.extent[0] * what.extent[1] * what.extent[2];
  const auto along = static_cast<Real>(sigma);
  const auto most = static_cast<Real>(radius);
  std::vector<kernels::DualSums> of_line(static_cast<std::size_t>(what.batch * what.extent[0] * what.extent[1]));
  for_lines_of_groups(ctx, what, y, [&](Index number, std::complex<Real>* line, Index first, Index width) {
    const std::complex<Real>* const from = v + (line - y);
    kernels::DualSums sums{0, 0};
    for (Index x = first; x < width; ++x) {
      Real of_v = 0;
      Real of_y = 0;
      for (Index i = x; i < x + what.group * step; i += step) {
        of_v += std::norm(from[i]);
        of_y += std::norm(line[i] + along * from[i]);
      }
      sums.value += std::sqrt(of_v);
      const Real length = std::sqrt(of_y);
      const Real factor = length > most ? most / length : Real(1);
      for (Index i = x; i < x + what.group * step; i += step) {
        const std::complex<Real> moved = factor * (line[i] + along * from[i]);
        sums.change += std::norm(moved - line[i]);
        line[i] = moved;
      }
    }
    of_line[static_cast<std::size_t>(number)] = sums;
  });
  kernels::DualSums sums{0, 0};
  for (const kernels::DualSums& one : of_line) {
    sums.value += one.value;
    sums.change += one.change;
  }
  return sums;
}

template <class Real>
void clamp_real(const Context& ctx, Index count, double low, double high, std::complex<Real>* v) {
#pragma omp parallel for schedule(static) num_threads(threads_for(ctx, count))
  for (Index i = 0; i < count; ++i) {
    v[i] = std::clamp(v[i].real(), static_cast<Real>(low), static_cast<Real>(high));
  }
}

}  // namespace

void register_shrink() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::shrink_groups<Real>.set(DeviceKind::cpu, shrink_groups<Real>);
    kernels::sum_of_norms<Real>.set(DeviceKind::cpu, sum_of_norms<Real>);
    kernels::groups_dual_step<Real>.set(DeviceKind::cpu, groups_dual_step<Real>);
    kernels::clamp_real<Real>.set(DeviceKind::cpu, clamp_real<Real>);
  });
}

}  // namespace whorl::backend::cpu
